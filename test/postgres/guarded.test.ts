import { expect, test } from "bun:test";
import { insertKey } from "../../db/access/keys/api-keys";
import { candidates } from "../../db/broadcasts/audience";
import {
  accepted,
  conflicting,
  failed,
  pauseSending,
  pauseSendingIn,
  postponed,
} from "../../db/broadcasts/sending/settle";
import { type ClaimedBatch, claim as claimBatches } from "../../db/broadcasts/sending/claim";
import { pauseAutomatically, promote } from "../../db/broadcasts/sending/promote";
import type { Db } from "../../db/engine/open";
import { claim } from "../../db/mail/claim";
import * as outbox from "../../db/mail/outbox";
import { openDb } from "../../db/open";
import { recipientStates } from "../../db/schema/broadcasts";
import { remove } from "../../db/newsletter/list";
import { unsubscribe } from "../../db/newsletter/subscribers";
import { erase } from "../../db/people/erase";
import * as posts from "../../db/posts/posts";
import * as projects from "../../db/projects/projects";
import { recordReport } from "../../db/provider-reports";
import { pause } from "../../db/sequences/states";
import { createCounters } from "../../src/telemetry/counters";
import { createLog } from "../../src/platform/log";
import { broadcastStage } from "../support/broadcasts/broadcasts";
import { sequenceOf, startedSequence } from "../support/broadcasts/sequences";
import { look, lookAt } from "../support/look";
import { lock, lockTable } from "../support/postgres/locks";
import { testService } from "../support/service";

/* Writes guarded by their own rows (docs/decisions/postgres.md), by two processes at the same time. */

const now = new Date("2026-11-21T12:00:00Z");

/** The same database opened twice, as by two processes. */
const both = async () => [await openDb("guarded"), await openDb("guarded")] as const;
/** Does it 20 times at the same time, by the two processes in turn. */
const atOnce = <P, T>([one, two]: readonly [P, P], work: (process: P, n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: 20 }, (_, n) => work(n % 2 ? one : two, n)));

const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
/** Begins the second while the first has not committed. @param table what the first writes last */
async function overlapping([one, two]: readonly [Db, Db], table: string, works: ((db: Db) => Promise<unknown>)[]) {
  const { all } = await two.write(async (orm) => {
    await lockTable(orm, `${table} in share mode`);
    const begun: Promise<unknown>[] = [];
    for (const work of works) {
      begun.push(work(one));
      while ((await look(two, waiting)).length < begun.length);
    }
    return { all: Promise.all(begun) };
  });
  await all;
}

test("a visitor of both processes counts once for each thing seen, in the totals and by day", async () => {
  const services = [await testService({}, "visits"), await testService({}, "visits")] as const;
  const [{ db }] = services;
  for (const slug of ["a", "b"]) await posts.save(db, { slug, title: slug, published: true }, now);
  await projects.save(db, { slug: "p", title: "P", status: "PUBLISHED", liveUrl: "https://p.example" }, now);
  const paths = ["/api/posts/a", "/api/projects/p/visit", "/api/posts/b"];
  for (let round = 1; round <= 3; round++) {
    for (const [{ get }, seen] of [
      [services[0], paths],
      [services[1], paths.toReversed()],
    ] as const)
      for (let n = 0; n < 30; n++)
        for (const path of seen) await get(path, { "user-agent": "Firefox" }, `198.51.${round}.${n}`);
    await Promise.all(services.map(({ counters }) => counters.flush()));
  }
  expect(await lookAt(db, "select views from posts union all select clicks from projects")).toEqual([[90], [90], [90]]);
  const days = "select kind, subject_id = '' as whole, count from daily_counts order by kind, whole, count";
  expect(await lookAt(db, days)).toEqual([
    ["click", false, 90],
    ["click", true, 90],
    ["view", false, 90],
    ["view", false, 90],
    ["view", true, 180],
  ]);
  for (const service of services) expect(service.db.statistics?.retries).toEqual(new Map()); // no deadlock
});

test("processes that store the last uses of the same keys do not wait for each other in a circle", async () => {
  const dbs = await both();
  const counters = dbs.map((db) =>
    createCounters({
      config: { BASE_URL: "", BLOG_URL: "", CORS_ORIGINS: new Set() },
      db,
      log: createLog("silent"),
      now: () => now,
    }),
  );
  const ids: string[] = [];
  for (let n = 0; n < 100; n++)
    ids.push((await dbs[0].write((orm) => insertKey(orm, { prefix: "site", name: "" }, now))).row.id);
  const call = { request: new Request("http://localhost/"), route: "GET /", address: "192.0.2.1" };
  const apiKey = { expiresAt: 0, scopes: 0, networks: null, uploadLimits: null, isReplaced: false, usedAt: undefined };
  for (let round = 0; round < 3; round++) {
    for (const [n, order] of [ids, ids.toReversed()].entries())
      for (const id of order) counters[n]?.keyUsed({ ...apiKey, id }, now.getTime(), call);
    await Promise.all(counters.map((each) => each.flush()));
  }
  expect(await look(dbs[0], "select distinct last_used_at from api_keys")).toEqual([{ last_used_at: now.getTime() }]);
  for (const db of dbs) expect(db.statistics?.retries).toEqual(new Map());
});

test("an email that several workers settle is settled once, and is not queued again after it was sent", async () => {
  const dbs = await both();
  for (const recipient of ["a@example.com", "b@example.com", "c@example.com"])
    await dbs[0].write((orm) => outbox.enqueue(orm, { kind: "test", recipient, payload: {} }, now));
  const claimed = await claim(dbs[0], 3, now); // in any order
  const [first, second, third] = claimed.toSorted((a, b) => (a.recipient < b.recipient ? -1 : 1));
  if (!first || !second || !third) throw new Error("They were not claimed");
  const simulated = await atOnce(dbs, (db) => outbox.simulated(db, first.id, now));
  expect(simulated.filter(Boolean)).toHaveLength(1);

  const failure = { error: "No response" };
  await atOnce(dbs, async (db, n) =>
    n === 9 ? outbox.sent(db, second.id, "re_1", now) : outbox.failed(db, second, failure, now),
  );
  const later = new Date(now.getTime() + 61_000);
  const mails = await atOnce(dbs, (db, n) =>
    n % 4 < 2 ? claim(db, 1, later) : outbox.failed(db, third, failure, later).then(() => []),
  );
  const claims = mails.flat().length; // one, unless a failure postponed it before
  const due = later.getTime() + (claims ? 60_000 : 5_000);
  const rows = `select state, attempts, case when state = 'queued' then next_attempt_at end from outbox order by recipient`;
  expect(await lookAt(dbs[0], rows)).toEqual([
    ["simulated", 1, null],
    ["sent", 1, null],
    ["queued", 1 + claims, due],
  ]);
});

test("a batch that several senders claim and settle is claimed once, and its recipients share its outcome", async () => {
  const dbs = await both();
  const stage = await broadcastStage({ db: dbs[0], people: 21 });
  const id = await stage.confirmed();
  await promote(dbs[0], undefined, now);
  const { row, cursor, ceiling } = await stage.broadcast(id);
  const found = await candidates(dbs[0], { cursor, ceiling: ceiling ?? 0 }, {}, 21);
  const by = { provider: "resend", isIdempotent: true, perBatch: 5, tokenOf: () => "" };
  const claims = await atOnce(dbs, (db) =>
    claimBatches(db, { row, cursor, segment: {} }, { ...found, isLimited: false }, by, now),
  );
  expect(claims.filter(Boolean)).toHaveLength(1);
  const batches = claims.flatMap((claimed) => claimed ?? []);
  expect(batches.map(({ count }) => count)).toEqual([5, 5, 5, 5, 1]);

  const accept = (batch: ClaimedBatch) => (db: Db) => accepted(db, batch, Array(batch.count).fill("re_1"), now);
  const fail = (batch: ClaimedBatch) => (db: Db) =>
    failed(db, batch, { error: "Too large", isBounce: false, now }, async () => {});
  const [first, second, ...rest] = batches;
  if (!first || !second) throw new Error("They were not claimed");
  await overlapping(dbs, "broadcast_recipients", [accept(first), fail(first)]);
  await overlapping(dbs, "broadcast_recipients", [fail(second), accept(second)]);
  const doubt = (batch: ClaimedBatch) => (db: Db) => conflicting(db, batch, "Another email has this key", now);
  await atOnce(dbs, (db, n) => Promise.all(rest.map((batch) => (n % 4 < 2 ? accept(batch) : doubt(batch))(db))));
  expect(await stage.broadcast(id)).toMatchObject({ claimed: 21, accepted: 16, failed: 5, uncertain: 0 });
  const { accepted: isAccepted, failed: isFailed } = recipientStates;
  const states = `select b.state, min(r.state), max(r.state) from broadcast_batches b
    join broadcast_recipients r on r.batch_row = b."row" group by b."row", b.state order by b."row"`;
  const [acceptedBatch, failedBatch] = [
    ["accepted", isAccepted, isAccepted],
    ["failed", isFailed, isFailed],
  ];
  const expected = [acceptedBatch, failedBatch, acceptedBatch, acceptedBatch, acceptedBatch];
  expect(await lookAt(dbs[0], states)).toEqual(expected);
});

/** A broadcast that is being sent to so many people, who are claimed. */
async function claimedBatch(db: Db, people = 1) {
  const stage = await broadcastStage({ db, people });
  const id = await stage.confirmed();
  await promote(db, undefined, now);
  const { row, cursor, ceiling } = await stage.broadcast(id);
  const last = (ceiling ?? 0) - people;
  const found = await candidates(db, { cursor: last, ceiling: ceiling ?? 0 }, {}, people);
  const by = { provider: "resend", isIdempotent: true, perBatch: 5, tokenOf: () => "" };
  const [batch] = (await claimBatches(db, { row, cursor, segment: {} }, { ...found, isLimited: false }, by, now)) ?? [];
  if (!batch) throw new Error("They were not claimed");
  return { id, row, batch, recipients: batch.frozen.map(([recipient, email]) => ({ recipient, email })) };
}

const deadlocks = (dbs: readonly Db[]) => dbs.map(({ statistics }) => statistics?.retries.get("40P01") ?? 0);
const eraseOne = (db: Db, email = "") =>
  erase(db, { id: crypto.randomUUID(), email, scope: ["subscription"] }, { actor: "cli", via: "cli" }, now);

test("an erasure and the outcome of the person's email never wait for each other", async () => {
  const [one, two] = await both();
  const three = await openDb("guarded");
  const { batch, recipients } = await claimedBatch(one);
  const { all } = await two.write(async (orm) => {
    await lockTable(orm, "subscriber_events in share mode"); // after the broadcasts, before the recipient
    const erasing = eraseOne(one, recipients[0]?.email);
    while ((await look(two, waiting)).length < 1);
    const accepting = accepted(three, batch, ["re_1"], now);
    while ((await look(two, waiting)).length < 2);
    return { all: Promise.all([erasing, accepting]) };
  });
  await all;
  expect(deadlocks([one, two, three])).toEqual([0, 0, 0]);
});

test("the outcome of a batch and someone in it who leaves never wait for each other", async () => {
  const [one, two] = await both();
  const three = await openDb("guarded");
  const { batch, recipients } = await claimedBatch(one, 2);
  const [first, second] = recipients;
  const { all } = await two.write(async (orm) => {
    await lock(orm, `select 1 from broadcast_recipients where "row" = ${first?.recipient} for update`);
    const accepting = accepted(one, batch, ["re_1", "re_2"], now);
    while ((await look(two, waiting)).length < 1);
    const leaving = unsubscribe(three, second?.email ?? "", { via: "link" }, now, second?.recipient);
    let hasLeft = false;
    void leaving.finally(() => (hasLeft = true));
    while (!hasLeft && (await look(two, waiting)).length < 2);
    return { all: Promise.all([accepting, leaving]) };
  });
  await all;
  expect(deadlocks([one, two, three])).toEqual([0, 0, 0]);
  expect(
    await look(one, 'select accepted, unsubscribed from broadcasts where "row" = ?', [batch.broadcastRow]),
  ).toEqual([{ accepted: 2, unsubscribed: 1 }]);
});

test("a report of a delivery and the person's erasure never wait for each other", async () => {
  const [one, two] = await both();
  const three = await openDb("guarded");
  const { batch, recipients, id } = await claimedBatch(one);
  await accepted(one, batch, ["re_1"], now);
  const [{ recipient: row, email } = { recipient: 0, email: "" }] = recipients;
  const report = { id: "evt_1", type: "email.delivered", kind: "delivered", at: now, email } as const;
  const { all } = await two.write(async (orm) => {
    await lockTable(orm, "subscriber_events in share mode"); // after the broadcasts, before the recipient
    const erasing = eraseOne(one, email);
    while ((await look(two, waiting)).length < 1);
    const reporting = recordReport(three, { ...report, recipient: { broadcastId: id, row } }, now);
    while ((await look(two, waiting)).length < 2);
    return { all: Promise.all([erasing, reporting]) };
  });
  await all;
  expect(deadlocks([one, two, three])).toEqual([0, 0, 0]);
});

test("who leaves by the link of an email and a complaint about it never wait for each other", async () => {
  const [one, two] = await both();
  const three = await openDb("guarded");
  const { batch, recipients, id } = await claimedBatch(one);
  await accepted(one, batch, ["re_1"], now);
  const [{ recipient: row, email } = { recipient: 0, email: "" }] = recipients;
  const report = { id: "evt_2", type: "email.complained", kind: "complained", at: now, email } as const;
  const { all } = await two.write(async (orm) => {
    await lockTable(orm, "subscriber_events in share mode"); // after the person, before the figures
    const leaving = unsubscribe(one, email, { via: "link" }, now, row);
    while ((await look(two, waiting)).length < 1);
    const reporting = recordReport(three, { ...report, recipient: { broadcastId: id, row } }, now);
    while ((await look(two, waiting)).length < 2);
    return { all: Promise.all([leaving, reporting]) };
  });
  await all;
  expect(deadlocks([one, two, three])).toEqual([0, 0, 0]);
  expect(await look(one, "select complained, unsubscribed from broadcasts where id = ?", [id])).toEqual([
    { complained: 1, unsubscribed: 1 },
  ]);
});

test("a manager who pauses a sequence and a pause by itself never wait for each other", async () => {
  const [one, two] = await both();
  const three = await openDb("guarded");
  const { id, emails } = await startedSequence(one, now, { name: "Paused twice" });
  const { all } = await two.write(async (orm) => {
    await lockTable(orm, "audit_events in share mode"); // after what is changed first
    const byManager = pause(one, await sequenceOf(two, id), { actor: "a@example.com" }, now);
    while ((await look(two, waiting)).length < 1);
    const byItself = pauseAutomatically(three, emails[0] ?? "", { reason: "credentials", notify: undefined }, now);
    while ((await look(two, waiting)).length < 2);
    return { all: Promise.all([byManager, byItself]) };
  });
  await all;
  expect(deadlocks([one, two, three])).toEqual([0, 0, 0]);
  expect((await sequenceOf(one, id)).state).toBe("paused");
});

test("two refusals that pause all broadcasts never wait for each other", async () => {
  const dbs = await both();
  const claimed = [await claimedBatch(dbs[0]), await claimedBatch(dbs[0])];
  const until = new Date(now.getTime() + 60_000);
  const refusal = { error: "Too many requests", at: until, now };
  const arrived: (() => void)[] = [];
  await Promise.all(
    claimed.map(({ batch }, n) =>
      postponed(dbs[n ? 1 : 0], batch, refusal, async (orm) => {
        await new Promise<void>((goOn) => {
          arrived.push(goOn);
          if (arrived.length >= 2) for (const each of arrived) each();
        });
        await pauseSendingIn(orm, until, "rate");
      }),
    ),
  );
  expect(deadlocks(dbs)).toEqual([0, 0]);
  const paused = await look(dbs[0], "select rest_reason from broadcasts where rest_until is not null");
  expect(paused.length).toBeGreaterThanOrEqual(2);
});

test("whoever changes several broadcasts locks them in the order of their numbers", async () => {
  const [one, two] = await both();
  const { row: first, ...other } = await claimedBatch(one);
  const { row: second, recipients } = await claimedBatch(one);
  const inBoth = await look<{ id: string; row: number }>(
    one,
    'select subscribers.id, subscribers."row" from subscribers where email = ?',
    [other.recipients[0]?.email ?? ""],
  );
  await look(one, "update broadcast_recipients set subscriber_row = ? where broadcast_row in (?, ?)", [
    inBoth[0]?.row ?? 0,
    first,
    second,
  ]);
  await look(
    one,
    `do $$ begin execute format('alter database %I set enable_sort = off', current_database());
    execute format('alter database %I set enable_nestloop = off', current_database()); end $$`,
  ); // a plan without order, as for many rows
  const three = await openDb("guarded");
  const works: [string, (db: Db) => Promise<unknown>][] = [
    ["a pause of all", (db) => pauseSending(db, new Date(now.getTime() + 120_000), "rate")],
    ["an erasure", (db) => eraseOne(db, recipients[0]?.email)],
    ["a deletion of several", (db) => remove(db, { ids: inBoth.map(({ id }) => id) }, { actor: "a@example.com" }, now)],
  ];
  for (const [name, work] of works) {
    await look(two, 'update broadcasts set subject = subject where "row" = ?', [first]); // it now stands behind the other
    const { all, free } = await two.write(async (orm) => {
      await lock(orm, `select 1 from broadcasts where "row" = ${first} for update`);
      const working = work(three);
      while ((await look(two, waiting)).length < 1);
      const isFree = 'select "row" from broadcasts where "row" = ? for update skip locked';
      return { all: working, free: await look(two, isFree, [second]) };
    });
    expect([name, free]).toEqual([name, [{ row: second }]]);
    await all;
  }
});
