import { expect, test } from "bun:test";
import { look, lookAt } from "../../test/support/look";
import { countQuestions } from "../../test/support/questions";
import type { Db } from "../engine/open";
import { openDb } from "../open";
import * as endpoints from "../webhooks/endpoints";
import { announceDue } from "./announce";
import { applyAction } from "./bulk";
import * as tagEdit from "./tags";

const by = { actor: "ada@example.com" };
const now = new Date("2026-11-22T12:00:00Z");
const tomorrow = new Date(now.getTime() + 86_400_000);
const all = { matching: {} };
const numbers = JSON.stringify(Array.from({ length: 300 }, (_, n) => `${n + 100}`));

/** Deletes the queued deliveries, and returns how many there were of each type. */
async function told(db: Db) {
  const counts = await lookAt(db, "select type, count(*) from webhook_deliveries group by type order by type");
  await look(db, "delete from webhook_deliveries");
  return counts;
}

test("a bulk action asks the database a few questions, however many posts it changes, and reports each", async () => {
  const db = await openDb(":memory:");
  const endpoint = { name: "Blog", url: "https://example.com/", events: [], withPeople: false };
  await endpoints.add(db, { fields: endpoint, secret: "sealed" }, by, now);
  const columns = "id, slug, title, excerpt, content, author, cover_image, published, published_at, folded";
  await look(
    db,
    `insert into posts (${columns}, reading_time, views, version, created_at, updated_at)
      select 'p' || value, 'p-' || value, 'Post ' || value, '', '', '', '', 0,
        case when value < '200' then ${tomorrow.getTime()} end, 'post', 1, 0, 1, 1, 1 from json_each(?)`,
    [numbers],
  );
  const few = async (work: () => Promise<unknown>) => expect(await countQuestions(work)).toBeLessThan(16);

  await few(() => applyAction(db, { action: "publish", selection: all }, by, now));
  expect(await lookAt(db, "select count(*) from scheduled_posts")).toEqual([[100]]);
  expect(await told(db)).toEqual([["post.published", 200]]);
  await few(() => applyAction(db, { action: "tag", selection: all, tagName: "news" }, by, now));
  await few(() => tagEdit.rename(db, { slug: "news", to: { slug: "newer", name: "Newer" } }, by, now));
  expect(await told(db)).toEqual([["post.updated", 400]]);
  expect(await lookAt(db, "select count(*), min(version), max(version) from posts")).toEqual([[300, 4, 4]]);

  await few(() => announceDue(db, tomorrow));
  expect(await told(db)).toEqual([["post.published", 100]]);
  await few(() =>
    applyAction(db, { action: "untag", selection: { matching: { tag: "newer" } }, tagName: "Newer" }, by, tomorrow),
  );
  await few(() => applyAction(db, { action: "trash", selection: all }, by, tomorrow));
  expect(await told(db)).toEqual([
    ["post.unpublished", 300],
    ["post.updated", 300],
  ]);
  await few(() => applyAction(db, { action: "delete", selection: { matching: { status: "trash" } } }, by, tomorrow));
  expect([await told(db), await look(db, "select id from posts")]).toEqual([[], []]);
});
