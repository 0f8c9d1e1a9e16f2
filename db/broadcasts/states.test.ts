import { afterEach, expect, spyOn, test } from "bun:test";
import * as audit from "../audit";
import type { Db } from "../engine/open";
import { openDb } from "../open";
import * as subscribers from "../newsletter/subscribers";
import { byId, type Broadcast, type ChangeResult, letterOf, withContent } from "./broadcasts";
import { copy, create, edit } from "./edit";
import { applyAction, counts, list, underWay } from "./list";
import { finish, pauseAutomatically, promote } from "./sending/promote";
import { assignSlug, cancel, confirm, pause, resume, setArchive, unschedule } from "./states";
import { look } from "../../test/support/look";

const by = { actor: "manager@example.com" };
const start = new Date("2026-11-21T12:00:00Z");
const after = (ms: number) => new Date(start.getTime() + ms);
const hour = 3_600_000;
const fields = {
  subject: "News of November",
  preheader: "",
  fromName: "",
  archive: "listed" as const,
  segment: {},
  content: "Hello",
};
const frozen = { letter: { html: ["Hello"] }, page: [], bytes: 5 };

const opened: Db[] = [];
afterEach(async () => {
  for (const db of opened.splice(0)) await db.close();
});
async function open() {
  const db = await openDb(":memory:");
  opened.push(db);
  return db;
}
const draft = (db: Db) => create(db, { source: { kind: "own" }, fields }, by, start);
const now = async (db: Db, { id }: Broadcast) => (await byId(db, id)) as Broadcast;

/** Ways to reach each state. */
const reach = {
  draft,
  async scheduled(db: Db) {
    const broadcast = await draft(db);
    await confirm(db, { seen: broadcast, to: { at: after(60_000), audience: 0, frozen } }, by, start);
    return now(db, broadcast);
  },
  async sending(db: Db) {
    await subscribers.subscribe(db, { email: "ada@example.com" }, { via: "form" }, start);
    const broadcast = await reach.scheduled(db);
    await promote(db, undefined, after(60_000));
    return now(db, broadcast);
  },
  async paused(db: Db) {
    const broadcast = await reach.sending(db);
    await pause(db, broadcast, by, start);
    return now(db, broadcast);
  },
  async cancelled(db: Db) {
    const broadcast = await reach.scheduled(db);
    await cancel(db, broadcast, by, start);
    return now(db, broadcast);
  },
  async sent(db: Db) {
    const broadcast = await reach.sending(db);
    await look(db, "update broadcasts set cursor = ceiling");
    await finish(db, undefined, (subject) => subject, after(hour));
    return now(db, broadcast);
  },
};
type State = Broadcast["state"];
const verbs: Record<string, { run: (db: Db, seen: Broadcast) => Promise<ChangeResult>; from: State[]; to: State }> = {
  edit: { run: (db, seen) => edit(db, seen, fields, start), from: ["draft"], to: "draft" },
  confirm: {
    run: (db, seen) => confirm(db, { seen, to: { at: start, audience: 0, frozen } }, by, start),
    from: ["draft"],
    to: "scheduled",
  },
  unschedule: { run: (db, seen) => unschedule(db, seen, by, start), from: ["scheduled"], to: "draft" },
  pause: { run: (db, seen) => pause(db, seen, by, start), from: ["sending"], to: "paused" },
  "pause automatically": {
    run: (db, { id }) => pauseAutomatically(db, id, { reason: "bounces", notify: undefined }, start),
    from: ["sending", "scheduled"],
    to: "paused",
  },
  resume: { run: (db, seen) => resume(db, seen, by, start), from: ["paused"], to: "sending" },
  cancel: { run: (db, seen) => cancel(db, seen, by, start), from: ["scheduled", "sending", "paused"], to: "cancelled" },
};

for (const [name, { run, from, to }] of Object.entries(verbs))
  test(`${name} leads from ${from.join(", ")} to ${to}, and from no other state anywhere`, async () => {
    for (const state of Object.keys(reach) as State[]) {
      const db = await open();
      const seen = await reach[state](db);
      expect(seen.state).toBe(state);
      const result = await run(db, seen);
      const isAllowed = from.includes(state);
      expect([state, result.outcome]).toEqual([state, isAllowed ? "changed" : "conflict"]);
      expect((await now(db, seen)).state).toBe(isAllowed ? to : state);
      expect((await now(db, seen)).version).toBe(seen.version + Number(isAllowed));
    }
    const db = await open();
    const { outcome } = await run(db, { id: Bun.randomUUIDv7(), version: 1 } as Broadcast);
    expect(outcome).toBe("gone");
  });

test("of two simultaneous transitions one wins, the other gets the current state, and there is one audit entry", async () => {
  const db = await open();
  const seen = await reach.paused(db);
  const before = (await audit.list(db, {}, { page: 1, per: 100 })).total;
  const results = await Promise.all([
    resume(db, seen, by, start),
    cancel(db, seen, by, start),
    resume(db, seen, by, start),
  ]);
  expect(results.map(({ outcome }) => outcome).sort()).toEqual(["changed", "conflict", "conflict"]);
  const { state } = await now(db, seen);
  for (const result of results) expect(result).toMatchObject({ broadcast: { state } });
  expect((await audit.list(db, {}, { page: 1, per: 100 })).total).toBe(before + 1);
});

test("an edit based on an older version saves nothing", async () => {
  const db = await open();
  const seen = await draft(db);
  expect(await edit(db, seen, { ...fields, content: "One" }, start)).toMatchObject({ outcome: "changed" });
  const late = await edit(db, seen, { ...fields, content: "Two" }, start);
  expect(late).toMatchObject({ outcome: "conflict", broadcast: { version: 2 } });
  expect((await withContent(db, seen.id))?.content).toBe("One");
});

test("confirming freezes the letter and names the page; unscheduling thaws it", async () => {
  const db = await open();
  const first = await draft(db);
  expect(await assignSlug(db, first.id, (subject) => subject)).toBe("news-of-november");
  await confirm(db, { seen: first, to: { at: after(hour), audience: 7, frozen } }, by, start);
  const other = await copy(db, first.id, by, start);
  if (!other) throw new Error("not copied");
  expect(other).toMatchObject({ state: "draft", subject: "News of November (copy)" });
  await edit(db, other, fields, start);
  expect(await assignSlug(db, other.id, (subject) => subject)).toBe("news-of-november-2");
  await edit(db, { ...other, version: 2 }, { ...fields, archive: "unlisted" }, start);
  expect(await assignSlug(db, other.id, (subject) => subject)).toMatch(/^[\da-f]{32}$/);
  expect(await db.read((orm) => letterOf(orm, first.row))).toMatchObject(frozen);
  const scheduled = await now(db, first);
  expect(scheduled).toMatchObject({ audience: 7, confirmedBy: by.actor, slug: "news-of-november" });
  await unschedule(db, scheduled, by, start);
  expect(await db.read((orm) => letterOf(orm, first.row))).toMatchObject({
    letter: null,
    page: null,
    content: "Hello",
  });
});

test("a broadcast starts when it is due, pauses if it is six hours late, and at most five are sent at the same time", async () => {
  const db = await open();
  const late = await reach.scheduled(db);
  const writes = spyOn(db, "write");
  expect(await promote(db, "owner@example.com", after(59_999))).toEqual([]);
  expect(writes).not.toHaveBeenCalled(); // it is asked every second
  await promote(db, "owner@example.com", after(60_000 + 6 * hour + 1));
  expect(await now(db, late)).toMatchObject({ state: "paused", stateReason: "missed", startedAt: null, ceiling: null });
  expect(await look(db, "select kind, recipient, payload from outbox")).toEqual([
    { kind: "notice", recipient: "owner@example.com", payload: '{"about":"paused"}' },
  ]);
  await resume(db, await now(db, late), by, after(7 * hour));
  expect(await now(db, late)).toMatchObject({ state: "sending", startedAt: after(7 * hour), ceiling: 0 });
  for (let i = 0; i < 5; i++) await reach.scheduled(db);
  expect(await promote(db, undefined, after(60_000 + 6 * hour))).toHaveLength(4);
  expect((await underWay(db)).length).toBe(5);
  expect(await counts(db)).toEqual({ all: 6, drafts: 0, scheduled: 1, sending: 5, sent: 0, trash: 0 });
});

test("drafts and cancelled broadcasts can be deleted and restored; sent ones cannot", async () => {
  const db = await open();
  const [sent, sending] = [await reach.sent(db), await reach.paused(db)];
  const mine = [await draft(db), await reach.cancelled(db)];
  const all = { matching: { tab: "all" as const } };
  expect(await applyAction(db, { action: "trash", selection: all }, by, start)).toMatchObject({ count: 2 });
  const page = { page: 1, per: 10 };
  expect((await list(db, { tab: "trash" }, page)).rows.map(({ id }) => id).sort()).toEqual(
    mine.map(({ id }) => id).sort(),
  );
  expect((await list(db, { tab: "all", q: "NOVEMBER" }, page)).rows.map(({ id }) => id)).toEqual([sending.id, sent.id]);
  expect(
    await confirm(db, { seen: await now(db, mine[0] as Broadcast), to: { at: start, audience: 0, frozen } }, by, start),
  ).toMatchObject({
    outcome: "conflict",
  });
  expect(await applyAction(db, { action: "restore", selection: { changedAt: start } }, by, start)).toMatchObject({
    count: 2,
  });
  await applyAction(db, { action: "trash", selection: { ids: mine.map(({ id }) => id) } }, by, start);
  expect(await applyAction(db, { action: "delete", selection: all }, by, start)).toMatchObject({ count: 0 });
  expect(
    await applyAction(db, { action: "delete", selection: { matching: { tab: "trash" } } }, by, start),
  ).toMatchObject({ count: 2 });
  expect(await byId(db, mine[0]?.id ?? "")).toBeUndefined();
});

test("the archive can be changed after sending", async () => {
  const db = await open();
  const seen = await reach.sent(db);
  const before = db.topic("broadcasts")?.version ?? 0;
  expect(await setArchive(db, { seen, archive: "none" }, by, start)).toMatchObject({
    outcome: "changed",
    broadcast: { archive: "none" },
  });
  expect(db.topic("broadcasts")?.version).toBe(before + 1);
});
