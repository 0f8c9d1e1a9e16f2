import { expect, test } from "bun:test";
import { broadcastStage } from "../../test/support/broadcasts/broadcasts";
import { testService } from "../../test/support/service";
import { promote } from "../broadcasts/sending/promote";
import { openDb } from "../open";
import { resetFutureTimes } from "./clock";
import * as idempotency from "../idempotency";
import * as submissions from "../contact/submissions";
import { claim, isDue } from "../mail/claim";
import * as outbox from "../mail/outbox";
import * as attempts from "../webhooks/attempts";
import * as endpoints from "../webhooks/endpoints";
import { look } from "../../test/support/look";

const day = 86_400_000;
const now = new Date("2026-11-21T12:00:00Z");
const ahead = new Date(now.getTime() + 400 * day);
const ada = { email: "ada@example.com" };

test("an email queued while the clock was ahead is sent now, and a retry waits at most eight hours", async () => {
  const db = await openDb(":memory:");
  await db.write(async (orm) => {
    for (const recipient of ["a@example.com", "b@example.com"])
      await outbox.enqueue(orm, { kind: "test", recipient, payload: {} }, recipient < "b" ? ahead : now);
  });
  const [taken] = await claim(db, 1, now);
  if (!taken) throw new Error("nothing is due");
  await outbox.failed(db, taken, { error: "busy", isRefused: true }, ahead); // the clock jumped in between
  expect(await isDue(db, now)).toBe(false);

  await resetFutureTimes(db, now);
  expect((await claim(db, 10, now)).map(({ recipient }) => recipient).sort()).toEqual([
    "a@example.com",
    "b@example.com",
  ]);
});

test("correct times are left alone", async () => {
  const db = await openDb(":memory:");
  await db.write((orm) => outbox.enqueue(orm, { kind: "test", recipient: ada.email, payload: {} }, now));
  const [mail] = await claim(db, 1, now);
  if (!mail) throw new Error("nothing is due");
  await outbox.failed(db, mail, { error: "busy", retryAfterSeconds: 8 * 3_600 }, now);
  await resetFutureTimes(db, now);
  expect(await isDue(db, new Date(now.getTime() + 7 * 3_600_000))).toBe(false);
});

test("a welcome email from the future does not use up the cap on welcome emails", async () => {
  const { clock, db, post } = await testService();
  const right = clock.time;
  clock.time += 400 * day;
  await post("/api/newsletter/subscribe", ada);
  clock.time = right;
  await look(db, "update subscribers set state = 'unsubscribed'");
  await post("/api/newsletter/subscribe", ada);
  expect((await look(db, "select count(*) n from outbox where kind = 'welcome'"))[0]).toEqual({ n: 2 });
});

test("neither the same message nor its Idempotency-Key counts from the future", async () => {
  const db = await openDb(":memory:");
  const hello = { ...ada, name: "Ada", message: "Hello, good morning.", source: "landing" };
  const submit = (at: Date) => submissions.submit(db, hello, { idempotencyKey: "k" }, at);
  const outcomes = [await submit(ahead), await submit(now), await submit(now)].map(({ outcome }) => outcome);
  expect(outcomes).toEqual(["stored", "stored", "repeated"]);
  expect(await db.write(async (orm) => (await idempotency.recall(orm, "k", now))?.createdAt)).toEqual(now);
});

test("a storage node paused until next year is called again", async () => {
  const { db, now: rightNow, storage } = await testService();
  const reserve = () => storage.reserve({ filename: "a", mimeType: "text/plain", folderPath: "", size: 1 });
  await reserve(); // registers the node
  await look(db, "update storage_nodes set failures = 3, down_until = ?", [rightNow().getTime() + 400 * day]);
  expect(await reserve()).toMatchObject({ method: "PUT" });
});

test("a rejection dated in the future keeps no upload from that node", async () => {
  const { db, now: rightNow, storage } = await testService();
  const reserve = () =>
    storage.reserve({ filename: "a", mimeType: "text/plain", folderPath: "", size: 1, apiKeyId: "k" });
  await reserve();
  const [at, then] = [rightNow().getTime(), rightNow().getTime() + 400 * day];
  const refused = "update uploads set state = 'aborted', outcome = 'refused', created_at = ?, next_check_at = ?";
  await look(db, refused, [at, at]);
  expect(await reserve()).toBe("full");
  await look(db, refused, [then, then]);
  expect(await reserve()).toMatchObject({ method: "PUT" });
});

test("an upload reserved in the future is checked now, and its space is freed in time", async () => {
  const { clock, db, storage } = await testService();
  const right = clock.time;
  clock.time += 400 * day;
  const grant = await storage.reserve({ filename: "a", mimeType: "text/plain", folderPath: "", size: 5 });
  clock.time = right;
  if (grant === "full") throw new Error("The storage is full");
  await storage.sweep();
  await resetFutureTimes(db, new Date(clock.time));
  clock.time += 2 * 3_600_000; // no byte was sent: the reservation has expired
  await storage.sweep();
  await storage.sweep();
  expect((await look(db, "select state from uploads"))[0]).toEqual({ state: "aborted" });
});

test("calls of webhooks written, failed or claimed while the clock was ahead are made now", async () => {
  const db = await openDb(":memory:");
  const fields = { name: "Blog", url: "https://example.com/", events: [], withPeople: false };
  const by = { actor: "ada@example.com" };
  const ping = async (at: Date) => {
    const added = await endpoints.add(db, { fields, secret: "sealed" }, by, at);
    await endpoints.ping(db, added?.id ?? "", by, at);
  };
  for (const at of [now, now, ahead]) await ping(at);
  const [failed, claimed] = await attempts.claim(db, ahead); // the clock jumped
  if (!failed || !claimed) throw new Error("nothing is due");
  const circumstances = { notify: undefined, random: 0, now: ahead };
  await attempts.settle(db, failed, { ms: 1, error: "busy" }, circumstances);
  await ping(ahead);
  expect(await attempts.isDue(db, now)).toBe(false);
  await resetFutureTimes(db, now);
  const due = await attempts.claim(db, now);
  expect(due.map(({ delivery }) => delivery.attempts).sort()).toEqual([1, 2, 2, 2]);
});

test("a call that may take five minutes to decide about an upload keeps its claim while it takes them", async () => {
  const db = await openDb(":memory:");
  const fields = { name: "Scanner", url: "https://example.com/", events: [], withPeople: false, verifySeconds: 300 };
  const by = { actor: "ada@example.com" };
  const added = await endpoints.add(db, { fields, secret: "sealed" }, by, now);
  await endpoints.ping(db, added?.id ?? "", by, now);
  await look(db, "update webhook_deliveries set type = 'upload.verify'");
  expect(await attempts.claim(db, now)).toHaveLength(1);
  await resetFutureTimes(db, new Date(now.getTime() - 30_000)); // of a process whose clock is behind
  expect(await attempts.claim(db, now)).toEqual([]);
  const leases = await look<{ until: number }>(db, "select lease_until as until from webhook_deliveries");
  expect(leases).toEqual([{ until: now.getTime() + 360_000 }]);
});

test("a broadcast paused while the clock was ahead continues, and a batch in doubt since then becomes uncertain", async () => {
  const stage = await broadcastStage({ people: 2 });
  const { db } = stage;
  await stage.confirmed();
  await promote(db, undefined, stage.now());
  const then = stage.clock.time + 400 * day;
  await look(db, "update broadcasts set rest_until = ?, rest_reason = 'rate'", [then]);
  const batch = `insert into broadcast_batches
    (broadcast_row, first_recipient, last_recipient, count, attempts, next_attempt_at, lease_until, first_attempt_at, created_at)
    select "row", 0, 0, 0, ?, ?, ?, ?, 0 from broadcasts`;
  await look(db, batch, [0, then, null, null]);
  await look(db, batch, [1, then, then, then]);
  const hour = 3_600_000;
  await look(db, batch, [1, then, then, stage.clock.time + hour]); // the clock may have been set back a little
  const sender = stage.sender();
  await sender.drain();
  expect(await look(db, "select state from broadcasts")).toEqual([{ state: "sending" }]);
  await resetFutureTimes(db, stage.now());
  const attempted = 'select first_attempt_at at from broadcast_batches where attempts = 1 order by "row"';
  expect(await look(db, attempted)).toEqual([{ at: 0 }, { at: stage.clock.time + hour }]);
  await sender.drain();
  await sender.close();
  expect(await look(db, "select state from broadcasts")).toEqual([{ state: "sent" }]);
  expect(await look(db, 'select state from broadcast_batches order by "row"')).toEqual([
    { state: "skipped" },
    { state: "uncertain" },
    { state: "uncertain" },
    { state: "simulated" },
  ]);
});

test("an email in doubt since a time that has not come may be too old to repeat", async () => {
  const db = await openDb(":memory:");
  await db.write((orm) => outbox.enqueue(orm, { kind: "test", recipient: ada.email, payload: {} }, now));
  await claim(db, 1, ahead);
  await resetFutureTimes(db, now);
  expect(await claim(db, 1, now)).toEqual([]);
  expect(await look(db, "select state, in_doubt_since from outbox")).toEqual([{ state: "dead", in_doubt_since: 0 }]);
});
