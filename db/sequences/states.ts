import { and, eq, inArray, sql } from "drizzle-orm";
import type * as audit from "../audit";
import { segmentOf } from "../broadcasts/audience";
import type { BroadcastLetter, Versioned as VersionedBroadcast } from "../broadcasts/broadcasts";
import { closeOpenBatches } from "../broadcasts/sending/batches";
import { reviewedState } from "../broadcasts/states";
import { isStepOf, pauseSteps } from "../broadcasts/steps";
import type { Db, Orm } from "../engine/open";
import { changeInCommits, rowsPerCommit } from "../lib/bulk";
import { freeze, readSegment } from "../newsletter/segments/definition";
import { termsOf } from "../newsletter/segments/saved";
import { broadcastLetters, broadcasts } from "../schema/broadcasts";
import { isStarted, sequencePeople, sequences, sequenceStates } from "../schema/sequences";
import { deleteSteps } from "./edit";
import {
  apply,
  type ChangeResult,
  draftEdition,
  find,
  type Sequence,
  stepsIn,
  type StepWithBroadcast,
  type Versioned,
} from "./sequences";

/* Every transition by a manager, of a sequence as it was shown. A request that comes too late gets the current state. */

/** An email as it was shown, and its text as it will be sent. */
export type FrozenStep = { seen: VersionedBroadcast; letter: Pick<BroadcastLetter, "letter" | "page" | "bytes"> };

/** Draft to on: freezes the emails, and who may begin. */
export const start = (
  db: Db,
  { seen, steps: frozen }: { seen: Versioned; steps: FrozenStep[] },
  by: audit.Actor,
  now: Date,
) =>
  db.write(async (orm): Promise<ChangeResult> => {
    const draft = await find(orm, seen.id);
    if (!draft) return { outcome: "gone" };
    const steps = await stepsIn(orm, draft, draftEdition(draft));
    const segment = readSegment(draft.segment);
    if (!segment || !areAsSeen(steps, frozen)) return { outcome: "conflict", sequence: draft };
    const frozenSegment = JSON.stringify(freeze(segment, await termsOf(orm, now)));
    const set = { state: "on" as const, edition: draftEdition(draft), frozenSegment, reviewedAt: now };
    const details = { emails: String(steps.length), segment: frozenSegment };
    const change = { seen, where: eq(sequences.state, "draft"), set, verb: "start" as const, details };
    const result = await apply(orm, change, by, now);
    if (result.outcome !== "changed") return result;
    for (const [at, step] of steps.entries()) await startStep(orm, step, frozen[at], { by, now, state: "sending" });
    return result;
  });

export const areAsSeen = (steps: StepWithBroadcast[], frozen: FrozenStep[]) =>
  steps.length > 0 &&
  steps.length === frozen.length &&
  steps.every(
    ({ broadcast }, at) => broadcast.id === frozen[at]?.seen.id && broadcast.version === frozen[at]?.seen.version,
  );

/** Freezes an email, which is being sent from now on to whomever it is due for, unless its sequence is paused. */
export async function startStep(
  orm: Orm,
  { broadcast }: StepWithBroadcast,
  frozen: FrozenStep | undefined,
  { by, now, state }: { by: audit.Actor; now: Date; state: "sending" | "paused" },
): Promise<void> {
  const segment = await segmentOf(orm, broadcast); // of the topic that it is about
  if (!frozen || !segment) throw new Error("An email of the sequence cannot be frozen");
  const frozenSegment = JSON.stringify(freeze(segment, await termsOf(orm, now)));
  const times = { confirmedAt: now, startedAt: now, settledAt: now, updatedAt: now, confirmedBy: by.actor };
  await orm
    .update(broadcasts)
    .set({
      state,
      stateReason: state === "paused" ? "sequence" : null,
      frozenSegment,
      ...times,
      version: broadcast.version + 1,
    })
    .where(eq(broadcasts.row, broadcast.row))
    .run();
  await orm.update(broadcastLetters).set(frozen.letter).where(eq(broadcastLetters.broadcastRow, broadcast.row)).run();
}

/** On to paused. Who begins waits; emails that are on their way get their outcome. */
export const pause = (db: Db, seen: Versioned, by: audit.Actor, now: Date) =>
  db.write(async (orm): Promise<ChangeResult> => {
    const set = { state: "paused" as const, reason: "manager" };
    const result = await apply(orm, { seen, where: eq(sequences.state, "on"), set, verb: "pause" }, by, now);
    if (result.outcome === "changed") await pauseSteps(orm, result.sequence.row, now);
    return result;
  });

/** Whether a manager has to look at something before the sequence goes on. */
export const needsReview = ({ reason }: Pick<Sequence, "reason">): boolean =>
  ["bounces", "complaints", "restored"].includes(reason ?? "");

/** Paused to on. Bounces and complaints so far do not pause it again, and what is late is sent. */
export const resume = (db: Db, seen: Versioned, by: audit.Actor, now: Date) =>
  db.write(async (orm): Promise<ChangeResult> => {
    const set = { state: "on" as const, reason: null, reviewedAt: now };
    const result = await apply(orm, { seen, where: eq(sequences.state, "paused"), set, verb: "resume" }, by, now);
    if (result.outcome !== "changed") return result;
    const sending = { state: "sending" as const, stateReason: null, stateDetail: null, settledAt: now, updatedAt: now };
    const arePaused = and(isStepOf(orm, result.sequence.row), eq(broadcasts.state, "paused"));
    await orm
      .update(broadcasts)
      .set({ ...sending, ...reviewedState, version: sql`${broadcasts.version} + 1` })
      .where(arePaused)
      .run();
    return result;
  });

/** Ends a sequence for good: nobody gets anything more of it. */
export async function end(db: Db, seen: Versioned, by: audit.Actor, now: Date): Promise<ChangeResult> {
  const result = await db.write(async (orm): Promise<ChangeResult> => {
    const ended = await apply(
      orm,
      { seen, where: isStarted, set: { state: "off", reason: null }, verb: "end" },
      by,
      now,
    );
    if (ended.outcome !== "changed") return ended;
    await endSteps(orm, ended.sequence, now);
    await deleteSteps(orm, await stepsIn(orm, ended.sequence, draftEdition(ended.sequence)));
    return ended;
  });
  if (result.outcome === "changed") await stopEnded(db, now);
  return result;
}

async function endSteps(orm: Orm, { row }: Sequence, now: Date): Promise<void> {
  const set = { state: "cancelled" as const, stateReason: null, finishedAt: now, pausedUntil: null, pausedFor: null };
  const areOpen = and(isStepOf(orm, row), inArray(broadcasts.state, ["sending", "paused"]));
  const ended = await orm
    .update(broadcasts)
    .set({ ...set, version: sql`${broadcasts.version} + 1`, updatedAt: now })
    .where(areOpen)
    .returning({ row: broadcasts.row })
    .all();
  for (const broadcast of ended) await closeOpenBatches(orm, broadcast.row, now);
}

/** Stops everyone who waits in sequences that have ended, in several commits; also what a crash left of that. */
export const stopEnded = (db: Db, now: Date) =>
  changeInCommits(db, async (orm) => {
    const ended = orm.select({ row: sequences.row }).from(sequences).where(eq(sequences.state, "off"));
    const { row, sequenceRow, state } = sequencePeople;
    const isLeft = and(inArray(sequenceRow, ended), inArray(state, [sequenceStates.waiting, sequenceStates.held]));
    const some = orm.select({ row }).from(sequencePeople).where(isLeft).limit(rowsPerCommit);
    return orm
      .update(sequencePeople)
      .set({ state: sequenceStates.stopped, reason: "ended", dueAt: null, endedAt: now })
      .where(inArray(row, some))
      .returning({ row })
      .all();
  });
