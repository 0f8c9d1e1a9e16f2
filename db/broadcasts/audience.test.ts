import { expect, test } from "bun:test";
import { openDb } from "../open";
import { freeze, readSegment } from "../newsletter/segments/definition";
import { lastRow } from "../newsletter/segments/people";
import { candidates, countAudience, stillInAudience } from "./audience";
import { importAll } from "../newsletter/import";
import * as settings from "../../test/support/settings";
import { cleanUp } from "../ops/cleanup";
import { look } from "../../test/support/look";
import { testService } from "../../test/support/service";

const at = Date.parse("2026-11-01T00:00:00Z");
const day = 86_400_000;

/** Eight people, one a day, from three sources, in every state that matters. */
async function people() {
  const db = await openDb(":memory:");
  const add = `insert into subscribers (id, email, email_key, name, source, state, suppressed_at, pending_at,
    confirmed_at, folded, created_at, updated_at) values (?1, ?1, ?1, ?1, ?2, ?3, ?4, ?5, ?6, '', ?7, 0)`;
  const rows = [
    ["blog", "active", null, null, null],
    ["blog", "unsubscribed", null, null, null],
    [null, "active", null, null, 5],
    ["shop", "active", 5, null, null],
    ["shop", "active", null, 5, null],
    ["shop", "active", null, null, 5],
    ["blog", "active", null, null, null],
    [null, "active", null, null, null],
  ] as const;
  for (const [i, row] of rows.entries()) await look(db, add, [`p${i + 1}`, ...row, at + i * day]);
  return db;
}

const cases: [string, number[]][] = [
  ["{}", [1, 3, 6, 7, 8]],
  ['{"anyOf":["blog"]}', [1, 7]],
  ['{"anyOf":["blog",null]}', [1, 3, 7, 8]],
  ['{"noneOf":["blog"]}', [3, 6, 8]],
  ['{"noneOf":[null]}', [1, 6, 7]],
  ['{"joinedFrom":"2026-11-03T00:00:00Z","joinedUntil":"2026-11-07T00:00:00Z"}', [3, 6]],
  ['{"confirmedOnly":true}', [3, 6]],
  ['{"without":"019a0000-0000-7000-8000-000000000001"}', [3, 6, 8]],
  ['{"anyOf":["nobody"]}', []],
];

test.each(cases)("the segment %s is counted and claimed as the same people", async (json, expected) => {
  const db = await people();
  await look(
    db,
    `insert into broadcasts (id, slug, kind, subject, archive, created_by, created_at, updated_at)
    values ('019a0000-0000-7000-8000-000000000001', 's', 'own', 's', 'none', 'm', 0, 0)`,
  );
  await look(
    db,
    `insert into broadcast_recipients (broadcast_row, subscriber_row, batch_row, state)
    values (1, 1, 1, 1), (1, 7, 1, 3), (1, 6, 1, 5), (1, 8, 1, 2)`,
  ); // skipped and failed recipients have not received it
  const segment = freeze(readSegment(json) ?? {}, { now: new Date(), zone: "UTC", language: "en" });
  expect(await countAudience(db, segment)).toBe(expected.length);
  const ceiling = await db.read(lastRow);
  expect(await candidates(db, { cursor: 0, ceiling }, segment, 100)).toEqual({ rows: expected, scannedTo: 8 });
  const firstTwo = expected.slice(0, 2);
  const some = await candidates(db, { cursor: 0, ceiling }, segment, 2);
  expect(some).toEqual({ rows: firstTwo, scannedTo: firstTwo[1] ?? 8 });
  expect(
    (await db.read((orm) => stillInAudience(orm, [1, 2, 3, 4, 5, 6, 7, 8], segment))).map(({ row }) => row),
  ).toEqual(expected);
  await db.close();
});

test("the counters of mailable, pending and suppressed people are always those of the rows", async () => {
  const db = await people();
  const counted = async () =>
    Object.fromEntries(
      (
        await look<{ state: string; count: number }>(
          db,
          "select state, cast(sum(count) as bigint) count from subscriber_counts group by state",
        )
      ).map(({ state, count }) => [state, count]),
    );
  expect(await counted()).toEqual({ active: 7, unsubscribed: 1, mailable: 5, pending: 1, suppressed: 1, paused: 0 });
  await look(db, "update subscribers set pending_at = null, suppressed_at = 7 where row in (5, 6)");
  await look(db, "update subscribers set state = 'unsubscribed' where row in (1, 4)");
  await look(db, "delete from subscribers where row in (3, 5)");
  expect(await counted()).toEqual({ active: 3, unsubscribed: 3, mailable: 2, pending: 0, suppressed: 1, paused: 0 });
  await db.close();
});

test("a name counts as what said it last: a program's is not used as a greeting, a manager's or one's own is", async () => {
  const db = await people();
  const say = (id: string, person: string, kind: string, via: string, note: string | null = null) =>
    look(
      db,
      "insert into subscriber_events (id, subscriber_id, kind, via, note, created_at) values (?, ?, ?, ?, ?, ?)",
      [id, person, kind, via, note, Number(id)],
    );
  const names = async () => (await db.read((orm) => stillInAudience(orm, [1, 7, 8], {}))).map(({ name }) => name);
  await say("1", "p1", "subscribed", "form");
  await say("2", "p7", "imported", "import");
  await say("3", "p8", "imported", "import");
  await say("4", "p7", "changed", "api", "+VIP\nname");
  await say("5", "p8", "changed", "api", "+name");
  expect(await names()).toEqual([null, null, "p8"]);
  await say("6", "p1", "changed", "manager", "name");
  await say("7", "p7", "changed", "preferences", "language: es\nname");
  await say("8", "p8", "changed", "api", "name");
  expect(await names()).toEqual(["p1", "p7", null]);
  await cleanUp(db, new Date("2030-01-01T00:00:00Z")); // other changes are forgotten after two years
  expect(await names()).toEqual(["p1", "p7", null]);
  expect(await look(db, "select id from subscriber_events where kind = 'changed' order by id")).toEqual(
    ["4", "6", "7", "8"].map((id) => ({ id })),
  );
  await db.close();
});

test("a name that only an unconfirmed visitor typed is not used as a greeting", async () => {
  const db = await people();
  const names = async () => (await db.read((orm) => stillInAudience(orm, [1, 3, 7, 8], {}))).map(({ name }) => name);
  expect(await names()).toEqual([null, "p3", null, null]); // p3 is confirmed; of the others nothing is known
  for (const event of [
    ["1", "p1", "subscribed", "form"],
    ["2", "p7", "imported", "import"],
    ["3", "p8", "subscribed", "manager"],
  ])
    await look(
      db,
      "insert into subscriber_events (id, subscriber_id, kind, via, created_at) values (?, ?, ?, ?, 0)",
      event,
    );
  expect(await names()).toEqual([null, "p3", "p7", "p8"]);
  await db.close();
});

test("a name that a manager corrects is used, whatever else is corrected with it", async () => {
  const { db, post, signIn } = await testService();
  const manager = await signIn();
  await post("/api/newsletter/subscribe", { email: "ada@a.example", name: "Win at Evil" });
  const [{ id, row } = { id: "", row: 0 }] = await look<{ id: string; row: number }>(
    db,
    'select id, "row" from subscribers',
  );
  const named = async () => (await db.read((orm) => stillInAudience(orm, [row], {})))[0]?.name;
  const edit = (fields: Record<string, string>) =>
    manager.submit(`/dashboard/newsletter/${id}/edit`, { name: "Win at Evil", tags: "", hadTags: "", ...fields });
  await edit({ source: "shop", tags: "name" });
  expect(await named()).toBeNull();
  await edit({ source: "fair", tags: "VIP", name: "Ada", language: "es", timeZone: "Europe/Madrid" });
  expect(await named()).toBe("Ada");
});

test("what a manager does with a subscription later does not vouch for a name that a stranger typed (D33)", async () => {
  const { db, now, signIn, post } = await testService();
  const manager = await signIn();
  const named = async (email: string) => {
    const row = await lastRowOf(db, email);
    return (await db.read((orm) => stillInAudience(orm, [row], {})))[0]?.name;
  };
  const lastRowOf = async (of: typeof db, email: string) =>
    (await look<{ row: number }>(of, 'select "row" from subscribers where email = ?', [email]))[0]?.row ?? 0;
  const idOf = async (email: string) =>
    (await look<{ id: string }>(db, "select id from subscribers where email = ?", [email]))[0]?.id ?? "";
  const name = "Win at Evil";
  await post("/api/newsletter/subscribe", { email: "ada@a.example", name });
  const id = await idOf("ada@a.example");
  for (const action of ["unsubscribe", "reactivate"])
    await manager.submit("/dashboard/newsletter/bulk", { do: action, ids: id, confirmed: "yes", asked: "1" });
  const events = await look(db, "select kind, via from subscriber_events order by created_at, id");
  expect(events).toContainEqual({ kind: "reactivated", via: "manager" });
  expect(await named("ada@a.example")).toBeNull();

  const terms = { revive: true, origin: { via: "import" as const } };
  await manager.submit("/dashboard/newsletter/bulk", { do: "unsubscribe", ids: id, confirmed: "yes", asked: "1" });
  await importAll(
    db,
    [{ email: "ada@a.example", name: "Ada", source: null, state: "active", createdAt: now() }],
    terms,
    now(),
  );
  expect(await named("ada@a.example")).toBeNull();

  await settings.set(db, "doubleOptIn", "true", { by: "cli" }, now());
  await post("/api/newsletter/subscribe", { email: "bob@a.example", name });
  const confirming = {
    do: "confirm",
    ids: await idOf("bob@a.example"),
    confirmed: "yes",
    asked: "1",
    note: "By phone on Monday",
  };
  await manager.submit("/dashboard/newsletter/bulk", confirming);
  expect(await look(db, "select pending_at from subscribers where email = 'bob@a.example'")).toEqual([
    { pending_at: null },
  ]);
  expect(await named("bob@a.example")).toBeNull();

  await manager.submit("/dashboard/newsletter", { email: "cy@a.example", name: "Cy" });
  for (const action of ["unsubscribe", "reactivate"])
    await manager.submit("/dashboard/newsletter/bulk", {
      do: action,
      ids: await idOf("cy@a.example"),
      confirmed: "yes",
      asked: "1",
    });
  expect(await named("cy@a.example")).toBe("Cy");
});
