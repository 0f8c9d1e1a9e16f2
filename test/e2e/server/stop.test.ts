import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { startService, temporaryFolder } from "../../support/processes";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

type Service = Awaited<ReturnType<typeof startService>>;

/** Ends it. Returns its exit code, and what it complained about. */
async function ended(service: Service) {
  const { code, out, err } = await service.end();
  return { code, complaints: out.split("\n").filter((line) => /"level":"(warn|error)"/.test(line)), err };
}
const silently = { code: 0, complaints: [], err: "" };

/** Moments after the start are counted in requests, one after the other, because the machine may be slow. */
test.each([0, 1, 2, 4, 8, 16, 32, 64])("a SIGTERM %d requests after the start ends it without an error", async (n) => {
  using folder = temporaryFolder();
  const service = await startService(folder.path);
  for (let i = 0; i < n; i++) await (await fetch(`${service.url}/healthz`)).text();
  expect(await ended(service)).toEqual(silently);
});

test("a long cleanup is interrupted between two commits, without an error", async () => {
  using folder = temporaryFolder();
  await (await startService(folder.path)).end();
  using sqlite = new Database(join(folder.path, "postroom.sqlite"));
  sqlite.run(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000)
    insert into provider_events (id, type, at, received_at) select i, 'email.sent', i, i from n`);
  // what is removed comes back under another name: it is never done, however fast the machine is
  sqlite.run(`create trigger never_done after delete on provider_events begin
    insert into provider_events (id, type, at, received_at) values ('again' || old.id, 'email.sent', 0, 0); end`);
  const removed = () => sqlite.query("select 1 from provider_events where id > 'again' limit 1").get();
  const service = await startService(folder.path);
  while (!removed()) await Bun.sleep(1);
  expect(await ended(service)).toEqual(silently);
});

test("a storage node that never responds does not delay the end, and causes no error", async () => {
  using folder = temporaryFolder();
  const asked = Promise.withResolvers<void>();
  using silent = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => (asked.resolve(), new Promise<Response>(() => undefined)),
  });
  const MINIO_ENDPOINT = `http://127.0.0.1:${silent.port}`;
  const service = await startService(folder.path, { MINIO_ENDPOINT, MINIO_ACCESS_KEY: "k", MINIO_SECRET_KEY: "s" });
  await asked.promise;
  expect(await ended(service)).toEqual(silently);
});

test("a client that was answered before it had sent its whole body does not delay the end", async () => {
  using folder = temporaryFolder();
  const service = await startService(folder.path);
  const { port } = new URL(service.url);
  const answered = Promise.withResolvers<string>();
  const client = await Bun.connect({
    hostname: "127.0.0.1",
    port: Number(port),
    socket: { data: (_, bytes) => answered.resolve(bytes.toString().split("\r\n", 1)[0] ?? "") },
  });
  const length = 1_000_000;
  client.write(`POST /api/contact HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n\r\n`);
  client.write("a".repeat(200_000));
  expect(await answered.promise).toBe("HTTP/1.1 413 Payload Too Large");
  const sending = setInterval(() => client.write("a"), 100); // otherwise it is cut off as idle
  expect(await ended(service)).toEqual(silently);
  clearInterval(sending);
});
