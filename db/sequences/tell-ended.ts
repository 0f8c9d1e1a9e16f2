import { and, asc, eq, inArray, ne, or, isNull, sql } from "drizzle-orm";
import { type Db, type Orm, prepared } from "../engine/open";
import { emitSequence } from "../newsletter/sequence-entry";
import { subscribers } from "../schema/newsletter";
import { sequencePeople, sequences, sequenceStates } from "../schema/sequences";

/*
 * Webhooks are told who is done or stopped soon after it is so, not in its transaction: mostly database triggers stop
 * people. Who was told of is marked in the commit that tells, so everyone is told of once.
 */

const perCommit = 200;

const { row, subscriberRow, sequenceRow, state, reason, isEndTold } = sequencePeople;
const isUntold = sql`${state} >= 3 and ${isEndTold} = 0`; // written out, so that SQLite uses the partial index

const untold = prepared((orm) =>
  orm.select({ row }).from(sequencePeople).where(isUntold).orderBy(asc(row)).limit(perCommit).prepare(),
);

/** Tells webhooks of some whose sequence has ended. Cheap enough to call every second. Returns whether there were any. */
export async function tellEnded(db: Db, now: Date): Promise<boolean> {
  const rows = (await db.read((orm) => untold(orm).all())).map((place) => place.row);
  if (!rows.length) return false;
  await db.write(async (orm) => {
    const isOne = and(inArray(row, rows), isUntold);
    const told = await orm.update(sequencePeople).set({ isEndTold: 1 }).where(isOne).returning({ row }).all();
    await tell(
      orm,
      told.map((place) => place.row),
      now,
    );
  });
  return true;
}

/** When a manager ends a sequence, it is over for everyone, and no one is reported one by one. */
const isOfOnePerson = or(isNull(reason), ne(reason, "ended"));

async function tell(orm: Orm, rows: number[], now: Date): Promise<void> {
  const { id, email, name } = subscribers;
  const ended = await orm
    .select({ state, reason, person: { id, email, name }, sequence: { id: sequences.id, name: sequences.name } })
    .from(sequencePeople)
    .innerJoin(subscribers, eq(subscribers.row, subscriberRow))
    .innerJoin(sequences, eq(sequences.row, sequenceRow))
    .where(and(inArray(row, [...rows, 0]), isOfOnePerson))
    .orderBy(asc(row))
    .all();
  const happenings = ended.map((each) => ({
    type: each.state === sequenceStates.done ? ("sequence.finished" as const) : ("sequence.stopped" as const),
    sequence: each.sequence,
    person: each.person,
    reason: each.state === sequenceStates.done ? null : each.reason,
  }));
  await emitSequence(orm, happenings, now);
}
