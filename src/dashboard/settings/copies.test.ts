import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { createServer } from "node:net";
import * as audit from "../../../db/audit";
import * as subscribers from "../../../db/newsletter/subscribers";
import { backupId, setBackupRecipient } from "../../../db/ops/backup-state";
import { onSqlite } from "../../../test/support/look";
import { testService } from "../../../test/support/service";
import { temporaryFolder } from "../../../test/support/processes";
import { setVariable } from "../../../db/variables";
import { sealVariable, useVariables } from "../../security/variables";
import { freezingProxy } from "../../../test/support/storage/freezing-proxy";
import { testTimeoutMs, within } from "../../../test/support/within";
import { type Copy, openStore } from "../../backups/copies";
import { backupUrl } from "../../platform/config-fields";
import { createLog } from "../../platform/log";
import { startEmbeddedNode } from "../../storage/embedded/node";

setDefaultTimeout(testTimeoutMs);
const path = "/dashboard/settings/set-up/copies";
const folder = temporaryFolder();
const node = await startEmbeddedNode({ folder: folder.path, port: 0, origins: new Set(), log: createLog("silent") });
afterAll(async () => {
  await node.close();
  folder[Symbol.dispose]();
});
const urlOf = (host: string) =>
  `s3+http://${node.accessKey}:${encodeURIComponent(node.secretKey)}@${host}/${node.bucket}/${crypto.randomUUID()}`;

const storeAt = (url: string) => {
  const place = backupUrl.parse(url);
  if ("node" in place) throw new Error("This is the URL of a server.");
  return openStore(place);
};

async function* bytesOf(text: string) {
  yield Buffer.from(text);
}

/** A service whose copies were made at these times, and one of another installation if that is wanted. */
async function withCopies(times: string[], others: string[] = []) {
  const url = urlOf(new URL(node.endpoint).host);
  const service = await testService({ BACKUP_URL: url });
  const store = storeAt(url);
  const own = await backupId(service.db);
  for (const installation of [own, ...others])
    for (const [at, time] of times.entries()) {
      const name = `${time.replaceAll(":", "").replace(/\.\d+/, "")}-${at}`;
      const content = `encrypted ${name}`;
      const stored = await store.put(store.keyOf(installation, name), bytesOf(content), "application/octet-stream");
      const record = { name, at: time, provedAt: time, ...stored } as Partial<Copy>;
      await store.put(store.recordKeyOf(installation, name), bytesOf(JSON.stringify(record)), "application/json");
    }
  return { ...service, url, own, store, owner: await service.signIn() };
}

const times = ["2026-11-19T04:00:00.123Z", "2026-11-21T04:00:00.456Z", "2026-11-20T04:00:00.789Z"];
const commandsIn = (html: string) => [...html.matchAll(/npm run postroom -- restore [^<]*/g)].map(([line]) => line);

onSqlite("copies of the file")(
  "an owner reads which copies there are, the newest first, each with the command that restores it",
  async () => {
    const { owner, db, url, own, now } = await withCopies(times);
    const html = await (await owner.get(path)).text();
    expect(html).toContain(new URL(url.replace("s3+http", "http")).host);
    expect(html).not.toContain(encodeURIComponent(node.secretKey));
    expect(commandsIn(html)).toEqual(
      times
        .toSorted()
        .reverse()
        .map((time) => `npm run postroom -- restore s3:${time}`),
    );
    await setBackupRecipient(db, "age1");
    await subscribers.subscribe(db, { email: "ada@example.com" }, { via: "form" }, now()); // before that, Overview is the first steps
    for (const page of ["/dashboard", "/dashboard/settings/set-up"])
      expect(await (await owner.get(page)).text()).toContain(`href="${path}"`);
    const { owner: another, own: id } = await withCopies(times.slice(0, 1), ["aaaaaaaaaaaa"]);
    const [command] = commandsIn(await (await another.get(path)).text());
    expect(command).toBe(`npm run postroom -- restore s3:${times[0]} --installation=${id}`);
    expect(id).not.toBe(own);
  },
);

onSqlite("copies of the file")(
  "a target that the command cannot know is named beside it, without its keys",
  async () => {
    const { owner, url } = await withCopies(times.slice(0, 1));
    expect(await (await owner.get(path)).text()).not.toContain("KEY:SECRET");
    const { config, db, now, deps, signIn } = await testService();
    await setVariable(db, { name: "BACKUP_URL", sealed: sealVariable(config, url) }, { actor: "test" }, now());
    await useVariables(deps);
    const other = await signIn();
    expect(await (await other.get(path)).text()).toContain("No copies yet"); // of this installation
    const record = { name: "2026-11-19T040000Z-0", at: times[0], provedAt: times[0], bytes: 1 };
    const key = storeAt(url).recordKeyOf(await backupId(db), record.name);
    await storeAt(url).put(key, bytesOf(JSON.stringify(record)), "application/json");
    const { host, pathname } = new URL(url.replace("s3+http", "http"));
    expect(await (await other.get(path)).text()).toContain(
      `BACKUP_URL=s3+http://KEY:SECRET@${host}${pathname}/?region=us-east-1<`,
    );
  },
);

onSqlite("copies of the file")(
  "a copy is downloaded as it is stored, after the password, and that is on record",
  async () => {
    const { owner, db, clock } = await withCopies(times.slice(0, 1));
    const name = "2026-11-19T040000Z-0";
    const response = await owner.get(`${path}/${name}`);
    expect(await response.text()).toBe(`encrypted ${name}`);
    expect(response.headers.get("content-disposition")).toBe('attachment; filename="postroom-2026-11-19.tar.zst.age"');
    const entries = async () => (await audit.list(db, { group: "backup" }, { page: 1, per: 50 })).events;
    expect((await entries()).map(({ action, target }) => [action, target])).toEqual([["backup.download", name]]);
    for (const other of ["2026-11-19T040000Z-1", "..%2f..%2fu", `${name}.json`])
      expect((await owner.get(`${path}/${other}`)).status).toBe(303);
    clock.time += 3_600_000; // the password was confirmed too long ago
    for (const page of [path, `${path}/${name}`]) {
      const asked = await owner.get(page);
      expect([asked.status, asked.headers.get("location")]).toEqual([303, expect.stringContaining("confirm")]);
    }
    expect(await entries()).toHaveLength(1);
  },
);

onSqlite("copies of the file")(
  "a server that says nothing, refuses or holds what is no record does not keep the page, which says why",
  async () => {
    const silent = createServer(() => {}).listen(0, "127.0.0.1");
    const address = silent.address();
    const port = typeof address === "object" ? address?.port : 0;
    for (const [host, reason] of [
      [`127.0.0.1:${port}`, /did not|seconds|Timeout/i],
      ["127.0.0.1:1", /ECONNREFUSED|refused|connect/i],
    ] as const) {
      const service = await testService({ BACKUP_URL: urlOf(host) });
      const html = await (await (await service.signIn()).get(path)).text();
      expect(html).toContain("The copies could not be listed.");
      expect(html.match(/could not be listed\.<\/strong>([^<]*)/)?.[1]).toMatch(reason);
    }
    silent.close();

    const { owner, store, own } = await withCopies([]);
    expect(await (await owner.get(path)).text()).toContain("No copies yet");
    await store.put(store.recordKeyOf(own, "2026-11-19T040000Z-0"), bytesOf('{"at":"?"}'), "application/json");
    expect(await (await owner.get(path)).text()).toContain("The copies could not be listed.");
  },
);

onSqlite("copies of the file")("a copy that the server does not give says why, and is not called missing", async () => {
  const { logged, signIn } = await testService({ BACKUP_URL: urlOf("127.0.0.1:1") });
  const owner = await signIn();
  const response = await owner.get(`${path}/2026-11-19T040000Z-0`);
  expect([response.status, response.headers.get("location")]).toEqual([303, path]);
  expect(logged).toContainEqual(expect.objectContaining({ level: "warn", event: "copy not downloaded" }));
  const html = await (await owner.get(path)).text();
  expect(html).toMatch(/The copy could not be downloaded\.[^<]*(ECONNREFUSED|refused|connect)/i);
  expect(html).not.toContain("cannot be found");
});

onSqlite("copies of the file")("a download begins while its storage still holds back most of it", async () => {
  const proxy = await freezingProxy(node.endpoint);
  const url = urlOf(new URL(proxy.endpoint).host);
  const { db, signIn } = await testService({ BACKUP_URL: url });
  const store = storeAt(url);
  const [own, name] = [await backupId(db), "2026-11-19T040000Z-0"];
  const content = "encrypted ".repeat(300_000);
  const stored = await store.put(store.keyOf(own, name), bytesOf(content), "application/octet-stream");
  const record = { name, at: times[0], ...stored };
  await store.put(store.recordKeyOf(own, name), bytesOf(JSON.stringify(record)), "application/json");
  const isFrozen = proxy.freezeAt({ request: /^GET .*\.age[^]*range: bytes=0-/i, received: 1_000_000 });
  const body = (await (await signIn()).get(`${path}/${name}`)).body?.getReader();
  const first = await within(body?.read() ?? Promise.reject(new Error("no body")), "the first bytes");
  const rest =
    body &&
    Array.fromAsync({
      async *[Symbol.asyncIterator]() {
        for (let part = await body.read(); !part.done; part = await body.read()) yield part.value;
      },
    });
  await within(isFrozen, "the storage to hold back the rest");
  proxy.thaw();
  expect(Buffer.concat([first.value ?? new Uint8Array(), ...((await rest) ?? [])]).toString()).toBe(content);
  proxy.close();
});

test("without a backup target, or where the operator of PostgreSQL makes them, the page says so", async () => {
  const { signIn, db } = await testService();
  const html = await (await (await signIn()).get(path)).text();
  expect(html).toContain(db.isShared ? "are made by its operator" : "No backup target");
});
