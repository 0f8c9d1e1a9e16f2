import { expect, setDefaultTimeout, test } from "bun:test";
import { erase } from "../../db/people/erase";
import { pauseFor } from "../../db/newsletter/preferences";
import { endPauses } from "../../db/newsletter/pause";
import * as subscribers from "../../db/newsletter/subscribers";
import { whereabouts } from "../../db/sequences/report";
import { pause, resume } from "../../db/sequences/states";
import { sequenceStates } from "../../db/schema/sequences";
import { broadcastStage, by } from "../../test/support/broadcasts/broadcasts";
import { hours, sequenceOf, startedSequence } from "../../test/support/broadcasts/sequences";
import { isOnPostgres, look } from "../../test/support/look";
import { Pace } from "../mail/pace";
import type { Email, MailProvider, Outcome } from "../mail/provider";
import { testTimeoutMs } from "../../test/support/within";

setDefaultTimeout(testTimeoutMs);

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const people = Number(Bun.env.SEQUENCE_PEOPLE ?? (isOnPostgres ? 120 : 300));
const perBatch = 20;

/** Numbers between 0 and 1 that are the same in every run. */
function draws(seed: number) {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

/** A provider in this process that delivers once per key, and fails a third of the time, before or after it has. */
function failingProvider(random: () => number) {
  const keys = new Map<string, string>();
  /** By letter and address: how many arrived. */
  const counts = new Map<string, number>();
  const fake = { fails: true, conflicts: 0, onRequest: async (_: Email[]) => {} };
  function take(emails: Email[], key: string): Outcome {
    const body = JSON.stringify(emails);
    const before = keys.get(key);
    if (before !== undefined && before !== body) {
      fake.conflicts++;
      return { kind: "conflict", message: "Another body" };
    }
    if (before === undefined)
      for (const { to, tags } of emails) {
        const name = `${tags?.postroom_b} ${to}`;
        counts.set(name, (counts.get(name) ?? 0) + 1);
      }
    keys.set(key, body);
    return { kind: "accepted", ids: emails.map(() => null) };
  }
  const provider: MailProvider = {
    ...{ name: "resend", maxBatch: perBatch, maxConcurrent: 4, isIdempotent: true },
    send: (email, key) => provider.sendBatch([email], key),
    async sendBatch(emails, key) {
      await fake.onRequest(emails);
      await new Promise((turn) => setImmediate(turn));
      const fate = fake.fails ? random() : 1;
      if (fate < 0.1) return { kind: "unknown", message: "No answer" };
      if (fate < 0.25) return { kind: "refused", reason: "rate", message: "Too fast", retryAfterMs: 1_000 };
      const outcome = take(emails, key);
      return fate < 0.34 ? { kind: "unknown", message: "Lost" } : outcome;
    },
    close: () => Promise.resolve(),
  };
  return Object.assign(fake, { provider, counts });
}

test.each([1, 2, 3])(
  "SEQ1 and SEQ5: with a provider that fails a third of the time, senders that die, and people who leave, pause and are erased, everyone gets each email once (%i)",
  async (seed) => {
    const random = draws(seed);
    const fake = failingProvider(random);
    const clock = { time: 0 };
    const pace = new Pace(() => new Date(clock.time), 1e9);
    const stage = await broadcastStage({ mail: { provider: fake.provider, pace, metrics: () => "" } });
    const { db, now } = stage;
    const pass = (ms: number) => void (clock.time = stage.clock.time += ms);
    pass(0);
    const course = await startedSequence(db, now(), { waits: [hours(0), hours(1), hours(3)] });

    /** Sends until nothing is left, or it dies, as if its process were killed: what it had begun is never recorded. */
    const sendMortally = async () => {
      const diesAfter = Math.floor(random() * 8);
      const death = Promise.withResolvers<void>();
      let reached = 0;
      const sender = stage.sender(() => {
        if (++reached <= diesAfter) return;
        death.resolve();
        return new Promise<never>(() => {});
      });
      await Promise.race([sender.drain(), death.promise]);
    };

    const emailOf = (i: number) => `p${i}@example.com`;
    for (let i = 0; i < people; i++)
      await subscribers.subscribe(db, { email: emailOf(i) }, { via: "form" }, now(), { welcome: false });
    const gone = new Map<number, number>(); // who left: how many emails had been claimed for them
    const claimedFor = async (i: number) =>
      (
        await look<{ sent: number }>(
          db,
          'select sent from sequence_people where subscriber_row = (select "row" from subscribers where email = ?)',
          [emailOf(i)],
        )
      )[0]?.sent ?? 0;
    const all = 2 ** course.emails.length - 1;
    const someone = () => Math.floor(random() * people);
    const origin = { via: "link" as const };

    async function live(): Promise<void> {
      const i = someone();
      const fate = random();
      if (gone.has(i)) return;
      if (fate < 0.5) gone.set(i, all);
      if (fate < 0.4) {
        await subscribers.unsubscribe(db, emailOf(i), origin, now());
        gone.set(i, await claimedFor(i));
        if (random() < 0.5) await subscribers.subscribeAgain(db, emailOf(i), origin, now());
      } else if (fate < 0.5) {
        await erase(
          db,
          { id: crypto.randomUUID(), email: emailOf(i), scope: ["subscription"] },
          { actor: "cli", via: "cli" },
          now(),
        );
      } else if (fate < 0.8) {
        await pauseFor(
          db,
          { email: emailOf(i), origin: { via: "preferences" }, now: now() },
          new Date(clock.time + day),
        );
      } else if (fate < 0.9)
        await pauseFor(db, { email: emailOf(i), origin: { via: "preferences" }, now: now() }, undefined);
      else {
        const sequence = await sequenceOf(db, course.id);
        await (sequence.state === "on" ? pause(db, sequence, by, now()) : resume(db, sequence, by, now()));
      }
    }
    fake.onRequest = async () => (random() < 0.5 ? live() : undefined);

    for (let round = 0; round < 25; round++) {
      await Promise.all([sendMortally(), sendMortally(), live()]);
      pass(random() < 0.3 ? 20 * minute : 2 * minute); // a lease lasts 90 seconds
    }
    fake.onRequest = async () => {};
    fake.fails = false;
    if ((await sequenceOf(db, course.id)).state === "paused")
      await resume(db, await sequenceOf(db, course.id), by, now());
    const last = stage.sender();
    for (let i = 0; i < 40; i++) {
      pass(i % 4 ? 20 * minute : 5 * hour);
      await endPauses(db, now());
      await last.drain();
    }

    const got = (i: number) => course.emails.map((id) => fake.counts.get(`${id} ${emailOf(i)}`) ?? 0);
    const uncertain = (await look<{ n: number }>(db, "select count(*) n from broadcast_recipients where state = 3"))[0]
      ?.n;
    expect([uncertain, fake.conflicts]).toEqual([0, 0]);
    for (let i = 0; i < people; i++) {
      const left = gone.get(i);
      if (left === undefined) expect([i, ...got(i)]).toEqual([i, 1, 1, 1]);
      else
        for (const [at, count] of got(i).entries())
          expect([i, at, count <= Math.floor(left / 2 ** at) % 2]).toEqual([i, at, true]);
    }
    const { entered, done, stopped, byStep } = await whereabouts(db, course);
    expect([byStep.size, entered, done + stopped]).toEqual([0, entered, entered]);
    const still = await look<{ n: number }>(
      db,
      `select count(*) n from sequence_people join subscribers on subscribers."row" = subscriber_row
        where sequence_people.state not in (${sequenceStates.done}, ${sequenceStates.stopped})`,
    );
    expect(still).toEqual([{ n: 0 }]);
    expect(stage.logged.filter(({ level }) => level === "error")).toEqual([]);
    await db.close();
  },
);
