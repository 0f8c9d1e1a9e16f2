import { and, asc, eq, isNull, lte, max, not, sql } from "drizzle-orm";
import { stillInAudience } from "../broadcasts/audience";
import { insertBatch } from "../broadcasts/sending/batches";
import {
  type ClaimedBatch,
  type Claimer,
  insertClaim,
  lockedAllowance,
  type Person,
  type Sending,
} from "../broadcasts/sending/claim";
import { byEngine, forUpdateSkipLocked } from "../engine/dialects";
import { type Db, type Orm, prepared } from "../engine/open";
import { isAmong } from "../lib/rows";
import { knownZone, localDay } from "../lib/time";
import { withValues } from "../newsletter/fields";
import { needsFreeDay, nextDay } from "../newsletter/sequence-entry";
import { termsOf } from "../newsletter/segments/saved";
import { broadcastRecipients, broadcasts, recipientStates } from "../schema/broadcasts";
import { subscribers } from "../schema/newsletter";
import { sequencePeople, sequences, sequenceSteps, sequenceStates } from "../schema/sequences";
import {
  goOn,
  isCarriedOn,
  isSent,
  type Member,
  members,
  move,
  obstacleOf,
  type Step,
  stepsBeside,
  stop,
  withSent,
} from "./members";

type Wanted = { size: number; isLimited: boolean };
/** `hasMoved`: someone was claimed or put off, so it is worth looking again. */
type Claimed = { batches: ClaimedBatch[]; hasMoved: boolean };

const nothing: Claimed = { batches: [], hasMoved: false };

/**
 * Claims people for whom an email of a sequence is due, in one commit: whoever is claimed is in a batch and never gets
 * this number again. Everyone is looked at once more under a lock, because people leave.
 *
 * @param isLimited whether there is an hourly limit, which other processes may use too
 */
export const claimStep = (db: Db, sending: Sending, { size, isLimited }: Wanted, by: Claimer, now: Date) =>
  db.write(async (orm): Promise<Claimed> => {
    if (isLimited && (await lockedAllowance(orm, now)) < size) return nothing;
    const step = await lockStep(orm, sending.row);
    const due = step ? await membersDue(orm, step, size, now) : [];
    if (!step || !due.length) return nothing;
    const earlier = await recipientsAmong(orm, sending.row, due);
    const ready = await readyFor(orm, { step, due, sending, earlier }, now);
    const claimed = await withoutSkipped(orm, sending.row, { people: await take(orm, step, ready), earlier }, now);
    const people = await withValues(orm, claimed, sending.values);
    const batches: ClaimedBatch[] = [];
    for (let i = 0; i < people.length; i += by.perBatch) {
      const part = people.slice(i, i + by.perBatch);
      const batch = await insertClaim(orm, { broadcastRow: sending.row, people: part }, by, now);
      if (batch) batches.push(batch);
    }
    return { batches, hasMoved: true };
  }, guarded);

/** Guarded by the rows of the broadcast, the people and their places, which it locks (docs/decisions/postgres.md). */
const guarded = { guarded: true } as const;

const lockBroadcast = prepared((orm) =>
  orm
    .update(broadcasts)
    .set({ cursor: sql`${broadcasts.cursor}` })
    .where(and(eq(broadcasts.row, sql.placeholder("row")), eq(broadcasts.state, "sending")))
    .returning({ row: broadcasts.row })
    .prepare(),
);

/**
 * Locks the broadcast, as all claims do. Returns its step if it is being sent, its sequence is on, and its people do not
 * go on in a later edition.
 */
async function lockStep(orm: Orm, broadcastRow: number): Promise<Step | undefined> {
  if (!(await lockBroadcast(orm).all({ row: broadcastRow })).length) return;
  return (await stepOf(orm).get({ broadcastRow }))?.step;
}

const stepOf = prepared((orm) => {
  const isOn = and(eq(sequences.state, "on"), not(isCarriedOn));
  return orm
    .select({ step: sequenceSteps })
    .from(sequenceSteps)
    .innerJoin(sequences, eq(sequences.row, sequenceSteps.sequenceRow))
    .where(and(eq(sequenceSteps.broadcastRow, sql.placeholder("broadcastRow")), isOn))
    .prepare();
});

/**
 * Locks the people for whom it is due, except those whom someone else changes at this moment. Their places are read
 * again by their rows alone, or SQLite would look at everyone for whom it is due.
 */
async function membersDue(orm: Orm, step: Step, size: number, now: Date): Promise<Member[]> {
  const first = await dueFirst(orm).all({ step: step.row, now: now.getTime(), size });
  if (!first.length) return [];
  const isLocked = new Set(
    await lockPeople(orm)(
      orm,
      first.map(({ person }) => person),
    ),
  );
  const places = first.flatMap((each) => (isLocked.has(each.person) ? each.row : []));
  if (!places.length) return [];
  const members = await membersAt(orm).all({ rows: JSON.stringify(places) });
  return members.filter(({ place }) => isStillDue(place, step, now));
}

const dueFirst = prepared((orm) => {
  const { row, subscriberRow: person, stepRow, dueAt } = sequencePeople;
  const isWaiting = sql`${sequencePeople.state} = 0`; // written out, so that SQLite uses the partial index
  const isDue = and(eq(stepRow, sql.placeholder("step")), isWaiting, lte(dueAt, sql.placeholder("now")));
  const some = orm.select({ row, person }).from(sequencePeople).where(isDue).orderBy(asc(dueAt));
  return some.limit(sql.placeholder("size")).prepare();
});

/** Returns the rows that no one else has locked. */
const lockPeople = byEngine<(orm: Orm, rows: number[]) => Promise<number[]>>({
  sqlite: async (_orm, rows) => rows, // SQLite has only one write transaction at a time
  postgres: async (orm, rows) => (await lockRows(orm).all({ rows: JSON.stringify(rows) })).map(({ row }) => row),
});

const lockRows = prepared((orm) =>
  orm
    .select({ row: subscribers.row })
    .from(subscribers)
    .where(isAmong(subscribers.row))
    .orderBy(forUpdateSkipLocked(subscribers.row))
    .prepare(),
);

const membersAt = prepared((orm) => members(orm, isAmong(sequencePeople.row)).prepare());

const isStillDue = ({ state, stepRow, dueAt }: Member["place"], step: Step, now: Date) =>
  state === sequenceStates.waiting && stepRow === step.row && dueAt !== null && dueAt <= now;

/** Someone who gets the email now, and which day it is where they live. */
type Ready = { member: Member; person: InRun; day: number };
type InRun = Person & { run: number };
/** `earlier`: those of them who are recipients of the email already. */
type Due = { step: Step; due: Member[]; sending: Sending; earlier: Earlier[] };

/** Returns who gets it now. The others are stopped, held, moved on or put off. */
async function readyFor(orm: Orm, { step, due, sending, earlier }: Due, now: Date): Promise<Ready[]> {
  const rows = due.map(({ place }) => place.subscriberRow);
  const people = new Map((await stillInAudience(orm, rows, sending.segment)).map((person) => [person.row, person]));
  const { zone: siteZone } = await termsOf(orm, now);
  const [steps, days] = [await stepsBeside(orm, [step.row]), await lastDays(orm, rows)];
  const onward = { step, steps, edition: step.edition, from: now };
  const had = new Set(earlier.flatMap(({ person, isSkipped }) => (isSkipped ? [] : person)));
  const ready: Ready[] = [];
  const today = new Map<string, number>();
  for (const member of due) {
    const { place } = member;
    const zone = knownZone(member.person.timeZone) ?? siteZone;
    const day = today.getOrInsertComputed(zone, () => localDay(now, zone));
    const dueAt = place.dueAt ?? now;
    const obstacle = obstacleOf(member);
    const person = people.get(place.subscriberRow);
    if (obstacle === "held") await move(orm, place, { state: sequenceStates.held });
    else if (obstacle) await stop(orm, place, obstacle, now);
    else if (isSent(place.sent, step.number) || had.has(place.subscriberRow))
      await goOn(orm, member, { ...onward, sent: withSent(place.sent, step.number), zone }, now);
    else if (!person) await stop(orm, place, "topic", now);
    else if (days.get(place.subscriberRow) === day && needsFreeDay(step, dueAt, now))
      await move(orm, place, { dueAt: nextDay(dueAt, now, step, zone) });
    else ready.push({ member, person: { ...person, run: place.run }, day });
  }
  return ready;
}

/** Returns the day of the last email of any sequence to these people. */
async function lastDays(orm: Orm, rows: number[]): Promise<Map<number, number | null>> {
  const days = await lastDaysAmong(orm).all({ rows: JSON.stringify(rows) });
  return new Map(days.map(({ row, day }) => [row, day === null ? null : Number(day)]));
}

const lastDaysAmong = prepared((orm) => {
  const { subscriberRow, lastDay } = sequencePeople;
  const days = orm.select({ row: subscriberRow, day: max(lastDay) }).from(sequencePeople);
  return days.where(isAmong(subscriberRow)).groupBy(subscriberRow).prepare();
});

/** A recipient, to whom this email was sent, or perhaps; whoever was skipped has certainly not got it. */
type Earlier = { row: number; person: number; isSkipped: boolean };

/** Returns these people as recipients of the email, since they last began. */
async function recipientsAmong(orm: Orm, broadcastRow: number, due: Member[]): Promise<Earlier[]> {
  const runs = new Map(due.map(({ place }) => [place.subscriberRow, place.run]));
  const recipients = await findRecipients(orm).all({ broadcastRow, rows: JSON.stringify([...runs.keys()]) });
  return recipients.flatMap(({ row, person, run, state }) =>
    person !== null && runs.get(person) === run ? { row, person, isSkipped: state === recipientStates.skipped } : [],
  );
}

const findRecipients = prepared((orm) => {
  const { row, broadcastRow, subscriberRow: person, run, state } = broadcastRecipients;
  const isIts = and(eq(broadcastRow, sql.placeholder("broadcastRow")), isAmong(person));
  return orm.select({ row, person, run, state }).from(broadcastRecipients).where(isIts).prepare();
});

/** Marks them as claimed, and the number as sent. Returns those whom no one has stopped in the meantime. */
async function take(orm: Orm, { number }: Step, ready: Ready[]): Promise<InRun[]> {
  const taken = new Set<number>();
  for (const [day, some] of Map.groupBy(ready, ({ day }) => day)) {
    const rows = JSON.stringify(some.map(({ member }) => member.place.row));
    for (const { person } of await taking(orm).all({ rows, day, bit: 2 ** number })) taken.add(person);
  }
  return ready.flatMap(({ person }) => (taken.has(person.row) ? person : []));
}

const taking = prepared((orm) => {
  const { row, state, reason, sent, subscriberRow: person } = sequencePeople;
  const isAsRead = and(isAmong(row), eq(state, sequenceStates.waiting), isNull(reason));
  const claimed = { state: sequenceStates.claimed, dueAt: null, lastDay: sql`${sql.placeholder("day")}` };
  const withBit = sql`${sent} | ${sql.placeholder("bit")}`;
  const update = orm.update(sequencePeople).set({ ...claimed, sent: withBit });
  return update.where(isAsRead).returning({ person }).prepare();
});

/** Whoever was skipped while they paused is a recipient already, and goes into a batch that is due now. */
async function withoutSkipped(
  orm: Orm,
  broadcastRow: number,
  { people, earlier }: { people: InRun[]; earlier: Earlier[] },
  now: Date,
): Promise<Person[]> {
  const isTaken = new Set(people.map(({ row }) => row));
  const skipped = earlier.filter(({ person, isSkipped }) => isSkipped && isTaken.has(person));
  if (!skipped.length) return people;
  const again = skipped.map(({ row }) => row);
  await insertBatch(orm, { broadcastRow, createdAt: now, admittedAt: null }, again, now);
  const isAgain = new Set(skipped.map(({ person }) => person));
  return people.filter(({ row }) => !isAgain.has(row));
}
