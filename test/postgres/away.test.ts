import { expect, test } from "bun:test";
import { unsubscribeLink } from "../../src/security/links/unsubscribe";
import { startCluster } from "../support/postgres/cluster";
import { lineTo } from "../support/postgres/line";
import { postroom } from "../support/processes";

/** One process on a database of that server. */
async function serviceOn(server: string) {
  const cluster = await startCluster(server, 1, { LOG_LEVEL: "silent" });
  const url = cluster.services[0]?.url ?? "";
  const headers = { "content-type": "application/json" };
  const subscribe = (email: string) =>
    fetch(`${url}/api/newsletter/subscribe`, { method: "POST", body: JSON.stringify({ email }), headers });
  return { url, env: cluster.env, subscribe, [Symbol.asyncDispose]: cluster.stop };
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
}, 60_000);
