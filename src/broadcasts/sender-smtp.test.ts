import { afterEach, expect, test } from "bun:test";
import { cancel, resume } from "../../db/broadcasts/states";
import { enterSequences } from "../../db/newsletter/sequence-entry";
import { sendAgain } from "../../db/broadcasts/sending/promote";
import { look } from "../../test/support/look";
import { broadcastStage, by } from "../../test/support/broadcasts/broadcasts";
import { hours, placesIn, sequenceOf, startedSequence } from "../../test/support/broadcasts/sequences";
import { smtpSink } from "../../test/support/providers/smtp";

const [minute, hour] = [60_000, 3_600_000];
const afterwards: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of afterwards.splice(0).reverse()) await stop();
});

async function post(people: number, pool = 3) {
  const sink = await smtpSink({ hangMs: 100 });
  const env = { MAILER_API_KEY: `${sink.url}?pool=${pool}`, MAIL_FROM: "Site <site@x.example>" };
  const stage = await broadcastStage({ people, env });
  const sender = stage.sender();
  afterwards.push(
    sink.stop,
    () => stage.mail.provider.close(),
    () => stage.db.close(),
    () => sender.close(),
  );
  const later = async (ms: number) => {
    stage.clock.time += ms;
    await sender.drain();
  };
  return { ...stage, sink, sender, another: stage.sender, later };
}

test("by SMTP everyone gets an email of their own, with a Message-ID that stays the same", async () => {
  const { confirmed, sender, sink, broadcast, recipients } = await post(20);
  const id = await confirmed();
  await sender.drain();
  expect(await recipients()).toEqual({ accepted: 20 });
  expect([sink.counts.size, sink.messages.length, sink.connections]).toEqual([20, 20, 3]);
  expect(sink.messages.find(({ to }) => to === "p7@example.com")?.raw).toContain(`Message-ID: <b.7.${id}@x.example>`);
  expect((await broadcast(id)).state).toBe("sent");
});

test("an address that does not exist has bounced and gets nothing more; another refusal only fails", async () => {
  const { confirmed, sender, sink, db, recipients, broadcast } = await post(6);
  const id = await confirmed();
  sink.behave = (command, address) => {
    if (command !== "RCPT") return undefined;
    if (address.startsWith("p2@")) return { code: 550, text: "5.1.1 No such user" };
    return address.startsWith("p3@") ? { code: 554, text: "5.7.1 Not welcome" } : undefined;
  };
  await sender.drain();
  expect(await recipients()).toEqual({ accepted: 4, failed: 2 });
  expect(await broadcast(id)).toMatchObject({ state: "sent", bounced: 0, refusedBounces: 1 });
  const suppressed = "select row from subscribers where suppressed_at is not null";
  expect(await look(db, suppressed)).toEqual([{ row: 2 }]);
  const reasons = "select email, reason from suppressions";
  expect(await look(db, reasons)).toEqual([{ email: "p2@example.com", reason: "bounce" }]);
  expect(await look(db, "select kind, via from subscriber_events")).toEqual([{ kind: "suppressed", via: "provider" }]);
});

test("twenty refusals after the first acceptance, other than bounces, mean that no retry helps: it pauses", async () => {
  const { confirmed, sender, sink, recipients, broadcast } = await post(25, 1);
  const id = await confirmed();
  const text = "5.7.1 Not welcome";
  sink.behave = (command, address) =>
    command === "RCPT" && !address.startsWith("p1@") ? { code: 554, text } : undefined;
  await sender.drain();
  expect(await recipients()).toEqual({ accepted: 1, failed: 20 });
  expect(await broadcast(id)).toMatchObject({ state: "paused", stateReason: "refused" });
});

test("an address that is deferred is tried again, from five minutes to eight hours later, and fails in the end", async () => {
  const { confirmed, sender, sink, recipients, later, clock } = await post(3);
  await confirmed();
  const attempts: number[] = [];
  sink.behave = (command, address) => {
    if (command !== "RCPT" || !address.startsWith("p2@")) return undefined;
    attempts.push(clock.time);
    return { code: 451, text: "4.2.1 Try again later" };
  };
  await sender.drain();
  expect(await recipients()).toEqual({ accepted: 2, claimed: 1 });
  for (let i = 0; i < 40; i++) await later(30 * minute);
  expect(await recipients()).toEqual({ accepted: 2, failed: 1 });
  expect(attempts).toHaveLength(7);
  expect((attempts.at(-1) ?? 0) - (attempts[0] ?? 0)).toBeGreaterThan(12 * hour);
});

test("a response lost after the final dot makes that recipient uncertain, and the email is not repeated", async () => {
  const { confirmed, sender, sink, recipients, later, db, now, broadcast } = await post(4);
  const id = await confirmed();
  sink.behave = (command, address) => (command === "ACCEPTED" && address.startsWith("p2@") ? "reset" : undefined);
  await sender.drain();
  await later(48 * hour);
  expect(await recipients()).toEqual({ accepted: 3, uncertain: 1 });
  expect([...sink.counts.values()]).toEqual([1, 1, 1, 1]);
  sink.behave = () => undefined;
  await sendAgain(db, { seen: await broadcast(id), to: "uncertain" }, by, now()); // a manager decides so, and the person gets it twice
  await sender.drain();
  expect([await recipients(), sink.counts.get("p2@example.com")]).toEqual([{ accepted: 4 }, 2]);
});

test("a process that dies leaves at most as many uncertain as there are connections", async () => {
  const { confirmed, another, sink, recipients, db, clock } = await post(30);
  await confirmed();
  const died = Promise.withResolvers<void>();
  let reached = 0;
  const dying = another((at) => {
    if (reached < 10 && (at !== "after send" || ++reached < 10)) return;
    died.resolve();
    return new Promise<never>(() => undefined);
  });
  void dying.drain();
  await died.promise;
  await db.settled();
  const next = another(undefined, true);
  await next.drain();
  clock.time += 2 * minute; // a claim may have been in progress
  await next.drain();
  const { accepted = 0, uncertain = 0 } = await recipients();
  expect(accepted + uncertain).toBe(30);
  expect(uncertain).toBeGreaterThan(0);
  expect(uncertain).toBeLessThanOrEqual(3);
  expect([...sink.counts.values()].every((count) => count === 1)).toBe(true);
});

test("a server's answer that comes after its recipient became uncertain is a fact: the email is accepted", async () => {
  const { confirmed, sender, another, sink, recipients, clock } = await post(1);
  await confirmed();
  const [sent, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const paused = another((at) => (at === "after send" ? (sent.resolve(), resumed.promise) : undefined));
  const draining = paused.drain();
  await sent.promise;
  clock.time += 2 * minute; // its lease is over
  await sender.drain();
  expect(await recipients()).toEqual({ uncertain: 1 });
  resumed.resolve();
  await draining;
  expect([await recipients(), sink.counts.get("p1@example.com")]).toEqual([{ accepted: 1 }, 1]);
});

test("while a server cannot be reached everything waits; no one becomes uncertain, and sending resumes when it is back", async () => {
  const { confirmed, sender, sink, recipients, later, broadcast } = await post(5);
  const id = await confirmed();
  sink.behave = (command) => (command === "CONNECT" ? { code: 421, text: "4.3.2 Shutting down" } : undefined);
  await sender.drain();
  expect(await broadcast(id)).toMatchObject({ state: "sending", pausedFor: "unavailable", uncertain: 0 });
  sink.behave = () => undefined;
  await later(hour);
  expect(await recipients()).toEqual({ accepted: 5 });
});

test("what Resend may have is never sent by SMTP, and a large batch that it refused is sent one by one", async () => {
  const { confirmed, sender, db, recipients, sink } = await post(8);
  await confirmed();
  await sender.drain();
  await look(db, "update broadcasts set state = 'sending'");
  await look(db, "update broadcast_recipients set state = 0, batch_row = case when row <= 3 then 101 else 102 end");
  const batch = (row: number, first: number, last: number, attempt: number | null) =>
    look(
      db,
      `insert into broadcast_batches (row, broadcast_row, first_recipient, last_recipient, count,
         next_attempt_at, created_at, first_attempt_at, provider, frozen) values (?, 1, ?, ?, 4, 0, 0, ?, 'resend', '[]')`,
      [row, first, last, attempt],
    );
  await batch(101, 1, 3, Date.parse("2026-11-21T11:00:00Z"));
  await batch(102, 4, 8, null);
  await sender.drain();
  expect(await recipients()).toEqual({ uncertain: 3, accepted: 5 });
  expect([1, 2, 3, 4, 5, 6, 7, 8].map((row) => sink.counts.get(`p${row}@example.com`))).toEqual([
    1, 1, 1, 2, 2, 2, 2, 2,
  ]);
});

test("a process that is paused between claim and attempt sends no one what another sends, and no one after a cancellation", async () => {
  const { confirmed, sender, another, sink, recipients, db, now, clock, broadcast } = await post(3);
  const pausedAfterClaim = async () => {
    const [claimed, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const paused = another((at) => (at === "after claim" ? (claimed.resolve(), resumed.promise) : undefined));
    const draining = paused.drain();
    await claimed.promise;
    clock.time += 2 * minute;
    return { resume: () => (resumed.resolve(), draining) };
  };
  const id = await confirmed();
  const first = await pausedAfterClaim();
  await sender.drain();
  expect(await recipients()).toEqual({ uncertain: 3 });
  await sendAgain(db, { seen: await broadcast(id), to: "uncertain" }, by, now());
  await sender.drain();
  await first.resume();
  expect([...sink.counts.values()]).toEqual([1, 1, 1]);

  const next = await confirmed();
  const second = await pausedAfterClaim();
  await cancel(db, await broadcast(next), by, now());
  await second.resume();
  expect(sink.messages).toHaveLength(3);

  await confirmed();
  await (await pausedAfterClaim()).resume(); // it was the only one: nothing is in doubt
  await sender.drain();
  expect([...sink.counts.values()]).toEqual([2, 2, 2]);
});

test("no delivery is ever reported by SMTP: bounces are compared with the emails that the server answered", async () => {
  const { confirmed, sender, sink, broadcast } = await post(240);
  const id = await confirmed();
  const refuse = (isRefused: (row: number) => boolean) =>
    (sink.behave = (command, address) =>
      command === "RCPT" && isRefused(Number(/^p(\d+)@/.exec(address)?.[1]))
        ? { code: 550, text: "5.1.1 No such user" }
        : undefined);
  refuse((row) => row % 20 === 0); // 12 of 240, 5 %
  await sender.drain();
  expect(await broadcast(id)).toMatchObject({ state: "sent", accepted: 228, failed: 12, refusedBounces: 12 });
});

test("a list of addresses that do not exist is stopped, also if no email was accepted; what a manager saw counts no more", async () => {
  const { confirmed, sender, sink, broadcast, db, now } = await post(420);
  const id = await confirmed();
  sink.behave = (command) => (command === "RCPT" ? { code: 550, text: "5.1.1 No such user" } : undefined);
  await sender.drain();
  const paused = await broadcast(id);
  expect(paused).toMatchObject({ state: "paused", stateReason: "bounces", accepted: 0 });
  expect(paused.failed).toBeLessThan(210);
  sink.behave = () => undefined;
  await resume(db, paused, by, now());
  await sender.drain();
  expect(await broadcast(id)).toMatchObject({ state: "sent", accepted: 420 - paused.failed });
});

/** A sequence of two emails, two hours apart, which these people have begun. */
async function begun({ db, now }: Awaited<ReturnType<typeof post>>, people: number) {
  const course = await startedSequence(db, now(), { waits: [hours(0), hours(2)] });
  const rows = Array.from({ length: people }, (_, i) => i + 1);
  await db.write((orm) => enterSequences(orm, [{ trigger: "subscribed", rows }], now()), { guarded: true });
  return course;
}

test("emails of a sequence go out by SMTP: a bounce ends it for that person, a lost response neither repeats nor ends it", async () => {
  const stage = await post(4);
  const { db, sender, sink, later, recipients } = stage;
  const { emails } = await begun(stage, 4);
  sink.behave = (command, address) => {
    if (command === "RCPT" && address.startsWith("p2@")) return { code: 550, text: "5.1.1 No such user" };
    return command === "ACCEPTED" && address.startsWith("p3@") ? "reset" : undefined;
  };
  await sender.drain();
  expect(await recipients()).toEqual({ accepted: 2, failed: 1, uncertain: 1 });
  sink.behave = () => undefined;
  await later(2 * hour - 1);
  expect(sink.messages).toHaveLength(3);
  await later(1);
  await later(48 * hour);
  expect(await recipients()).toEqual({ accepted: 5, failed: 1, uncertain: 1 });
  expect(Object.fromEntries(sink.counts)).toEqual({ "p1@example.com": 2, "p3@example.com": 2, "p4@example.com": 2 });
  const ids = sink.messages
    .filter(({ to }) => to === "p1@example.com")
    .map(({ raw }) => /Message-ID: <(\S+)>/.exec(raw)?.[1]);
  expect(ids.map((id) => emails.findIndex((email) => id?.includes(email)))).toEqual([0, 1]);
  expect(await placesIn(db)).toEqual({
    "p1@example.com": "done",
    "p2@example.com": "stopped suppressed",
    "p3@example.com": "done",
    "p4@example.com": "done",
  });
});

test("a server that refuses one email of a sequence after the other pauses the sequence, as it pauses a broadcast", async () => {
  const stage = await post(25, 1);
  const { db, sender, sink, recipients } = stage;
  const { id } = await begun(stage, 25);
  const text = "5.7.1 Not welcome";
  sink.behave = (command, address) =>
    command === "RCPT" && !address.startsWith("p1@") ? { code: 554, text } : undefined;
  await sender.drain();
  expect(await recipients()).toEqual({ accepted: 1, failed: 20 });
  expect(await sequenceOf(db, id)).toMatchObject({ state: "paused", reason: "refused" });
});
