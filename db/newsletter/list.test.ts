import { expect, test } from "bun:test";
import { look, lookAt } from "../../test/support/look";
import { countQuestions } from "../../test/support/questions";
import { openDb } from "../open";
import * as endpoints from "../webhooks/endpoints";
import { expirePending } from "./pending";
import { confirmByHand } from "./confirm";
import { importAll } from "./import";
import * as list from "./list";

const by = { actor: "ada@example.com" };
const now = new Date("2026-11-22T12:00:00Z");
const emails = Array.from({ length: 300 }, (_, n) => `p${n}@example.com`);
const count = emails.length;
const everyone = { matching: {} };
const facts = { source: null, state: "active" as const, createdAt: now };
const people = emails.map((email, n) => ({ ...facts, email, name: `P ${n}` }));

test("a bulk action asks the database a few questions, however many people it changes, and reports each", async () => {
  const db = await openDb(":memory:");
  const endpoint = { name: "Blog", url: "https://example.com/", events: [], withPeople: true };
  await endpoints.add(db, { fields: endpoint, secret: "sealed" }, by, now);
  await importAll(db, people, { revive: false, origin: { via: "import" } }, now);
  const done: unknown[] = [];
  const acts = {
    unsubscribed: () => list.unsubscribe(db, everyone, by, now),
    reactivated: () => list.reactivate(db, everyone, by, now),
    confirmed: () => confirmByHand(db, { selection: everyone, why: "They said so" }, by, now),
    expired: () => expirePending(db, now),
    deleted: () => list.remove(db, everyone, by, now),
  };
  for (const [kind, act] of Object.entries(acts)) {
    if (kind === "confirmed") await look(db, "update subscribers set pending_at = 1, unsubscribed_at = null");
    if (kind === "expired") await look(db, "update subscribers set pending_at = 1 where email < 'p2'");
    if (kind === "expired") await look(db, "update subscribers set unsubscribed_at = 1 where email >= 'p15'");
    const asked = await countQuestions(async () => done.push((await act()).count));
    expect(asked).toBeLessThan(12);
  }
  const [expired, gone] = ["p2", "p15"].map((end) => emails.filter((email) => email < end).length) as [number, number];
  expect(done).toEqual([count, count, count, expired, count - gone]);
  expect(await look(db, "select id from subscribers")).toEqual([]);

  const events = "select kind, count(*) from subscriber_events group by kind order by kind";
  expect(await lookAt(db, events)).toEqual([
    ["confirmed", count],
    ["deleted", count - gone],
    ["expired", expired],
    ["imported", count],
    ["reactivated", count],
    ["unsubscribed", count],
  ]);
  const bodies = (await lookAt<[string]>(db, "select body from webhook_deliveries order by id")).map(([body]) => body);
  const told = bodies.map(
    (body) => JSON.parse(body) as { type: string; data: { email: string; name: string; via: string } },
  );
  for (const type of ["unsubscribed", "reactivated", "confirmed"])
    expect(
      told
        .filter((one) => one.type === `subscriber.${type}` && one.data.via === "manager")
        .map(({ data }) => data.email),
    ).toEqual(emails);
  // Who had left before is unsubscribed again; nobody knows the others any more
  const ended = (type: string) => told.filter((one) => one.type === type && one.data.via === "confirm").length;
  expect([ended("subscriber.deleted"), ended("subscriber.unsubscribed")]).toEqual([gone, expired - gone]);
  expect(told).toHaveLength(4 * count - gone + expired);
  expect(told.at(-1)).toMatchObject({ type: "subscriber.deleted", data: { email: emails.at(-1), name: "P 299" } });
  const entries = "select action, details from audit_events where action like 'subscriber.%' order by id";
  expect((await lookAt(db, entries)).map(([action]) => action)).toEqual(
    ["unsubscribe", "reactivate", "confirm", "delete"].map((verb) => `subscriber.${verb}`),
  );
});
