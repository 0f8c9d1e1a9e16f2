import { expect, test } from "bun:test";
import { openDb } from "../../db/open";
import * as posts from "../../db/posts/posts";
import { look } from "../support/look";
import { administer } from "../support/postgres/databases";
import { testService } from "../support/service";

const server = process.env.TEST_DATABASE_URL ?? "";

/** A service with a post and a key, whose database has become read-only. */
async function readOnlyService() {
  const service = await testService();
  const { db, key } = service;
  const headers = await key();
  await posts.save(db, { title: "Tides", slug: "tides", content: "Text", published: true }, new Date(0));
  const [{ name } = { name: "" }] = await look<{ name: string }>(db, "select current_database() as name");
  await look(db, `alter database ${name} set default_transaction_read_only = on`);
  await administer(server, `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`);
  return { ...service, headers };
}

test("a database whose transactions are read-only is a 503, although it can be read", async () => {
  const { get } = await readOnlyService();
  const answer = await get("/readyz");
  expect([answer.status, await answer.json()]).toMatchObject([
    503,
    { checks: { database: { ok: false, detail: "read-only" }, storage: { ok: true }, mail: { ok: true } } },
  ]);
});

test("while the database is read-only, reads with a key go on, up to its limit", async () => {
  const { clock, get, headers } = await readOnlyService();
  const statusOf = async (path: string) => (await get(`/api/v1/${path}`, headers)).status;
  const statuses: number[] = [];
  while (statuses.length < 610)
    statuses.push(...(await Promise.all(Array.from({ length: 10 }, () => statusOf("settings")))));
  expect(statuses).toEqual([...Array(600).fill(200), ...Array(10).fill(429)]);
  clock.time += 61_000;
  for (const path of ["posts", "posts?q=tides", "projects", "settings", "storage/files"])
    expect([path, await statusOf(path)]).toEqual([path, 200]);
});

test("processes that probe at the same time do not hinder each other, and change no value", async () => {
  const [one, two] = [await openDb("probed"), await openDb("probed")];
  const rows = () => look(one, "select name, applied_at from migrations order by name");
  const before = await rows();
  await Promise.all(Array.from({ length: 40 }, (_, n) => (n % 2 ? one : two).probe()));
  expect(await rows()).toEqual(before);
});
