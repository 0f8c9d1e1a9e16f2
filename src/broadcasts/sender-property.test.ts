import { expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { edit } from "../../db/broadcasts/edit";
import { sendAgain } from "../../db/broadcasts/sending/promote";
import { cancel, confirm, pause, resume, unschedule } from "../../db/broadcasts/states";
import { isOnPostgres, look } from "../../test/support/look";
import { broadcastStage, by } from "../../test/support/broadcasts/broadcasts";
import { Pace } from "../mail/pace";
import type { Email, MailProvider, Outcome } from "../mail/provider";
import { testTimeoutMs } from "../../test/support/within";

setDefaultTimeout(testTimeoutMs);

const [people, perBatch] = [23, 5];
const [minute, hour] = [60_000, 3_600_000];
const maxInFlight = 4;

/** How the provider responds: "lost" was accepted, but the response never arrived. */
const answers = ["accepted", "accepted", "lost", "unknown", "rate"] as const;
const operations = [
  "pause",
  "resume",
  "cancel",
  "edit",
  "unschedule",
  "confirm",
  "restart",
  "die",
  "leave",
  "again",
  "wait",
  "wait long",
] as const;
type Operation = (typeof operations)[number];

/** A provider in this process that delivers once per idempotency key. */
function fakeProvider() {
  const fake = {
    answers: [] as readonly (typeof answers)[number][],
    counts: new Map<string, number>(),
    at: 0,
    most: perBatch,
  };
  const keys = new Map<string, string>();
  const take = (emails: Email[], key: string): Outcome => {
    const body = JSON.stringify(emails);
    if (keys.has(key) && keys.get(key) !== body) return { kind: "conflict", message: "Another body" };
    if (!keys.has(key)) for (const { to } of emails) fake.counts.set(to, (fake.counts.get(to) ?? 0) + 1);
    keys.set(key, body);
    return { kind: "accepted", ids: emails.map(() => null) };
  };
  const provider: MailProvider = {
    ...{ name: "resend", maxBatch: perBatch, maxConcurrent: maxInFlight, isIdempotent: true },
    send: (email, key) => provider.sendBatch([email], key),
    async sendBatch(emails, key) {
      await new Promise((turn) => setImmediate(turn));
      const answer = fake.answers.length ? fake.answers[fake.at++ % fake.answers.length] : "accepted";
      if (answer === "unknown") return { kind: "unknown", message: "No answer" };
      if (answer === "rate") return { kind: "refused", reason: "rate", message: "Too fast", retryAfterMs: 1_000 };
      if (emails.length > fake.most) return { kind: "refused", reason: "too-large", message: "Too large" };
      const outcome = take(emails, key);
      return answer === "lost" ? { kind: "unknown", message: "No answer" } : outcome;
    },
    close: () => Promise.resolve(),
  };
  return Object.assign(fake, { provider });
}

const legal: Record<string, string[]> = {
  draft: ["scheduled"],
  scheduled: ["draft", "sending", "paused", "cancelled"],
  sending: ["paused", "sent", "cancelled"],
  paused: ["sending", "cancelled"],
  sent: ["sending"],
  cancelled: [],
};
/** Whether the second state can be reached from the first, directly or through others. */
function leadsTo(from: string, to: string, seen = new Set([from])): boolean {
  if (from === to) return true;
  return (legal[from] ?? []).some((next) => !seen.has(next) && leadsTo(next, to, new Set([...seen, next])));
}

test("N4: paused, resumed, cancelled, edited and restarted in any order: legal states, no one twice, nothing after a cancel", async () => {
  const fake = fakeProvider();
  const clock = { time: 0 };
  const pace = new Pace(() => new Date(clock.time), 1e9);
  const stage = await broadcastStage({ people, mail: { provider: fake.provider, pace, metrics: () => "" } });
  const { db, now } = stage;
  const pass = (ms: number) => void (clock.time = stage.clock.time += ms);
  pass(0);
  const fields = {
    subject: "News",
    preheader: "",
    fromName: "",
    archive: "none" as const,
    segment: {},
    content: "Other",
  };
  const frozen = { letter: { text: "Hello" }, page: [], bytes: 100 };

  async function run(list: readonly Operation[], drawn: typeof fake.answers, most: number) {
    await look(db, "update subscribers set state = 'active'");
    Object.assign(fake, { answers: drawn, counts: new Map(), at: 0, most });
    const id = await stage.confirmed({ at: new Date(stage.clock.time + minute) });
    let sender = stage.sender();
    let [state, mostAfterCancel] = ["scheduled", Number.POSITIVE_INFINITY];
    let mayRepeat = false;

    const act: Record<Operation, () => unknown> = {
      pause: async () => pause(db, await stage.broadcast(id), by, now()),
      resume: async () => resume(db, await stage.broadcast(id), by, now()),
      async cancel() {
        const { outcome } = await cancel(db, await stage.broadcast(id), by, now());
        if (outcome === "changed") mostAfterCancel = fake.counts.size + maxInFlight * perBatch;
      },
      edit: async () => edit(db, await stage.broadcast(id), fields, now()),
      unschedule: async () => unschedule(db, await stage.broadcast(id), by, now()),
      confirm: async () =>
        confirm(db, { seen: await stage.broadcast(id), to: { at: now(), audience: people, frozen } }, by, now()),
      async restart() {
        await sender.close();
        sender = stage.sender(undefined, true);
      },
      die: () => (sender = stage.sender()), // the other one is still running for a while: two at the same time
      leave: () => look(db, "update subscribers set state = 'unsubscribed' where row in (3, 17)"),
      again: async () => {
        mayRepeat ||= (await stage.broadcast(id)).uncertain > 0;
        return sendAgain(db, { seen: await stage.broadcast(id), to: "uncertain" }, by, now());
      },
      wait: () => pass(minute),
      "wait long": () => pass(7 * hour),
    };
    for (const operation of list) {
      await Promise.all([sender.drain(), act[operation]()]);
      const { state: next } = await stage.broadcast(id);
      expect([state, next, leadsTo(state, next)]).toEqual([state, next, true]);
      state = next;
      if (!mayRepeat) expect([...fake.counts.values()].every((count) => count === 1)).toBe(true);
      expect(fake.counts.size).toBeLessThanOrEqual(mostAfterCancel);
    }
    await settle(id, sender, drawn, mayRepeat);
    expect(fake.counts.size).toBeLessThanOrEqual(mostAfterCancel);
    await sender.close();
    await look(db, "delete from broadcasts");
  }

  /** In the end the provider responds, and everything settles. */
  async function settle(
    id: string,
    sender: ReturnType<typeof stage.sender>,
    drawn: typeof fake.answers,
    mayRepeat: boolean,
  ) {
    fake.answers = [];
    const { state } = await stage.broadcast(id);
    if (state === "draft") return;
    if (state === "paused") await resume(db, await stage.broadcast(id), by, now());
    let end = await stage.broadcast(id);
    for (let i = 0; i < 12 && !["sent", "cancelled"].includes(end.state); i++) {
      pass(10 * minute);
      await sender.drain();
      end = await stage.broadcast(id);
    }
    if (end.state === "paused") return; // it missed the time to send
    expect(["sent", "cancelled"]).toContain(end.state);
    expect(end.claimed).toBe(end.accepted + end.uncertain + end.skipped + end.failed);
    if (!mayRepeat && !end.uncertain) expect(fake.counts.size).toBe(end.accepted);
    if (end.state !== "sent" || end.uncertain) return;
    const left = new Set(["p3@example.com", "p17@example.com"]);
    for (let row = 1; row <= people; row++)
      if (!left.has(`p${row}@example.com`))
        expect([row, fake.counts.has(`p${row}@example.com`), drawn]).toEqual([row, true, drawn]);
  }

  const lists = fc.array(fc.constantFrom(...operations), { maxLength: 10 });
  const draws = fc.array(fc.constantFrom(...answers), { minLength: 1, maxLength: 12 });
  await fc.assert(fc.asyncProperty(lists, draws, fc.integer({ min: 1, max: perBatch }), run), {
    numRuns: Number(Bun.env.BROADCAST_RUNS ?? (isOnPostgres ? 15 : 100)),
  });
  expect(stage.logged.filter(({ level }) => level === "error")).toEqual([]);
  await db.close();
});
