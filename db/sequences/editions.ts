import { and, eq, inArray, lt, lte, not, sql } from "drizzle-orm";
import type * as audit from "../audit";
import { letterOf } from "../broadcasts/broadcasts";
import { isOpen } from "../broadcasts/sending/batches";
import type { Db } from "../engine/open";
import { hourMs } from "../lib/time";
import { broadcastBatches, broadcasts, isUnderWay } from "../schema/broadcasts";
import { isStarted, sequencePeople, sequences, sequenceSteps } from "../schema/sequences";
import { deleteSteps, freeNumber, insertStep, type NewStep } from "./edit";
import { apply, type ChangeResult, draftEdition, find, maxSequences, stepsIn, type Versioned } from "./sequences";
import { areAsSeen, type FrozenStep, startStep } from "./states";

/* New emails of a sequence that was started: written beside those that are being sent, and published all at once. */

/** Begins a new edition with drafts of the emails that people who begin now get. They keep their numbers. */
export const beginEdition = (db: Db, seen: Versioned, by: audit.Actor, now: Date) =>
  db.write(async (orm): Promise<ChangeResult> => {
    const result = await apply(orm, { seen, where: isStarted, set: {}, verb: "change" }, by, now);
    if (result.outcome !== "changed") return result;
    const { sequence } = result;
    if ((await stepsIn(orm, sequence, draftEdition(sequence))).length) return result; // somebody did already
    for (const { step: before, broadcast } of await stepsIn(orm, sequence, sequence.edition)) {
      const { position, number, waitHours, atMinute } = before;
      const { subject, preheader, fromName, topicRow } = broadcast;
      const content = (await letterOf(orm, broadcast.row))?.content ?? "";
      const step = { wait: { waitHours, atMinute }, subject, preheader, fromName, topicRow, content };
      await insertStep(orm, { sequence, step, position, number }, by, now);
    }
    return result;
  });

/** An email of a new edition; `replaces`: the position of the one that it is in the edition before, whose number it keeps. */
type EditionStep = NewStep & { replaces?: number | undefined };
type Written = ChangeResult | { outcome: "full" } | { outcome: "no-such-email" };

/** Writes a whole edition, as drafts, if none is being written. */
export const writeEdition = (
  db: Db,
  { seen, steps }: { seen: Versioned; steps: EditionStep[] },
  by: audit.Actor,
  now: Date,
) =>
  db.write(async (orm): Promise<Written> => {
    const sequence = await find(orm, seen.id);
    if (!sequence) return { outcome: "gone" };
    const before = await stepsIn(orm, sequence, sequence.edition);
    const isBeingWritten = (await stepsIn(orm, sequence, draftEdition(sequence))).length > 0;
    const numbers = steps.map(({ replaces }) => before.find(({ step }) => step.position === replaces)?.step.number);
    const replaced = steps.flatMap(({ replaces }) => replaces ?? []);
    const kept = new Set(numbers.filter((number) => number !== undefined));
    if (kept.size < replaced.length) return { outcome: "no-such-email" };
    const first = await freeNumber(orm, sequence);
    if (steps.length > maxSequences.steps || first + steps.length - kept.size > maxSequences.numbers)
      return { outcome: "full" };
    if (isBeingWritten) return { outcome: "conflict", sequence };
    const result = await apply(orm, { seen, where: isStarted, set: {}, verb: "change" }, by, now);
    if (result.outcome !== "changed") return result;
    let next = first;
    for (const [at, step] of steps.entries())
      await insertStep(orm, { sequence, step, position: at + 1, number: numbers[at] ?? next++ }, by, now);
    return result;
  });

/** Deletes the drafts of a new edition. What is being sent stays as it is. */
export const discardEdition = (db: Db, seen: Versioned, by: audit.Actor, now: Date) =>
  db.write(async (orm): Promise<ChangeResult> => {
    const result = await apply(orm, { seen, where: isStarted, set: {}, verb: "discard" }, by, now);
    if (result.outcome === "changed")
      await deleteSteps(orm, await stepsIn(orm, result.sequence, draftEdition(result.sequence)));
    return result;
  });

type Publication = {
  seen: Versioned;
  steps: FrozenStep[];
  /** Whether who is in the sequence goes on in the new edition. Otherwise they keep the one that they began. */
  carriesOn: boolean;
};

/** Freezes the drafts, which whoever begins from now on gets. Who waits is moved in further commits (carryOn). */
export const publishEdition = (
  db: Db,
  { seen, steps: frozen, carriesOn }: Publication,
  by: audit.Actor,
  now: Date,
): Promise<ChangeResult> =>
  db.write(async (orm): Promise<ChangeResult> => {
    const sequence = await find(orm, seen.id);
    if (!sequence) return { outcome: "gone" };
    const edition = draftEdition(sequence);
    const steps = await stepsIn(orm, sequence, edition);
    if (!areAsSeen(steps, frozen)) return { outcome: "conflict", sequence };
    const set = { edition, ...(carriesOn && { carriesTo: edition }) };
    const details = { emails: String(steps.length), people: carriesOn ? "go on with these" : "keep theirs" };
    const result = await apply(orm, { seen, where: isStarted, set, verb: "publish", details }, by, now);
    if (result.outcome !== "changed") return result;
    const state = result.sequence.state === "paused" ? ("paused" as const) : ("sending" as const);
    for (const [at, step] of steps.entries()) await startStep(orm, step, frozen[at], { by, now, state });
    return result;
  });

/**
 * Condition on steps: somebody is in their edition or an earlier one, who may go on in it, in this state. The state is
 * written out, so that SQLite uses partial indices.
 */
const isWhereSomebodyIs = (state: 0 | 1 | 2) =>
  sql`exists (select 1 from ${sequenceSteps} beside join ${sequencePeople} on ${sequencePeople.stepRow} = beside.row
    where beside.sequence_row = ${sequenceSteps.sequenceRow} and beside.edition <= ${sequenceSteps.edition}
    and ${sequencePeople.state} = ${sql.raw(String(state))})`;

const hasOpenBatch = sql`exists (select 1 from ${broadcastBatches} where ${broadcastBatches.broadcastRow} = ${broadcasts.row} and ${isOpen})`;

/** Who began while an edition was published may have begun the one before. */
const quietMs = hourMs;

/** Ends the emails of earlier editions in which nobody is any more: senders look at all that are being sent. */
export async function endOldEditions(db: Db, now: Date): Promise<void> {
  await db.write(async (orm) => {
    const old = orm
      .select({ row: sequenceSteps.broadcastRow })
      .from(sequenceSteps)
      .innerJoin(sequences, eq(sequences.row, sequenceSteps.sequenceRow))
      .where(
        and(
          lt(sequenceSteps.edition, sequences.edition),
          lte(sequences.updatedAt, new Date(now.getTime() - quietMs)),
          not(isWhereSomebodyIs(0)),
          not(isWhereSomebodyIs(1)),
          not(isWhereSomebodyIs(2)),
        ),
      );
    const set = { state: "sent" as const, finishedAt: now, updatedAt: now, version: sql`${broadcasts.version} + 1` };
    const isOver = and(isUnderWay, eq(broadcasts.state, "sending"), inArray(broadcasts.row, old), not(hasOpenBatch));
    await orm.update(broadcasts).set(set).where(isOver).run();
  });
}
