import { and, asc, eq, inArray, lt, type SQL, sql } from "drizzle-orm";
import { type Orm, prepared } from "../engine/open";
import { isAmong } from "../lib/rows";
import { dueAfter } from "../newsletter/sequence-entry";
import { statusOf } from "../newsletter/rules";
import { subscribers } from "../schema/newsletter";
import { sequencePeople, sequences, sequenceSteps, sequenceStates } from "../schema/sequences";

const { placeholder } = sql;

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

export const membersWhere = (orm: Orm, where: SQL | undefined): Promise<Member[]> => members(orm, where).all();

export const members = (orm: Orm, where: SQL | undefined) =>
  orm
    .select({
      place: sequencePeople,
      person: { state, suppressedAt, pendingAt, pausedUntil, unsubscribedAt, timeZone },
    })
    .from(sequencePeople)
    .innerJoin(subscribers, eq(subscribers.row, sequencePeople.subscriberRow))
    .where(where)
    .orderBy(asc(sequencePeople.subscriberRow));

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
export async function move(orm: Orm, place: Place, set: Partial<Moved>): Promise<boolean> {
  const to = { ...place, ...set };
  const moved = await moving(orm).all({
    row: place.row,
    ofState: place.state,
    ofReason: place.reason,
    ofStep: place.stepRow,
    state: to.state,
    reason: to.reason,
    stepRow: to.stepRow,
    sent: to.sent,
    dueAt: to.dueAt && to.dueAt.getTime(),
    endedAt: to.endedAt && to.endedAt.getTime(),
  });
  return moved.length > 0;
}

type Moved = Pick<Place, "state" | "reason" | "stepRow" | "sent" | "dueAt" | "endedAt">;

const moving = prepared((orm) => {
  const { row, state: status, reason, stepRow } = sequencePeople;
  const isAsRead = and(
    eq(row, placeholder("row")),
    eq(status, placeholder("ofState")),
    sql`${reason} is not distinct from ${placeholder("ofReason")}`,
    sql`${stepRow} is not distinct from ${placeholder("ofStep")}`,
  );
  const to = (column: keyof Moved) => sql`${placeholder(column)}`;
  return orm
    .update(sequencePeople)
    .set({
      state: to("state"),
      reason: to("reason"),
      stepRow: to("stepRow"),
      sent: to("sent"),
      dueAt: to("dueAt"),
      endedAt: to("endedAt"),
    })
    .where(isAsRead)
    .returning({ row })
    .prepare();
});

export const stop = (orm: Orm, place: Place, reason: string, now: Date) =>
  move(orm, place, { state: sequenceStates.stopped, reason, dueAt: null, endedAt: now });

/** Returns the steps of all editions of the same sequences, in order. */
export async function stepsBeside(orm: Orm, rows: number[]): Promise<Step[]> {
  return rows.length ? besideSteps(orm).all({ rows: JSON.stringify(rows) }) : [];
}

const besideSteps = prepared((orm) => {
  const { row, sequenceRow, position } = sequenceSteps;
  const those = orm.select({ row: sequenceRow }).from(sequenceSteps).where(isAmong(row));
  return orm.select().from(sequenceSteps).where(inArray(sequenceRow, those)).orderBy(asc(position)).prepare();
});

/** Condition: whoever waits for this step goes on in a later edition. */
export const isCarriedOn: SQL = lt(sequenceSteps.edition, sequences.carriesTo);

type Onward = { step: Step; steps: Step[]; edition: number; sent: number; from: Date; zone: string };

/**
 * Returns the first email of an edition that someone has not had, after the last that they have had, or that was left
 * out for them before `step` of their own edition. An email that is still ahead of them in their own edition may have
 * moved to any place.
 */
export function nextStep(
  place: Pick<Place, "sent">,
  { step, steps, edition }: Pick<Onward, "step" | "steps" | "edition">,
) {
  const beside = steps.filter(({ sequenceRow }) => sequenceRow === step.sequenceRow);
  const own = new Map(
    beside.filter((each) => each.edition === step.edition).map((each) => [each.number, each.position]),
  );
  const isOver = (number: number) => (own.get(number) ?? step.position) < step.position || isSent(place.sent, number);
  const its = beside.filter((each) => each.edition === edition);
  const last = Math.max(0, ...its.filter(({ number }) => isOver(number)).map(({ position }) => position));
  return its.find(({ number, position }) => !isOver(number) && (position > last || own.has(number)));
}

/**
 * Moves a member on to the next email that they have not had, or to the end.
 *
 * @param onward from which step, when that was sent, what they have had, and the edition in which they go on
 */
export function goOn(orm: Orm, { place, person }: Member, { step, from, zone, sent, ...onward }: Onward, now: Date) {
  const after = { ...step, position: step.position + 1 };
  const next = nextStep({ sent }, { step: after, ...onward });
  if (!next) return move(orm, place, { ...atTheEnd(now), sent });
  const state = statusOf(person) === "paused" ? sequenceStates.held : sequenceStates.waiting;
  return move(orm, place, { state, stepRow: next.row, sent, dueAt: dueAfter(from, next, zone) });
}

/** What is set once there is nothing more for a member. */
export const atTheEnd = (now: Date) => ({ state: sequenceStates.done, stepRow: null, dueAt: null, endedAt: now });
