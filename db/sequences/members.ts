import { and, asc, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Orm } from "../engine/open";
import { dueAfter } from "../newsletter/sequences/due";
import { statusOf } from "../newsletter/rules";
import { subscribers } from "../schema/newsletter";
import { sequencePeople, sequenceSteps, sequenceStates } from "../schema/sequences";

/* Someone in a sequence, and how they get from one email to the next. */

export type Step = typeof sequenceSteps.$inferSelect;
type Place = typeof sequencePeople.$inferSelect;
export type Member = {
  place: Place;
  person: Pick<
    typeof subscribers.$inferSelect,
    "state" | "suppressedAt" | "pendingAt" | "pausedUntil" | "unsubscribedAt" | "timeZone"
  >;
};
/** Why someone gets no more of a sequence. */
type StopReason = "left" | "suppressed" | "topic" | "refused" | "late" | "ended";

const { state, suppressedAt, pendingAt, pausedUntil, unsubscribedAt, timeZone } = subscribers;

export const membersWhere = (orm: Orm, where: SQL | undefined): Promise<Member[]> =>
  orm
    .select({
      place: sequencePeople,
      person: { state, suppressedAt, pendingAt, pausedUntil, unsubscribedAt, timeZone },
    })
    .from(sequencePeople)
    .innerJoin(subscribers, eq(subscribers.row, sequencePeople.subscriberRow))
    .where(where)
    .orderBy(asc(sequencePeople.subscriberRow))
    .all();

/** Why a member gets nothing now; undefined if they get emails. Whoever left since they began, and came back, goes on with nothing. */
export function obstacleOf({ place, person }: Member): "held" | StopReason | undefined {
  const status = statusOf(person);
  if (status === "suppressed") return "suppressed";
  const hasLeft = person.unsubscribedAt !== null && person.unsubscribedAt >= place.enteredAt;
  if (hasLeft || status === "unsubscribed" || status === "pending") return "left";
  return status === "paused" ? "held" : undefined;
}

/** The bit of a number in `sent`. Numbers go beyond the 32 bits of JavaScript's operators. */
const bitOf = (number: number) => 2 ** number;
export const isSent = (sent: number, number: number): boolean => Math.floor(sent / bitOf(number)) % 2 === 1;
export const withSent = (sent: number, number: number): number => (isSent(sent, number) ? sent : sent + bitOf(number));
export const withoutSent = (sent: number, number: number): number =>
  isSent(sent, number) ? sent - bitOf(number) : sent;

/**
 * Changes the place of a member, if no one has in the meantime: whoever leaves at this moment is stopped by a trigger,
 * which waits for this row or is waited for. Returns whether it did.
 */
export async function move(orm: Orm, { row, state: before, reason }: Place, set: Partial<Place>): Promise<boolean> {
  const isAsRead = and(
    eq(sequencePeople.row, row),
    eq(sequencePeople.state, before),
    sql`${sequencePeople.reason} is not distinct from ${reason}`,
  );
  const moved = await orm.update(sequencePeople).set(set).where(isAsRead).returning({ row: sequencePeople.row }).all();
  return moved.length > 0;
}

export const stop = (orm: Orm, place: Place, reason: string, now: Date) =>
  move(orm, place, { state: sequenceStates.stopped, reason, dueAt: null, endedAt: now });

/** Returns the steps of the same editions of the same sequences, in order. */
export async function stepsBeside(orm: Orm, rows: number[]): Promise<Step[]> {
  if (!rows.length) return [];
  const those = orm
    .select({ row: sequenceSteps.sequenceRow })
    .from(sequenceSteps)
    .where(inArray(sequenceSteps.row, rows));
  return orm
    .select()
    .from(sequenceSteps)
    .where(inArray(sequenceSteps.sequenceRow, those))
    .orderBy(asc(sequenceSteps.position))
    .all();
}

type Onward = { step: Step; steps: Step[]; sent: number; from: Date; zone: string };

/**
 * Moves a member on to the next email that they have not had, or to the end.
 *
 * @param onward from which step, when that was sent, and what they have had
 */
export function goOn(orm: Orm, { place, person }: Member, { step, steps, sent, from, zone }: Onward, now: Date) {
  const next = steps.find(
    (each) =>
      each.sequenceRow === step.sequenceRow &&
      each.edition === step.edition &&
      each.position > step.position &&
      !isSent(sent, each.number),
  );
  if (!next) return move(orm, place, { state: sequenceStates.done, stepRow: null, dueAt: null, sent, endedAt: now });
  const state = statusOf(person) === "paused" ? sequenceStates.held : sequenceStates.waiting;
  return move(orm, place, { state, stepRow: next.row, sent, dueAt: dueAfter(from, next, zone) });
}
