import { expect, test } from "bun:test";
import { openDb } from "../open";
import * as messages from "./messages";
import * as submissions from "./submissions";
import * as messageList from "./list";

const now = new Date("2026-11-21T12:00:00Z");
const later = (milliseconds: number) => new Date(now.getTime() + milliseconds);
const firstPage = { page: 1, per: 50 };

/** Three messages, the last one the newest. */
async function withMessages() {
  const db = await openDb(":memory:");
  const ids: string[] = [];
  for (const [name, email, message, source] of [
    ["Ada Straße", "ada@example.com", "100% of the work_day", "landing"],
    ["Grace", "grace@bücher.example", "About the talk in Lisbon", "blog"],
    ["Linus", "linus@example.com", "ΟΔΟΣ and ПРИВЕТ", "blog"],
  ] as const) {
    const submitted = await submissions.submit(db, { name, email, message, source }, {}, later(ids.length));
    if (submitted.outcome === "stored") ids.push(submitted.id);
  }
  const names = async (filter: messageList.MessageFilter, page = firstPage) =>
    (await messageList.list(db, filter, page)).rows.map(({ name }) => name);
  return { db, names, ids: ids as [string, string, string] };
}

test("the newest is first; pages do not overlap, and one past the end is the last", async () => {
  const { db, names } = await withMessages();
  expect(await names({ box: "inbox" })).toEqual(["Linus", "Grace", "Ada Straße"]);
  expect(await names({ box: "inbox" }, { page: 2, per: 2 })).toEqual(["Ada Straße"]);
  expect(await messageList.list(db, { box: "inbox" }, { page: 9, per: 2 })).toMatchObject({ total: 3, page: 2 });
  expect(await messageList.list(db, { box: "trash" }, firstPage)).toEqual({ rows: [], total: 0, page: 1 });
});

test.each([
  ["STRASSE", ["Ada Straße"]],
  ["0% of", ["Ada Straße"]],
  ["work_d", ["Ada Straße"]],
  ["work-d", []],
  ["xn--bcher", ["Grace"]],
  ["bücher", ["Grace"]],
  ["οδος", ["Linus"]],
  ["привет", ["Linus"]],
  ["lisbon", ["Grace"]],
  ["' or 1=1 --", []],
])("searching for %j matches name, address and text, regardless of case and without wildcards", async (q, found) => {
  const { names } = await withMessages();
  expect(await names({ box: "inbox", q })).toEqual(found);
});

test("the list can be filtered by source", async () => {
  const { db, names } = await withMessages();
  expect(await messages.sources(db)).toEqual(["blog", "landing"]);
  expect(await names({ box: "inbox", source: "blog", q: "l" })).toEqual(["Linus", "Grace"]);
});

test("unread counts the inbox only, with the time of the oldest; reading twice keeps the first time", async () => {
  const { db, ids } = await withMessages();
  const [ada, grace, linus] = ids;
  const by = { actor: "owner@example.com" };
  expect(await messages.unread(db)).toEqual({ count: 3, oldestAt: now });
  await messages.markRead(db, ada, later(10));
  await messages.markRead(db, ada, later(20));
  expect(await messages.byId(db, ada)).toMatchObject({ readAt: later(10) });
  await messageList.applyAction(db, { action: "spam", selection: { ids: [grace] } }, by, now);
  expect(await messages.unread(db)).toEqual({ count: 1, oldestAt: later(2) });
  await messageList.applyAction(db, { action: "archive", selection: { ids: [linus] } }, by, now);
  expect(await messages.unread(db)).toEqual({ count: 0, oldestAt: null });
  await messageList.applyAction(db, { action: "unread", selection: { ids: [ada] } }, by, now);
  expect(await messages.unread(db)).toEqual({ count: 1, oldestAt: now });
});
