import { expect, test } from "bun:test";
import { lookAt } from "../../test/support/look";
import { openDb } from "../open";
import * as endpoints from "../webhooks/endpoints";
import { announceDue } from "./announce";
import { applyAction } from "./bulk";
import * as edits from "./edit";

const by = { actor: "ada@example.com" };
const now = new Date("2026-11-22T12:00:00Z");
const after = (minutes: number) => new Date(now.getTime() + minutes * 60_000);
const fields = {
  title: "Rain",
  excerpt: "",
  content: "It rained.",
  author: "",
  coverImage: "",
  slug: "rain",
  tags: [],
};

/** A post that is due in an hour, and has not been announced. */
async function scheduled() {
  const db = await openDb(":memory:");
  const endpoint = { name: "Blog", url: "https://example.com/", events: [], withPeople: false };
  await endpoints.add(db, { fields: endpoint, secret: "sealed" }, by, now);
  const result = await edits.create(db, { ...fields, published: true, publishedAt: after(60) }, by, now);
  if (result.outcome !== "saved") throw new Error("The slug is taken");
  const told = async () => (await lookAt(db, "select type from webhook_deliveries order by created_at, id")).flat();
  expect(await told()).toEqual([]);
  return { db, post: result.post, told };
}

test("a scheduled post that is edited after its time, and before it was announced, is published and not updated", async () => {
  const { db, post, told } = await scheduled();
  const change = { id: post.id, version: post.version, typed: { fields: {}, content: "" } };
  await edits.edit(
    db,
    { ...change, fields: { ...fields, title: "Rain again", publishedAt: after(60) } },
    by,
    after(61),
  );
  expect(await told()).toEqual(["post.published"]);
  await announceDue(db, after(62));
  expect(await told()).toEqual(["post.published"]); // once
  await db.close();
});

test("one that is taken back after its time, and before it was announced, was never published", async () => {
  const { db, told } = await scheduled();
  await applyAction(db, { action: "unpublish", selection: { matching: {} } }, by, after(61));
  await announceDue(db, after(62));
  expect(await told()).toEqual([]);
  await db.close();
});
