import { and, asc, desc, eq, gt, inArray, lt, lte, or, sql } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import { broadcasts } from "../schema/broadcasts";
import { subscribers } from "../schema/newsletter";
import { sequencePeople, sequences, sequenceSteps, sequenceStates } from "../schema/sequences";
import type { Sequence, StepWithBroadcast } from "./sequences";

/** How many people are where. Of those who wait for an email, or whose email is on its way: by its step's row. */
type Whereabouts = {
  entered: number;
  done: number;
  stopped: number;
  byStep: Map<number, { waiting: number; held: number; underWay: number }>;
};

const { waiting, claimed, held, done, stopped } = sequenceStates;

export type SequenceCounts = {
  /** How many people are before each email that those get who begin now, or would, in their order. */
  before: number[];
  /** How many people are in it, in all editions, and how many have begun it. */
  inside: number;
  began: number;
};

/** The counts of a sequence that nobody is in. */
export const noCounts = (began = 0): SequenceCounts => ({ before: [], inside: 0, began });

/** Returns the counts of every sequence by its row; see `noCounts` for one that is absent. */
export const countsOfSequences = (db: Db): Promise<Map<number, SequenceCounts>> =>
  db.read(async (orm) => {
    const { sequenceRow, stepRow, state } = sequencePeople;
    const n = sql<number>`count(*)`.mapWith(Number);
    const present = sql<number>`case when ${sequences.state} = 'draft' then ${sequences.edition} + 1 else ${sequences.edition} end`;
    const isPresent = sql<number>`case when ${sequenceSteps.edition} = ${present} then 1 else 0 end`.mapWith(Number);
    const steps = await orm
      .select({ row: sequenceSteps.row, sequenceRow: sequenceSteps.sequenceRow, isPresent })
      .from(sequenceSteps)
      .innerJoin(sequences, eq(sequences.row, sequenceSteps.sequenceRow))
      .orderBy(asc(sequenceSteps.position))
      .all();
    const people = new Map<number | null, number>();
    for (const one of [waiting, claimed, held]) {
      const isIn = sql`${state} = ${sql.raw(String(one))}`; // written out, so that SQLite uses the partial indices
      const groups = await orm.select({ stepRow, n }).from(sequencePeople).where(isIn).groupBy(stepRow).all();
      for (const group of groups) people.set(group.stepRow, (people.get(group.stepRow) ?? 0) + group.n);
    }
    const began = await orm.select({ sequenceRow, n }).from(sequencePeople).groupBy(sequenceRow).all();
    const counts = new Map(began.map((group) => [group.sequenceRow, noCounts(group.n)]));
    for (const step of steps) {
      const of = counts.get(step.sequenceRow) ?? noCounts();
      const here = people.get(step.row) ?? 0;
      of.inside += here;
      if (step.isPresent) of.before.push(here);
      counts.set(step.sequenceRow, of);
    }
    return counts;
  });

const stateNames = new Map<number, keyof typeof sequenceStates>([
  [waiting, "waiting"],
  [claimed, "claimed"],
  [held, "held"],
  [done, "done"],
  [stopped, "stopped"],
]);

/** Returns the sequences that someone began, the latest first. */
export const placesOf = (db: Db, subscriberRow: number) =>
  db.read(async (orm) => {
    const { state, reason, dueAt, enteredAt, endedAt } = sequencePeople;
    const places = await orm
      .select({ id: sequences.id, name: sequences.name, state, reason, dueAt, enteredAt, endedAt })
      .from(sequencePeople)
      .innerJoin(sequences, eq(sequences.row, sequencePeople.sequenceRow))
      .where(eq(sequencePeople.subscriberRow, subscriberRow))
      .orderBy(desc(enteredAt), desc(sequencePeople.row))
      .all();
    return places.map((place) => ({ ...place, state: stateNames.get(place.state) ?? "stopped" }));
  });

/** Someone who waits for an email, and when it is due. */
export type NextDue = { id: string; name: string | null; email: string; stepRow: number; dueAt: Date };

/** Returns who gets an email next, the soonest first. @param stepRows the emails that someone waits for */
export const nextDue = (db: Db, stepRows: number[], limit: number): Promise<NextDue[]> =>
  db.read(async (orm) => {
    const next: NextDue[] = [];
    // One after the other: the index has each email's people in the order of their times, and no more is read of it
    for (const stepRow of stepRows) {
      const rows = await orm
        .select({ id: subscribers.id, name: subscribers.name, email: subscribers.email, dueAt: sequencePeople.dueAt })
        .from(sequencePeople)
        .innerJoin(subscribers, eq(subscribers.row, sequencePeople.subscriberRow))
        .where(and(eq(sequencePeople.stepRow, stepRow), sql`${sequencePeople.state} = ${sql.raw(String(waiting))}`))
        .orderBy(asc(sequencePeople.dueAt))
        .limit(limit)
        .all();
      next.push(...rows.flatMap(({ dueAt, ...row }) => (dueAt ? [{ ...row, stepRow, dueAt }] : [])));
    }
    return next.toSorted((a, b) => a.dueAt.getTime() - b.dueAt.getTime()).slice(0, limit);
  });

const windowRows = 2_000;

/** Counts where the people of a sequence are. Reads a window at a time, because there may be a million. */
export async function whereabouts(db: Db, { row }: Pick<Sequence, "row">): Promise<Whereabouts> {
  const total: Whereabouts = { entered: 0, done: 0, stopped: 0, byStep: new Map() };
  const { subscriberRow, sequenceRow, state, stepRow } = sequencePeople;
  for (let after = 0; ;) {
    const bound = await db.read((orm) =>
      orm
        .select({ row: subscriberRow })
        .from(sequencePeople)
        .where(and(eq(sequenceRow, row), gt(subscriberRow, after)))
        .orderBy(subscriberRow)
        .limit(1)
        .offset(windowRows - 1)
        .get(),
    );
    const upTo = bound ? lte(subscriberRow, bound.row) : undefined;
    const groups = await db.read((orm) =>
      orm
        .select({ state, step: stepRow, n: sql<number>`count(*)`.mapWith(Number) })
        .from(sequencePeople)
        .where(and(eq(sequenceRow, row), gt(subscriberRow, after), upTo))
        .groupBy(state, stepRow)
        .all(),
    );
    for (const group of groups) add(total, group);
    if (!bound) return total;
    after = bound.row;
    await new Promise((turn) => setImmediate(turn));
  }
}

function add(total: Whereabouts, { state, step, n }: { state: number; step: number | null; n: number }): void {
  total.entered += n;
  if (state === sequenceStates.done) total.done += n;
  else if (state === sequenceStates.stopped || step === null) total.stopped += n;
  else {
    const at = total.byStep.get(step) ?? { waiting: 0, held: 0, underWay: 0 };
    if (state === sequenceStates.waiting) at.waiting += n;
    else if (state === sequenceStates.held) at.held += n;
    else at.underWay += n;
    total.byStep.set(step, at);
  }
}

/** How many people wait, are held, or have an email on its way, in all editions. */
export function insideOf({ byStep }: Pick<Whereabouts, "byStep">) {
  const inside = { waiting: 0, held: 0, underWay: 0 };
  for (const at of byStep.values()) {
    inside.waiting += at.waiting;
    inside.held += at.held;
    inside.underWay += at.underWay;
  }
  return inside;
}

const mostEarlier = 50;

/** Returns the emails of earlier editions that someone got or waits for, by the steps' rows: the latest, at most 50. */
export const earlierSteps = (orm: Orm, { row, edition }: Sequence, waitedFor: number[]): Promise<StepWithBroadcast[]> =>
  orm
    .select({ step: sequenceSteps, broadcast: broadcasts })
    .from(sequenceSteps)
    .innerJoin(broadcasts, eq(broadcasts.row, sequenceSteps.broadcastRow))
    .where(
      and(
        eq(sequenceSteps.sequenceRow, row),
        lt(sequenceSteps.edition, edition),
        or(gt(broadcasts.claimed, 0), inArray(sequenceSteps.row, [...waitedFor, 0])),
      ),
    )
    .orderBy(desc(sequenceSteps.edition), asc(sequenceSteps.position))
    .limit(mostEarlier)
    .all();
