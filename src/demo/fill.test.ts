import { expect, test } from "bun:test";
import { look } from "../../test/support/look";
import { testService } from "../../test/support/service";
import { fillWithDemo } from "./fill";

test("the owner is told of each sample message that is not spam, and of no other", async () => {
  const { db, now } = await testService();
  await fillWithDemo(db, now());
  const told = await look(db, "select subject_id as id from outbox where kind = 'contact' order by 1");
  expect(told).toEqual(await look(db, "select id from messages where spam_reason is null order by 1"));
  expect(await look(db, "select id from messages where spam_reason is not null")).not.toEqual([]);
});

test("the days of the sample content add up to its views and clicks, so that its charts show something", async () => {
  const { db, now } = await testService();
  expect(await fillWithDemo(db, now())).toBe(true);
  const totals = async (kind: string) =>
    look(
      db,
      "select subject_id as id, cast(sum(count) as integer) as total from daily_counts where kind = ? group by 1 order by 1",
      [kind],
    );
  const [all, ...posts] = await totals("view");
  expect(posts).toEqual(await look(db, "select id, views as total from posts where views > 0 order by id"));
  expect(Number(all?.total)).toBe(posts.reduce((sum, { total }) => sum + Number(total), 0));
  expect((await totals("click")).slice(1)).toEqual(
    await look(db, "select id, clicks as total from projects where clicks > 0 order by id"),
  );
});
