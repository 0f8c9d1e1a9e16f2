import { expect, test } from "bun:test";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import * as signInLinks from "../../db/access/sign-in-links";
import { removeManager } from "../../db/manager-removal";
import * as managers from "../../db/access/managers";
import * as submissions from "../../db/contact/submissions";
import { admit, lease } from "../../db/broadcasts/sending/lease";
import { promote } from "../../db/broadcasts/sending/promote";
import { sendAgain } from "../../db/mail/list";
import { claim } from "../../db/mail/claim";
import { lockUntilCommit } from "../../db/engine/dialects";
import * as outbox from "../../db/mail/outbox";
import { remind, sendNewLink } from "../../db/newsletter/confirm";
import { importAll } from "../../db/newsletter/import";
import { remove, unsubscribe } from "../../db/newsletter/list";
import * as subscribers from "../../db/newsletter/subscribers";
import type { Orm } from "../../db/engine/open";
import { lockTopic } from "../../db/engine/versions";
import { openDb } from "../../db/open";
import * as posts from "../../db/posts/edit";
import * as settings from "../support/settings";
import * as folders from "../../db/storage/folders";
import * as reservations from "../../db/storage/reservations";
import * as storageNodes from "../../db/storage/nodes/nodes";
import { suppress } from "../../db/suppressions/suppressions";
import { erasePerson } from "../../db/people/erasures";
import { WorkFinder } from "../../src/broadcasts/work";
import { broadcastStage } from "../support/broadcasts/broadcasts";
import { look, lookAt } from "../support/look";
import { lock, lockTable, mayIdle } from "../support/postgres/locks";
import { temporaryFolder } from "../support/processes";

if (!process.env.TEST_DATABASE_URL) throw new Error("Races are those of PostgreSQL: npm run test:postgres"); // a file otherwise

/** The same database opened twice, as by two processes. */
const both = async () => [await openDb("races"), await openDb("races")] as const;
type Db = Awaited<ReturnType<typeof openDb>>;

const now = new Date("2026-11-22T12:00:00Z");
/** The requests that come later have earlier clocks. */
const earlier = (milliseconds: number) => new Date(now.getTime() - milliseconds);
const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
const form = { via: "form" } as const;
const by = { actor: "test" };
const endpoint = "http://127.0.0.1:9";
const place = { name: "n", endpoint, publicEndpoint: endpoint, region: "r", bucket: "b", accessKey: "a", secret: "s" };
const device = (n: number) => ({ hash: `h${n}`, address: "192.0.2.1", userAgent: null, isKnown: true });

/** Does it `count` times at the same time, by the two processes in turn. Reports failures. */
const atOnce = async <T>(count: number, [one, two]: readonly [Db, Db], work: (db: Db, n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n % 2 ? one : two, n)));

test("of 100 simultaneous subscribes of one address, one succeeds: one row, one email, one in the count", async () => {
  const dbs = await both();
  const results = await atOnce(100, dbs, (db) => subscribers.subscribe(db, { email: "Ada@Example.com" }, form, now));
  expect(results.filter(({ changed }) => changed)).toHaveLength(1);
  const counts = `select (select count(*) from subscribers) a, (select count(*) from outbox) b, (select count(*) from subscriber_events) c, (select sum(count) from subscriber_counts where state = 'active') d`;
  expect((await lookAt(dbs[0], counts))[0]?.map(Number)).toEqual([1, 1, 1, 1]);

  const left = await atOnce(20, dbs, (db) => subscribers.unsubscribe(db, "ada@example.com", form, now));
  expect(left.filter(({ outcome }) => outcome === "unsubscribed")).toHaveLength(1);
  expect((await lookAt(dbs[0], counts))[0]?.map(Number)).toEqual([1, 1, 2, 0]);
});

test("a new address that is suppressed while it subscribes ends suppressed", async () => {
  const [one, two] = await both();
  const email = "ada@example.com";
  const { all } = await two.write(async (orm) => {
    await lockTable(orm, "outbox in access exclusive mode"); // subscribing stops before its email
    const subscribing = subscribers.subscribe(one, { email }, form, now);
    while ((await look(two, waiting)).length < 1);
    let isOver = false;
    const suppressing = one
      .write((orm) => suppress(orm, { email, reason: "bounce" }, { via: "provider" }, now))
      .finally(() => (isOver = true));
    while ((await look(two, waiting)).length < 2 && !isOver);
    return { all: Promise.all([subscribing, suppressing]) };
  });
  expect(await all).toMatchObject([{ changed: true }, true]);
  const state = `select state, suppressed_at is not null as "isSuppressed" from subscribers`;
  expect(await look(one, state)).toEqual([{ state: "active", isSuppressed: true }]);
  expect((await subscribers.subscribe(one, { email: "bob@example.com" }, form, now)).changed).toBe(true);
  const sum = "select cast(sum(count) as int) as n from subscriber_counts where state = 'active'";
  expect(await look(one, sum)).toEqual([{ n: 2 }]);
});

test("links to confirm are counted exactly, however many of a mailbox's spellings ask for one simultaneously", async () => {
  const [one, two] = await both();
  await settings.set(one, "doubleOptIn", "true", { by: "test" }, now);
  const emails = ["ada@example.com", "ada+news@example.com"] as const;
  for (const email of emails) await subscribers.subscribe(one, { email }, form, now);
  const sent = async () => (await look(one, "select id from outbox where kind = 'confirm'")).length;
  expect(await sent()).toBe(1);

  const ids = (await lookAt<[string]>(one, "select id from subscribers")).flat();
  const late = (minutes: number) => new Date(now.getTime() + minutes * 60_000);
  /** Subscribes again at that moment, and does something else while that counts. */
  const besideSubscribing = async (at: Date, work: () => Promise<unknown>) => {
    const { all } = await two.write(async (orm) => {
      await lockTable(orm, "outbox in access exclusive mode");
      const subscribing = subscribers.subscribe(one, { email: emails[0] }, form, at);
      while ((await look(two, waiting)).length < 1);
      const working = work();
      while ((await look(two, waiting)).length < 2);
      return { all: Promise.all([subscribing, working]) };
    });
    await all;
  };
  await besideSubscribing(late(11), () => sendNewLink(one, emails[1], form, late(10.9)));
  expect(await sent()).toBe(2);
  await besideSubscribing(late(22), () => remind(one, { ids }, by, late(21.9)));
  expect(await sent()).toBe(3);

  const tomorrow = late(25 * 60);
  await atOnce(24, [one, two], async (db, n) => {
    const email = emails[n % 4 < 2 ? 0 : 1];
    if (n % 3 === 0) await subscribers.subscribe(db, { email }, form, tomorrow);
    else if (n % 3 === 1) await sendNewLink(db, email, form, tomorrow);
    else await remind(db, { ids }, by, tomorrow);
  });
  expect(await sent()).toBe(4);

  await besideSubscribing(late(26 * 60), () => remove(one, { ids }, by, late(26 * 60)));
  for (const email of emails) await subscribers.subscribe(one, { email }, form, late(26 * 60 + 1));
  expect(await sent()).toBe(5); // the emails of those who are gone count
});

test("a serializable transaction cannot take the lock of a count: what it reads is older", async () => {
  const [one] = await both();
  const locking = async (orm: Orm) => lockUntilCommit(orm)(orm, "mailbox", "ada@example.com");
  await one.write(locking, { guarded: true });
  expect(await one.write(locking).catch(({ errno }) => errno as string)).toBe("22P02");
});

test("a welcome email that is sent again and a new one are counted together", async () => {
  const [one, two] = await both();
  const email = "ada@example.com";
  await subscribers.subscribe(one, { email }, form, now);
  await look(one, "update outbox set state = 'dead'");
  await subscribers.unsubscribe(one, email, form, now);
  const tomorrow = earlier(-25 * 3_600_000);
  const [[id] = [""]] = await lookAt<[string]>(one, "select id from outbox");
  const { all } = await two.write(async (orm) => {
    await lockTable(orm, "outbox in share mode"); // both have counted when they wait, unless one counts first
    const subscribing = subscribers.subscribe(one, { email }, form, tomorrow);
    while ((await look(two, waiting)).length < 1);
    const repeating = sendAgain(one, id, by, tomorrow);
    while ((await look(two, waiting)).length < 2);
    return { all: Promise.all([subscribing, repeating]) };
  });
  expect(await all).toMatchObject([{ changed: true }, { outcome: "capped" }]);
  expect(await look(one, "select id from outbox")).toHaveLength(2);
});

test("a bulk action on people who are leaving at the same time changes each of them once", async () => {
  const [one, two] = await both();
  const people = Array.from({ length: 300 }, (_, n) => ({ email: `p${n}@example.com`, name: null, source: null }));
  const active = people.map((person) => ({ ...person, state: "active" as const, createdAt: now }));
  await importAll(one, active, { revive: false, origin: { via: "import" } }, now);
  let isOver = false;
  const leaving = Promise.all(
    Array.from({ length: 4 }, async (_, lane) => {
      const left = { unsubscribed: 0, already: 0, unknown: 0 };
      for (let n = lane; n < people.length && !isOver; n += 4)
        left[(await subscribers.unsubscribe(two, `p${n}@example.com`, { via: "link" }, now)).outcome]++;
      return left;
    }),
  );
  while (!(await look(two, "select id from subscribers where state = 'unsubscribed' limit 1")).length);
  const { count } = await unsubscribe(one, { matching: {} }, by, now).finally(() => (isOver = true));
  const lanes = await leaving;
  const sumOf = (outcome: "unsubscribed" | "already") => lanes.reduce((sum, left) => sum + left[outcome], 0);
  const alone = sumOf("unsubscribed");
  expect(count + alone).toBe(people.length);
  const events = "select count(*) from subscriber_events where kind = 'unsubscribed' and via = ";
  expect(await lookAt(one, `${events}'manager' union all ${events}'link'`)).toEqual([
    [count],
    [alone + sumOf("already")],
  ]); // who leaves after the manager's action has left as well
  const sum = "select cast(sum(count) as int) as n from subscriber_counts where state = 'unsubscribed'";
  expect(await look(one, sum)).toEqual([{ n: people.length }]);
  expect((await remove(one, { matching: {} }, by, now)).count).toBe(people.length);
});

test("someone who is erased while a batch claims them is not in it afterwards", async () => {
  const [one, two] = await both();
  using folder = temporaryFolder();
  const stage = await broadcastStage({ db: one, people: 3 });
  await stage.confirmed();
  const what = { email: "p2@example.com", scope: ["subscription" as const, "messages" as const] };
  const { all } = await two.write(async (orm) => {
    await lockTable(orm, "broadcast_recipients in share mode"); // claims wait once they have read the people
    const sending = stage.sender().drain();
    while (!(await look(two, `${waiting} and query ilike '%insert into %broadcast_recipients%'`)).length);
    let isOver = false;
    const log = join(folder.path, "erasures.log");
    const erasing = erasePerson(one, log, what, { actor: "cli", via: "cli" }, stage.now());
    const over = erasing.finally(() => (isOver = true));
    while (!(await look(two, `${waiting} and query ilike 'select%from "broadcasts"%for update%'`)).length && !isOver);
    return { all: Promise.all([over, sending]) };
  });
  const rows = 'select subscriber_row from broadcast_recipients order by broadcast_recipients."row"';
  const left = (await all, await lookAt(one, rows)).flat();
  const broadcasts = left.length - 2; // none, if a slow machine let the claim's wait for the lock time out
  expect(await all).toMatchObject([{ counts: { subscriptions: 1, broadcasts } }, undefined]);
  expect(left).toEqual(broadcasts ? [1, null, 3] : [1, 3]);
});

test("a network that opens the links of three people simultaneously is marked as a scanner", async () => {
  const [one, two, three] = [...(await both()), await openDb("races")]; // one process has few transactions at a time
  for (let round = 1; round <= 8; round++) {
    const emails = [1, 2, 3].map((n) => `p${n}@${round}.example.com`);
    for (const email of emails) await subscribers.subscribe(one, { email }, form, now);
    const link = { via: "link", network: `192.0.2.${round}` } as const;
    const { all } = await two.write(async (orm) => {
      await lockTable(orm, "subscriber_events in share mode");
      const leaving = emails.map((email, n) => subscribers.unsubscribe(n ? one : three, email, link, now));
      while ((await look(two, waiting)).length < emails.length);
      return { all: Promise.all(leaving) };
    });
    await all;
    expect(await look(one, "select id from subscriber_events where probable_scanner = 1")).toHaveLength(3 * round);
  }
});

test("a hard cap on new subscribers is exact", async () => {
  const dbs = await both();
  await settings.set(dbs[0], "newSubscribersPerHour", "10", { by: "test" }, now);
  const results = await atOnce(40, dbs, (db, n) =>
    subscribers.subscribe(db, { email: `n${n}@example.com` }, form, earlier(n)),
  );
  expect(results.filter(({ changed }) => changed)).toHaveLength(10);
});

test("a message sent many times simultaneously is stored once", async () => {
  const dbs = await both();
  const message = { name: "Ada", email: "ada@example.com", message: "Hello, how are you?", source: "site" };
  const results = await atOnce(20, dbs, (db) =>
    submissions.submit(db, message, { recipient: "owner@example.com" }, now),
  );
  expect(results.filter(({ outcome }) => outcome === "stored")).toHaveLength(1);
  expect(await look(dbs[0], "select id from messages")).toHaveLength(1);
  expect(await look(dbs[0], "select id from outbox")).toHaveLength(1);
});

test("a message quarantined while its summary is claimed is in another one", async () => {
  const [one, two] = await both();
  await settings.set(one, "messagesPerHourBeforeQuarantine", "1", { by: "test" }, now);
  const submit = (n: number) => {
    const message = { name: "Ada", email: "ada@example.com", message: `Letter ${n}`, source: "site" };
    return submissions.submit(one, message, { recipient: "owner@example.com" }, now);
  };
  for (const n of [1, 2]) await submit(n);
  const { submitting } = await two.write(async (orm) => {
    await lockTable(orm, "messages in share mode");
    const submitting = submit(3);
    while ((await look(two, waiting)).length < 1);
    expect((await claim(two, 10, now)).map(({ kind }) => kind).sort()).toEqual(["contact", "quarantine"]);
    return { submitting };
  });
  expect(await submitting).toMatchObject({ outcome: "stored" });
  const summaries = "select attempts from outbox where kind = 'quarantine' order by attempts";
  expect(await lookAt(one, summaries)).toEqual([[0], [1]]);
});

test("two workers claim each email once, and no more to strangers than the hourly limit", async () => {
  const dbs = await both();
  await settings.set(dbs[0], "emailsToStrangersPerHour", "60", { by: "test" }, now);
  for (let n = 0; n < 200; n++)
    await dbs[0].write((orm) => {
      const mail = { kind: n % 2 ? ("test" as const) : ("welcome" as const), recipient: `r${n}@example.com` };
      return outbox.enqueue(orm, { ...mail, payload: {} }, earlier(1_000));
    });
  const claimed = (await atOnce(40, dbs, (db, n) => claim(db, 10, earlier(n)))).flat();
  expect(new Set(claimed.map(({ id }) => id)).size).toBe(claimed.length);
  expect(claimed.filter(({ kind }) => kind === "test")).toHaveLength(100);
  expect(claimed.filter(({ kind }) => kind === "welcome")).toHaveLength(60);
});

test("two senders of two broadcasts claim no more than the hourly limit", async () => {
  const [one, two] = await both();
  const stage = await broadcastStage({ db: one, people: 60 });
  await settings.set(one, "broadcastEmailsPerHour", "30", { by: "test" }, now);
  for (let n = 0; n < 2; n++) await stage.confirmed();
  await promote(one, undefined, stage.now());
  const batches = "select broadcast_row, count from broadcast_batches order by count, broadcast_row";
  const sender = (db: Db, clock = stage.now()) => {
    const finder = new WorkFinder();
    const by = { provider: "simulated", isIdempotent: true, tokenOf: (email: string) => email };
    return (maxBatch: number) =>
      finder.next({ db, by, maxBatch, notify: undefined, now: clock }, { requests: 1, mayClaim: true, isProbe: false });
  };
  const [first, second] = [sender(one, new Date(stage.now().getTime() + 5)), sender(two)];
  await second(10); // of the first broadcast, so the other one is next
  const { all } = await two.write(async (orm) => {
    await lockTable(orm, "broadcast_batches in share mode"); // claims wait once they have counted
    const claiming = first(20);
    while ((await look(two, waiting)).length < 1);
    const alsoClaiming = second(20);
    while ((await look(two, waiting)).length < 2);
    return { all: Promise.all([claiming, alsoClaiming]) };
  });
  expect((await all).map(({ jobs }) => jobs.length)).toEqual([1, 0]);
  expect((await lookAt(one, batches)).map(([, count]) => count)).toEqual([10, 20]);
  await atOnce(8, [one, two], (db, n) => (db === one ? first : second)(n + 1));
  expect(await lookAt(one, batches)).toHaveLength(2);
  expect(await lookAt(one, "select distinct rest_reason from broadcasts")).toEqual([["hourly-limit"]]);
});

test("two senders that send again send no more than the hourly limit", async () => {
  const [one, two] = await both();
  const stage = await broadcastStage({ db: one, people: 60 });
  for (let n = 0; n < 2; n++) await stage.confirmed();
  await promote(one, undefined, stage.now());
  await settings.set(one, "broadcastEmailsPerHour", "30", { by: "test" }, now);
  await look(
    one,
    `insert into broadcast_batches (broadcast_row, first_recipient, last_recipient, count, next_attempt_at, created_at)
     select b."row", 1, 60, 5, 0, 0 from broadcasts b, generate_series(1, 12)`,
  );
  const rows = await look<{ row: number }>(one, 'select "row" from broadcasts order by "row"');
  const how = { limit: 2, isProbe: false };
  const by = { provider: "simulated", isIdempotent: true, perBatch: 5, tokenOf: (email: string) => email };
  const attempt = async (db: Db, n: number) => {
    const row = rows[n % 2]?.row ?? 0;
    const admission = await admit(db, row, how, stage.now());
    await lease(db, { sending: { row, cursor: 0, segment: {} }, ...how, among: admission.rows }, by, stage.now());
    return admission;
  };
  const admitted = await atOnce(24, [one, two], attempt); // a batch that another locks is skipped
  for (let n = 0; n < 12; n++) admitted.push(await attempt(one, n));
  const distinct = new Set(admitted.flatMap((each) => each.rows));
  expect(distinct.size * 5).toBe(30);
  expect(admitted.some(({ fullUntil }) => fullUntil)).toBe(true);
});

test("a worker that claims emails does not wait for another one", async () => {
  const [one, two] = await both();
  const queue = async (orm: Orm, n: number) =>
    outbox.enqueue(orm, { kind: "test", recipient: `r${n}@example.com`, payload: {} }, now);
  for (let n = 0; n < 4; n++) await one.write((orm) => queue(orm, n));
  const claimed = await two.write(async (orm) => {
    await lock(orm, "select id from outbox order by next_attempt_at, id limit 3 for update");
    return claim(one, 10, now);
  });
  expect(claimed.map(({ recipient }) => recipient)).toEqual(["r3@example.com"]);
  expect(await claim(two, 10, now)).toHaveLength(3);
});

test("a folder is not removed while an upload begins somewhere in it", async () => {
  const [one, two] = await both();
  await storageNodes.register(one, { ...place, capacityBytes: 100_000, maxPutBytes: 1e9 } as never);
  await folders.create(one, "a", by, now);
  const { all } = await two.write(async (orm) => {
    await lockTable(orm, "uploads in share mode");
    const upload = { filename: "f", mimeType: "a/b", size: 1_000, folderPath: "a/b" };
    const reserving = reservations.reserve(one, upload, { tried: [] }, now);
    while ((await look(two, waiting)).length < 1);
    const removing = folders.remove(one, "a", by, now);
    while ((await look(two, waiting)).length < 2);
    return { all: Promise.all([reserving, removing]) };
  });
  expect(await all).toMatchObject([{ outcome: "reserved" }, "not empty"]);
  expect((await lookAt(one, "select path from folders order by path")).flat()).toEqual(["", "a", "a/b"]);
});

test("reservations fill a node to the last byte and not beyond", async () => {
  const dbs = await both();
  await storageNodes.register(dbs[0], { ...place, capacityBytes: 100_000, maxPutBytes: 1e9 } as never);
  const results = await atOnce(120, dbs, (db, n) =>
    reservations.reserve(
      db,
      { filename: `f${n}`, mimeType: "a/b", size: 1_000, folderPath: "x/y" },
      { tried: [] },
      now,
    ),
  );
  expect(results.filter(({ outcome }) => outcome === "reserved")).toHaveLength(100);
  expect(results.filter(({ outcome }) => outcome === "full")).toHaveLength(20);
  expect(await look(dbs[0], "select reserved_bytes as reserved from storage_nodes")).toEqual([{ reserved: 100_000 }]);
});

test("the setup links that two processes print create one owner, however many use them simultaneously", async () => {
  const dbs = await both();
  const hashes = ["one", "two"];
  const expiresAt = new Date(now.getTime() + 60_000);
  await atOnce(2, dbs, (db, n) => signInLinks.createSetup(db, { hash: hashes[n] ?? "", expiresAt }, now));
  const found = () => Promise.all(hashes.map((hash) => signInLinks.find(dbs[0], hash, now)));
  expect(await found()).toEqual([{ purpose: "setup" }, { purpose: "setup" }]);
  const person = (n: number) => ({ email: `o${n}@example.com`, name: "Owner", passwordHash: "x" });
  const made = await atOnce(10, dbs, (db, n) =>
    signInLinks.signUp(
      db,
      { link: { hash: hashes[n % 2] ?? "", purpose: "setup" }, person: person(n) },
      device(n),
      now,
    ),
  );
  expect(made.filter(Boolean)).toHaveLength(1);
  expect(await look(dbs[0], "select id from managers")).toHaveLength(1);
  expect(await found()).toEqual([undefined, undefined]);
});

test("of two owners who remove each other simultaneously, one stays", async () => {
  const dbs = await both();
  const person = (email: string) => ({ email, name: "", role: "owner" as const, passwordHash: "x" });
  const [ada, bob] = await dbs[0].write(async (orm) => [
    await managers.create(orm, person("ada@example.com"), now),
    await managers.create(orm, person("bob@example.com"), now),
  ]);
  if (!ada || !bob) throw new Error("They were not made");
  await Promise.all([
    removeManager(dbs[0], { actingManager: ada, id: bob.id, keep: new Set() }, by, now),
    removeManager(dbs[1], { actingManager: bob, id: ada.id, keep: new Set() }, by, now),
  ]);
  expect(await look(dbs[0], "select id from managers")).toHaveLength(1);
});

test("a save waits for a bulk action before it locks what that changes, so that neither waits for the other", async () => {
  const [one, two] = await both();
  const fields = { title: "T", slug: "t", excerpt: "", content: "c", author: "", coverImage: "", tags: [] };
  const made = await posts.create(one, { ...fields, published: false } as never, by, now);
  if (made.outcome !== "saved") throw new Error("It was not saved");
  const edited = { id: made.post.id, version: made.post.version, typed: { fields: {}, content: "" } };
  const { all } = await two.write(async (orm) => {
    await mayIdle(orm);
    await lockTopic(orm, "posts");
    const saving = posts.edit(one, { ...edited, fields: { ...fields, title: "New" } as never }, by, now);
    while ((await look(two, waiting)).length < 1);
    await orm.run(sql`update posts set views = 7`);
    return { all: saving };
  });
  expect(await all).toMatchObject({ outcome: "saved", post: { title: "New", views: 7 } });
  expect([one, two].map(({ statistics }) => statistics?.retries.get("40P01"))).toEqual([undefined, undefined]);
});

test("of several who save the same version of a post, one succeeds, and a slug is assigned once", async () => {
  const dbs = await both();
  const fields = {
    title: "T",
    slug: "t",
    excerpt: "",
    content: "c",
    author: "",
    coverImage: "",
    tags: [],
    published: true,
  };
  const made = await atOnce(8, dbs, (db) => posts.create(db, fields as never, by, now));
  expect(made.filter(({ outcome }) => outcome === "saved")).toHaveLength(1);
  expect(await look(dbs[0], "select id from posts where slug = 't'")).toHaveLength(1);
});
