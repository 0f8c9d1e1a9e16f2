import { expect, test } from "bun:test";
import { prune } from "../../db/limits/rate-limits.postgres";
import type { Db } from "../../db/engine/open";
import { openDb } from "../../db/open";
import { addUpDifferences } from "../../db/ops/cleanup";
import { look } from "../support/look";

const countOf = async (db: Db, table: string) =>
  (await look<{ n: number }>(db, `select count(*) as n from ${table}`))[0]?.n ?? 0;

test("differences are added up some rows at a time, and every sum stays", async () => {
  const db = await openDb("differences");
  const sums = () =>
    look(
      db,
      "select day, source, sum(joined)::bigint j, sum(added)::bigint a from subscriber_days group by 1, 2 order by 1, 2",
    );
  const counts = () => look(db, "select state, sum(count)::bigint n from subscriber_counts group by 1 order by 1");
  await look(
    db,
    `insert into subscriber_days (day, source, joined, added)
      select i % 7, case when i % 3 = 0 then 'blog' else '' end, 1, i % 2 from generate_series(1, 2000) i
      union all select 9, 'source ' || i, i, 0 from generate_series(1, 500) i
      union all select 9, 'source 7', 1, 0`,
  );
  await look(db, "insert into subscriber_counts select 'active', 1 from generate_series(1, 2000)");
  const before = [await sums(), await counts()];
  const left: number[] = [];
  const rows = async () => (await countOf(db, "subscriber_days")) + (await countOf(db, "subscriber_counts"));
  const write: Db["write"] = (work, how) => db.write(work, how).finally(async () => void left.push(await rows()));
  await addUpDifferences({ ...db, write }, 100);
  expect([await sums(), await counts()]).toEqual(before);
  expect(await countOf(db, "subscriber_days")).toBe(514);
  expect(await countOf(db, "subscriber_counts")).toBe(6);
  expect(Math.max(...left.map((n, at) => (left[at - 1] ?? n) - n))).toBeLessThan(100);
});

test("expired windows of limits are deleted a thousand at a time, except those that were used again", async () => {
  const db = await openDb("windows");
  const left: number[] = [];
  await look(
    db,
    `insert into rate_limit_windows select 'subscribe', i::text, case when i <= 2500 then array[5] else array[5, 50] end, 1
      from generate_series(1, 2600) i`,
  );
  const read: Db["read"] = (query) =>
    db.read(query).finally(async () => void left.push(await countOf(db, "rate_limit_windows")));
  await prune({ ...db, read }, new Date(10));
  expect(left).toEqual([1_600, 600, 100]);
});
