import { expect, setDefaultTimeout, test } from "bun:test";
import { unsubscribeLink } from "../../src/security/links";
import { startCluster } from "../support/postgres/cluster";
import { lineTo } from "../support/postgres/line";
import { startPostgres } from "../support/postgres/server";
import { postroom } from "../support/processes";
import { testTimeoutMs } from "../support/within";

setDefaultTimeout(testTimeoutMs);

/** One process on a database of that server. */
async function serviceOn(server: string) {
  const cluster = await startCluster(server, 1, { LOG_LEVEL: "silent" });
  const url = cluster.services[0]?.url ?? "";
  let clients = 0;
  const subscribe = (email: string) =>
    fetch(`${url}/api/newsletter/subscribe`, {
      method: "POST",
      body: JSON.stringify({ email }),
      headers: { "content-type": "application/json", "x-forwarded-for": `198.51.${clients++ >> 8}.${clients & 255}` },
    });
  return { url, env: cluster.env, subscribe, [Symbol.asyncDispose]: cluster.stop };
}

async function durableServer() {
  const server = await startPostgres(true);
  return { ...server, [Symbol.asyncDispose]: server.stop };
}

test("while the database is away, requests get 500 with Retry-After; once it is back, the same process serves them", async () => {
  const line = await lineTo(process.env.TEST_DATABASE_URL ?? "");
  await using service = await serviceOn(line.url);
  const { url, env, subscribe } = service;
  const key = (await postroom("/nonexistent", ["keys", "create", "blog"], env)).out.trim();
  const list = () => fetch(`${url}/api/v1/posts`, { headers: { "x-api-key": key } });
  const link = unsubscribeLink(
    { APP_SECRET: env.APP_SECRET ?? "", APP_SECRET_PREVIOUS: [], BASE_URL: url },
    "ada@example.com",
  );
  expect((await list()).status).toBe(200);

  line.cut();
  const failed = await Promise.all([list(), subscribe("ada@example.com"), fetch(link)]);
  await line.mend();
  expect(failed.map(({ status, headers }) => [status, headers.get("retry-after")])).toEqual(Array(3).fill([500, "1"]));
  for (const answer of failed.slice(0, 2))
    expect(await answer.json()).toMatchObject({ success: false, error: { code: "INTERNAL_ERROR" } });

  const served = await Promise.all([list(), subscribe("ada@example.com")]);
  expect(served.map(({ status, headers }) => [status, headers.get("retry-after")])).toEqual([
    [200, null],
    [201, null],
  ]);
});

test("a crash of the database under load loses nothing that was acknowledged, and the process goes on", async () => {
  await using postgres = await durableServer();
  await using service = await serviceOn(postgres.url);
  const acknowledged: string[] = [];
  let isOver = false;
  const client = async (n: number) => {
    for (let i = 0; !isOver; i++) {
      const email = `c${n}-${i}@example.com`;
      if ((await service.subscribe(email)).status === 201) acknowledged.push(email);
    }
  };
  const load = Promise.all(Array.from({ length: 12 }, (_, n) => client(n)));
  const more = async (count: number) => {
    for (const until = acknowledged.length + count; acknowledged.length < until;) await Bun.sleep(1);
  };
  await more(40);
  await postgres.crash();
  await more(40);
  isOver = true;
  await load;

  await using sql = new Bun.SQL(service.env.DATABASE_URL, { max: 1 });
  const rows: [string, bigint][] = await sql
    .unsafe("select email, (select count(*) from outbox where recipient = email) from subscribers", [])
    .values();
  const emails = new Map(rows.map(([email, count]) => [email, Number(count)]));
  expect(acknowledged.filter((email) => emails.get(email) !== 1)).toEqual([]);
});
