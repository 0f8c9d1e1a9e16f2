import { expect, test } from "bun:test";
import { look, lookAt } from "../../test/support/look";
import { openDb } from "../open";
import { addAll } from "../suppressions/suppressions";
import { importAll, type Outcome } from "./import";
import * as endpoints from "../webhooks/endpoints";
import * as list from "./list";
import { maxPauseMs } from "./pause";
import { restoreScanned } from "./scanner";
import { byEmail, subscribe, unsubscribe } from "./subscribers";

const now = new Date("2026-11-22T12:00:00Z");
const later = new Date(now.getTime() + 60_000);
const person = (email: string) => ({ email, name: null, source: null, state: "active" as const, createdAt: now });
const leaver = (email: string) => ({ ...person(email), state: "unsubscribed" as const });
const terms = { revive: true, origin: { via: "import" as const } };

test("who is in a file several times is added, revived and suppressed once", async () => {
  const db = await openDb(":memory:");
  await importAll(db, [person("left@example.com")], terms, now);
  await unsubscribe(db, "left@example.com", { via: "link" }, now);
  const file = ["ada@example.com", "left@example.com", "Ada@Example.com", "bob@example.com", "LEFT@example.com"];
  const outcomes = await importAll(db, file.map(person), terms, now);
  expect(outcomes).toEqual(["new", "revived", "already", "new", "already"]);
  expect(await lookAt(db, 'select email from subscribers order by "row"')).toEqual(
    ["left", "ada", "bob"].map((name) => [`${name}@example.com`]),
  );
  const suppressed = file.map((email) => ({ email, reason: "manual" as const }));
  expect(await addAll(db, { rows: suppressed, by: { via: "cli" }, now })).toBe(3);
});

test("who is revived has the consent of the file alone, not with the time and place of an earlier one", async () => {
  const db = await openDb(":memory:");
  const consent = { how: "Box ticked at checkout", at: now, url: "https://shop.example/pay" };
  await subscribe(db, { email: "ada@example.com" }, { via: "api" }, now, { consent });
  await unsubscribe(db, "ada@example.com", { via: "link" }, now);
  await importAll(db, [person("ada@example.com")], { ...terms, consent: "They signed on paper" }, later);
  expect(await byEmail(db, "ada@example.com")).toMatchObject({
    consentNote: "They signed on paper",
    consentAt: null,
    consentUrl: null,
  });
});

test("a pause that a file states is no longer than one that a person may choose", async () => {
  const db = await openDb(":memory:");
  const pausedUntil = new Date(now.getTime() + 400 * 86_400_000);
  await importAll(db, [{ ...person("ada@example.com"), pausedUntil }], terms, now);
  expect((await byEmail(db, "ada@example.com"))?.pausedUntil).toEqual(new Date(now.getTime() + maxPauseMs));
});

test("who is active here and listed as unsubscribed is unsubscribed, with history, webhook and audit entry in one commit", async () => {
  const db = await openDb(":memory:");
  const by = { actor: "ada@example.com" };
  const fields = { name: "Site", url: "https://example.com/", events: [], withPeople: false };
  await endpoints.add(db, { fields, secret: "sealed" }, by, now);
  await importAll(db, [person("ada@example.com"), person("bob@example.com")], terms, now);
  await subscribe(db, { email: "pending@example.com" }, { via: "form" }, now);

  const file = [leaver("ADA@example.com"), leaver("pending@example.com"), person("bob@example.com")];
  const outcomes: Outcome[] = ["left", "left", "already"];
  const told = "select type from webhook_deliveries where type = 'subscriber.unsubscribed'";
  expect(await importAll(db, file, { ...terms, by, dryRun: true }, later)).toEqual(outcomes);
  expect([(await list.counts(db)).active, await look(db, told)]).toEqual([3, []]);
  expect(await importAll(db, file, { ...terms, by }, later)).toEqual(outcomes);

  expect(await look(db, "select email, unsubscribed_at as at from subscribers where state = 'unsubscribed'")).toEqual([
    { email: "ada@example.com", at: later.getTime() },
    { email: "pending@example.com", at: later.getTime() },
  ]);
  expect(await look(db, "select via from subscriber_events where kind = 'unsubscribed'")).toEqual([
    { via: "import" },
    { via: "import" },
  ]);
  expect(await look(db, told)).toHaveLength(2);
  expect(await look(db, "select details from audit_events where action = 'subscriber.import'")).toEqual([
    { details: '{"unsubscribed":"2"}' },
  ]);
});

test("no one is reactivated whom the file itself lists as unsubscribed", async () => {
  const db = await openDb(":memory:");
  await importAll(db, [leaver("left@example.com")], terms, now);
  expect(await importAll(db, [leaver("left@example.com")], terms, later)).toEqual(["keptUnsubscribed"]);
  expect((await byEmail(db, "left@example.com"))?.state).toBe("unsubscribed");
});

test("undoing what a manager or a mail scanner did brings back no one whom a file lists as unsubscribed", async () => {
  const db = await openDb(":memory:");
  const by = { actor: "ada@example.com" };
  const manual = ["a@example.com", "b@example.com"];
  const scanned = ["c@example.com", "d@example.com", "e@example.com"];
  await importAll(db, manual.map(person), terms, now);
  await list.unsubscribe(db, { matching: {} }, by, later);
  const scanner = { via: "link", network: "one" } as const;
  await importAll(db, scanned.map(person), terms, now);
  for (const email of scanned) await unsubscribe(db, email, scanner, later);

  const after = new Date(later.getTime() + 60_000);
  const file = [leaver("a@example.com"), leaver("c@example.com")];
  expect(await importAll(db, file, terms, after)).toEqual(["keptUnsubscribed", "keptUnsubscribed"]);
  await list.reactivate(db, { changedAt: later }, by, after);
  await restoreScanned(db, { actor: "owner@example.com" }, after);
  expect(await lookAt(db, "select email from subscribers where state = 'unsubscribed' order by email")).toEqual([
    ["a@example.com"],
    ["c@example.com"],
  ]);
});

test("someone who left of their own accord is not unsubscribed again by each file that says so", async () => {
  const db = await openDb(":memory:");
  await importAll(db, [person("a@example.com")], terms, now);
  await list.unsubscribe(db, { matching: {} }, { actor: "ada@example.com" }, now);
  await importAll(db, [person("a@example.com")], terms, now);
  await unsubscribe(db, "a@example.com", { via: "link" }, later);
  const after = new Date(later.getTime() + 60_000);
  expect(await importAll(db, [leaver("a@example.com")], terms, after)).toEqual(["keptUnsubscribed"]);
  expect((await byEmail(db, "a@example.com"))?.unsubscribedAt).toEqual(later);
  expect(await lookAt(db, "select via from subscriber_events where kind = 'unsubscribed' order by created_at")).toEqual(
    [["manager"], ["link"]],
  );
});
