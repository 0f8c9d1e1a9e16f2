import { expect, test } from "bun:test";
import { openDb } from "../../db/open";
import { look } from "../support/look";
import { administer } from "../support/postgres/databases";
import { testService } from "../support/service";

const server = process.env.TEST_DATABASE_URL ?? "";

test("a database whose transactions are read-only is a 503, although it can be read", async () => {
  const { db, get } = await testService();
  const [{ name } = { name: "" }] = await look<{ name: string }>(db, "select current_database() as name");
  await look(db, `alter database ${name} set default_transaction_read_only = on`);
  await administer(server, `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`);
  const answer = await get("/readyz");
  expect([answer.status, await answer.json()]).toMatchObject([
    503,
    { checks: { database: { ok: false }, storage: { ok: true }, mail: { ok: true } } },
  ]);
});

test("processes that probe at the same time do not hinder each other, and change no value", async () => {
  const [one, two] = [await openDb("probed"), await openDb("probed")];
  const rows = () => look(one, "select name, applied_at from migrations order by name");
  const before = await rows();
  await Promise.all(Array.from({ length: 40 }, (_, n) => (n % 2 ? one : two).probe()));
  expect(await rows()).toEqual(before);
});
