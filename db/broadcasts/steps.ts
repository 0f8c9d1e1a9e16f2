import { and, eq, inArray, isNull, ne, or, type SQL, sql } from "drizzle-orm";
import type { Orm } from "../engine/open";
import { lockInOrder } from "../lib/rows";
import { broadcasts } from "../schema/broadcasts";
import { subscribers } from "../schema/newsletter";
import { sequencePeople, sequences, sequenceSteps } from "../schema/sequences";

/*
 * What broadcasts know of sequences, whose emails are broadcasts of the kind "step": they are written, sent and reported
 * like all others, but a manager starts and stops the sequence, and they are in no list of broadcasts.
 */

/** Condition: a broadcast of its own, and no email of a sequence. */
export const isNoStep: SQL = ne(broadcasts.kind, "step");

const sequenceOf = (broadcastRow: number) =>
  sql`(select ${sequenceSteps.sequenceRow} from ${sequenceSteps} where ${sequenceSteps.broadcastRow} = ${broadcastRow})`;

/**
 * Condition on subscribers: nothing has stopped them in the sequence of this step since they were claimed. A refusal has
 * not, if a manager has it sent again.
 */
export const isStillIn = (broadcastRow: number): SQL =>
  sql`exists (select 1 from ${sequencePeople} where ${and(
    eq(sequencePeople.subscriberRow, subscribers.row),
    eq(sequencePeople.sequenceRow, sequenceOf(broadcastRow)),
    or(isNull(sequencePeople.reason), eq(sequencePeople.reason, "refused")),
  )})`;

/** Condition: the emails of the sequences that are on, if the broadcast is one at all. */
export const isOfSequenceThatIsOn: SQL = sql`(${isNoStep} or exists (select 1 from ${sequenceSteps}
  join ${sequences} on ${sequences.row} = ${sequenceSteps.sequenceRow}
  where ${sequenceSteps.broadcastRow} = ${broadcasts.row} and ${sequences.state} = 'on'))`;

/** The sequence of a step that has paused does too, with its other emails. */
export async function pauseSequenceOf(orm: Orm, broadcastRow: number, reason: string, now: Date): Promise<void> {
  const paused = { state: "paused" as const, reason, version: sql`${sequences.version} + 1`, updatedAt: now };
  await orm
    .update(sequences)
    .set(paused)
    .where(and(eq(sequences.row, sequenceOf(broadcastRow)), eq(sequences.state, "on")))
    .run();
  await pauseSteps(orm, sequenceOf(broadcastRow), now);
}

/** Locks the emails of a sequence in their order, before it or one of them changes. */
export const lockSteps = (orm: Orm, sequenceRow: SQL): Promise<void> =>
  lockInOrder(orm, broadcasts, isStepOf(orm, sequenceRow));

/** If the broadcast is an email of a sequence, locks all of them in their order. */
export async function lockBeside(orm: Orm, id: string): Promise<void> {
  const step = sql`(select ${sequenceSteps.sequenceRow} from ${sequenceSteps} join ${broadcasts}
    on ${broadcasts.row} = ${sequenceSteps.broadcastRow} where ${broadcasts.id} = ${id})`;
  await lockSteps(orm, step);
}

/** Pauses the emails of a sequence that are being sent, which are locked. */
export async function pauseSteps(orm: Orm, sequenceRow: number | SQL, now: Date): Promise<void> {
  const areSent = and(isStepOf(orm, sequenceRow), eq(broadcasts.state, "sending"));
  await orm
    .update(broadcasts)
    .set({
      state: "paused",
      stateReason: "sequence",
      stateDetail: null,
      pausedUntil: null,
      pausedFor: null,
      version: sql`${broadcasts.version} + 1`,
      updatedAt: now,
    })
    .where(areSent)
    .run();
}

/** Condition: the emails of a sequence, of all its editions. */
export const isStepOf = (orm: Orm, sequenceRow: number | SQL): SQL =>
  inArray(
    broadcasts.row,
    orm
      .select({ row: sequenceSteps.broadcastRow })
      .from(sequenceSteps)
      .where(eq(sequenceSteps.sequenceRow, sequenceRow)),
  );
