import { and, asc, eq, inArray, isNotNull, isNull, sql } from "drizzle-orm";
import { forUpdate } from "../engine/dialects";
import { type Orm, prepared } from "../engine/open";
import { emitAll } from "../events/webhook-events";
import { hasId, isOneOf, listOf } from "../lib/rows";
import { dayMs, hourMs, inZone, knownZone, localDay } from "../lib/time";
import { isMailable, subscribers } from "../schema/newsletter";
import { isStarted, sequencePeople, sequences, sequenceStates, sequenceSteps } from "../schema/sequences";
import { segmentCondition } from "./segments/condition";
import { freeze, readSegment } from "./segments/definition";
import { termsOf } from "./segments/saved";
import { tagsOf } from "./tags";
import { topicsOf } from "./topics";

/* When an email of a sequence is due. Pure. */

/** How long after the email before; `atMinute`: at this minute of the person's day, so that hours are days. */
export type Wait = { waitHours: number; atMinute: number | null };

const minutesPerHour = 60;

/**
 * Returns the time of a day, as clocks there show it. An hour that does not exist means the one after it, and an hour
 * that occurs twice means the first.
 */
export function timeOn(day: Temporal.PlainDate, minute: number, zone: string): Date {
  const plainTime = { hour: Math.floor(minute / minutesPerHour), minute: minute % minutesPerHour };
  return new Date(
    day.toPlainDateTime(plainTime).toZonedDateTime(zone, { disambiguation: "compatible" }).epochMilliseconds,
  );
}

/** Returns when an email is due whose wait begins at `from`. Never earlier than that. */
export function dueAfter(from: Date, { waitHours, atMinute }: Wait, zone: string): Date {
  if (atMinute === null) return new Date(from.getTime() + waitHours * hourMs);
  const day = inZone(from, zone)
    .toPlainDate()
    .add({ days: Math.round((waitHours * hourMs) / dayMs) });
  return notBefore(from, day, atMinute, zone);
}

function notBefore(from: Date, day: Temporal.PlainDate, minute: number, zone: string): Date {
  const at = timeOn(day, minute, zone);
  return at < from ? timeOn(day.add({ days: 1 }), minute, zone) : at;
}

/** Returns the next time, from now on, at which an email that was due at `dueAt` may be sent. */
export function nextTime(dueAt: Date, now: Date, { atMinute }: Wait, zone: string): Date {
  if (dueAt >= now) return dueAt;
  return atMinute === null ? now : notBefore(now, inZone(now, zone).toPlainDate(), atMinute, zone);
}

/** Returns the same time on the next day, for someone who has had an email today. */
export function nextDay(dueAt: Date, now: Date, { atMinute }: Wait, zone: string): Date {
  const time = inZone(dueAt, zone);
  const minute = atMinute ?? time.hour * minutesPerHour + time.minute;
  return timeOn(inZone(now, zone).toPlainDate().add({ days: 1 }), minute, zone);
}

/** Whether it may not share a day with another email: it is one of days, or so late that others may have come meanwhile. */
export const needsFreeDay = ({ waitHours, atMinute }: Wait, dueAt: Date, now: Date): boolean =>
  atMinute !== null || waitHours * hourMs >= dayMs || now.getTime() - dueAt.getTime() > hourMs;

/* Who begins a sequence, in the transaction of what causes it. Imports and changes of many people do only if asked to. */

type Sequence = typeof sequences.$inferSelect;
type Place = typeof sequencePeople.$inferSelect;

/** What happened to these people; `of`: the row of the tag or topic that they got. */
export type Cause = { trigger: Sequence["trigger"]; of?: number; rows: number[] };

const openSequences = prepared((orm) => orm.select().from(sequences).where(isStarted).orderBy(sequences.row).prepare());

/** Whether a sequence is on or paused that one of these begins. */
export const isBegunBy = async (orm: Orm, triggers: Cause["trigger"][]): Promise<boolean> =>
  (await openSequences(orm).all()).some(({ trigger }) => triggers.includes(trigger));

/** What comes with the welcome email, whose day is not shared with an email of days. */
const welcomes: ReadonlySet<Cause["trigger"]> = new Set(["subscribed", "confirmed"]);

/**
 * Lets people begin the sequences that these causes begin. Nobody begins one twice, unless it says after how long.
 *
 * @param isReported whether webhooks are told of each
 */
export async function enterSequences(orm: Orm, causes: Cause[], now: Date, isReported = true): Promise<void> {
  if (!causes.length) return;
  const welcomed = new Set(causes.flatMap(({ trigger, rows }) => (welcomes.has(trigger) ? rows : [])));
  for (const sequence of await openSequences(orm).all()) {
    const rows = causes.flatMap((cause) => (isCausedBy(sequence, cause) ? cause.rows : []));
    if (rows.length) await enter(orm, sequence, { rows, welcomed, isReported }, now);
  }
}

function isCausedBy({ trigger, tagRow, topicRow }: Sequence, cause: Cause): boolean {
  if (trigger !== cause.trigger) return false;
  if (trigger === "tag") return tagRow !== null && tagRow === cause.of;
  return trigger !== "topic" || (topicRow !== null && topicRow === cause.of);
}

/**
 * Lets people who get emails for the first time begin what that begins, and what their tags and topics begin. Whoever
 * comes back begins nothing.
 */
export async function enterAsNew(orm: Orm, { rows, isConfirmed }: { rows: number[]; isConfirmed: boolean }, now: Date) {
  if (!rows.length || !(await openSequences(orm).all()).length) return;
  const causes: Cause[] = [{ trigger: "subscribed", rows }];
  if (isConfirmed) causes.push({ trigger: "confirmed", rows });
  for (const [person, tags] of await tagsOf(orm, rows))
    for (const { row } of tags) causes.push({ trigger: "tag", of: row, rows: [person] });
  for (const [person, theirs] of await topicsOf(orm, rows))
    for (const { topic, chosen } of theirs)
      if (chosen) causes.push({ trigger: "topic", of: topic.row, rows: [person] });
  await enterSequences(orm, causes, now);
}

/** Those of the people who were never on the list before, by their IDs: whoever left has a day on which they did. */
export async function neverLeft(orm: Orm, ids: string[]): Promise<number[]> {
  const isNew = and(hasId(subscribers.id, ids), isNull(subscribers.unsubscribedAt));
  return (await orm.select({ row: subscribers.row }).from(subscribers).where(isNew).all()).map(({ row }) => row);
}

type Entrants = { rows: number[]; welcomed: ReadonlySet<number>; isReported: boolean };

/** Locks the people first: whoever leaves meanwhile waits, and then stops what began here. */
async function enter(orm: Orm, sequence: Sequence, { rows, welcomed, isReported }: Entrants, now: Date): Promise<void> {
  const segment = readSegment(sequence.frozenSegment ?? sequence.segment);
  const step = segment && (await firstStep(orm, sequence));
  if (!step) return;
  const terms = await termsOf(orm, now);
  const isWanted = and(isOneOf(subscribers.row, listOf(rows)), isMailable, segmentCondition(freeze(segment, terms)));
  const { row, id, email, name, timeZone } = subscribers;
  const people = await orm
    .select({ row, id, email, name, timeZone })
    .from(subscribers)
    .where(isWanted)
    .orderBy(forUpdate(row))
    .all();
  const places = people.map((person) => {
    const zone = knownZone(person.timeZone) ?? terms.zone;
    return {
      sequenceRow: sequence.row,
      subscriberRow: person.row,
      stepRow: step.row,
      dueAt: dueAfter(now, step, zone),
      enteredAt: now,
      lastDay: welcomed.has(person.row) ? localDay(now, zone) : null,
    };
  });
  const entered = await insertPlaces(orm, places, { againDays: sequence.againDays, now });
  const isNew = isReported ? people.filter((person) => entered.has(person.row)) : [];
  await emitSequence(
    orm,
    isNew.map((person) => ({ type: "sequence.entered", sequence, person })),
    now,
  );
}

type Beginning = Pick<Place, "sequenceRow" | "subscriberRow" | "stepRow" | "dueAt" | "enteredAt" | "lastDay">;
type Terms = { againDays: number | null; now: Date };

/** Returns the rows of those who begin: for the first time, or so many days after the end of the last. */
async function insertPlaces(orm: Orm, places: Beginning[], { againDays, now }: Terms): Promise<Set<number>> {
  const { sequenceRow, subscriberRow, run, state, endedAt } = sequencePeople;
  const isOver = sql`${state} >= ${sequenceStates.done} and ${endedAt} <= ${now.getTime() - (againDays ?? 0) * dayMs}`;
  const entered = new Set<number>();
  for (let at = 0; at < places.length; at += perInsert) {
    const insert = orm.insert(sequencePeople).values(places.slice(at, at + perInsert));
    const begun =
      againDays === null
        ? insert.onConflictDoNothing()
        : insert.onConflictDoUpdate({
            target: [sequenceRow, subscriberRow],
            set: { ...asInserted, ...anew, run: sql`${run} + 1` },
            setWhere: isOver,
          });
    for (const { person } of await begun.returning({ person: subscriberRow }).all()) entered.add(person);
  }
  return entered;
}

const perInsert = 500; // so that the parameters fit
const asInserted = {
  stepRow: sql`excluded.step_row`,
  dueAt: sql`excluded.due_at`,
  enteredAt: sql`excluded.entered_at`,
  lastDay: sql`coalesce(excluded.last_day, ${sequencePeople.lastDay})`,
};
const anew = { state: sequenceStates.waiting, reason: null, sent: 0, endedAt: null, isEndTold: 0 };

const firstStep = (orm: Orm, { row, edition }: Sequence) =>
  orm
    .select()
    .from(sequenceSteps)
    .where(and(eq(sequenceSteps.sequenceRow, row), eq(sequenceSteps.edition, edition)))
    .orderBy(asc(sequenceSteps.position))
    .limit(1)
    .get();

/** Lets people whose pause has ended go on: what came due meanwhile is sent at the next time that its email allows. */
export async function releaseHeld(orm: Orm, ids: string[], now: Date): Promise<void> {
  const held = await orm
    .select({ person: sequencePeople, step: sequenceSteps, timeZone: subscribers.timeZone })
    .from(sequencePeople)
    .innerJoin(subscribers, eq(subscribers.row, sequencePeople.subscriberRow))
    .innerJoin(sequenceSteps, eq(sequenceSteps.row, sequencePeople.stepRow))
    .where(and(hasId(subscribers.id, ids), isMailable, eq(sequencePeople.state, sequenceStates.held)))
    .all();
  if (!held.length) return;
  const { zone } = await termsOf(orm, now);
  for (const { person, step, timeZone } of held) {
    const dueAt = nextTime(person.dueAt ?? now, now, step, knownZone(timeZone) ?? zone);
    await orm
      .update(sequencePeople)
      .set({ state: sequenceStates.waiting, dueAt })
      .where(and(eq(sequencePeople.row, person.row), eq(sequencePeople.state, sequenceStates.held)))
      .run();
  }
}

/**
 * Lets what waits for these people until an hour of their day come at that hour, on the same day, where they are now. Who
 * has had an email today has had it today there, too.
 */
export async function moveToZones(
  orm: Orm,
  people: { row: number; from: string | null; to: string | null }[],
  now: Date,
): Promise<void> {
  if (!people.length) return;
  const { zone: ofSite } = await termsOf(orm, now);
  const moved = new Map(
    people.map(({ row, from, to }) => [row, { from: knownZone(from) ?? ofSite, to: knownZone(to) ?? ofSite }]),
  );
  await moveLastDays(orm, moved, now);
  const isWaiting = and(
    isOneOf(sequencePeople.subscriberRow, listOf([...moved.keys()])),
    inArray(sequencePeople.state, [sequenceStates.waiting, sequenceStates.held]),
    isNotNull(sequenceSteps.atMinute),
  );
  const { row, subscriberRow, dueAt } = sequencePeople;
  const waiting = await orm
    .select({ row, subscriberRow, dueAt, step: sequenceSteps })
    .from(sequencePeople)
    .innerJoin(sequenceSteps, eq(sequenceSteps.row, sequencePeople.stepRow))
    .where(isWaiting)
    .orderBy(row)
    .all();
  for (const { row, subscriberRow, dueAt, step } of waiting) {
    const { from, to } = moved.get(subscriberRow) ?? { from: ofSite, to: ofSite };
    const day = dueAt && inZone(dueAt, from).toPlainDate();
    const at = day && nextTime(timeOn(day, step.atMinute ?? 0, to), now, step, to);
    if (at) await orm.update(sequencePeople).set({ dueAt: at }).where(eq(sequencePeople.row, row)).run();
  }
}

async function moveLastDays(orm: Orm, moved: Map<number, { from: string; to: string }>, now: Date): Promise<void> {
  const daysBetween = ({ from, to }: { from: string; to: string }) => localDay(now, to) - localDay(now, from);
  for (const [days, people] of Map.groupBy(moved, ([, zones]) => daysBetween(zones))) {
    const theirs = isOneOf(sequencePeople.subscriberRow, listOf(people.map(([row]) => row)));
    const lastDay = sql`${sequencePeople.lastDay} + ${days}`; // null stays null
    if (days) await orm.update(sequencePeople).set({ lastDay }).where(theirs).run();
  }
}

type Happening = {
  type: "sequence.entered" | "sequence.finished" | "sequence.stopped";
  sequence: Pick<Sequence, "id" | "name">;
  person: Pick<typeof subscribers.$inferSelect, "id" | "email" | "name">;
  /** Why someone was stopped. */
  reason?: string | null;
};

/** Queues what webhooks are told about people in sequences, in the transaction of its cause. */
export const emitSequence = (orm: Orm, happenings: Happening[], now: Date): Promise<void> =>
  emitAll(
    orm,
    happenings.map(({ type, sequence, person: { id: subscriberId, email, name }, reason = null }) => ({
      type,
      data: { id: sequence.id, title: sequence.name, subscriberId, reason },
      people: () => ({ email, name }),
    })),
    now,
  );
