import { and, eq, inArray, max, ne, sql } from "drizzle-orm";
import * as audit from "../audit";
import type { Broadcast } from "../broadcasts/broadcasts";
import { createIn } from "../broadcasts/edit";
import type { Db, Orm } from "../engine/open";
import { fold } from "../lib/fold";
import { countRows } from "../lib/rows";
import { freeze, type Segment } from "../newsletter/segments/definition";
import { termsOf } from "../newsletter/segments/saved";
import type { Wait } from "../newsletter/sequence-entry";
import { ensureTags } from "../newsletter/tags";
import { topicsNamed } from "../newsletter/topics";
import { broadcasts } from "../schema/broadcasts";
import { sequences, sequenceSteps } from "../schema/sequences";
import {
  apply,
  type ChangeResult,
  draftEdition,
  find,
  maxSequences,
  type Sequence,
  stepsIn,
  type StepWithBroadcast,
  type Versioned,
} from "./sequences";

/** What begins it: a tag by its name, a topic by its slug. */
export type Trigger = { trigger: "subscribed" | "confirmed" } | { trigger: "tag" | "topic"; of: string };
/** `againDays`: so long after its end, what begins it begins it again, for a tag or topic alone; otherwise never. */
type Definition = Trigger & { name: string; segment: Segment; againDays?: number | null };
type Saved = { outcome: "saved"; sequence: Sequence };
type Refusal = "taken" | "full" | "no-topic" | "no-tag";

/** Creates a sequence without emails, as a draft. A tag that does not exist yet is made. */
export async function createSequence(db: Db, definition: Definition, by: audit.Actor, now: Date) {
  const { trigger } = definition;
  const [tag] = trigger === "tag" ? await ensureTags(db, [definition.of], now) : [];
  if (trigger === "tag" && !tag) return { outcome: "no-tag" as const };
  return db.write(async (orm): Promise<Saved | { outcome: Refusal }> => {
    const { name, segment, againDays = null } = definition;
    const [topic] = trigger === "topic" ? await topicsNamed(orm, [definition.of]) : [];
    if (trigger === "topic" && !topic) return { outcome: "no-topic" };
    if (await isTaken(orm, name)) return { outcome: "taken" };
    if ((await countRows(orm, sequences, undefined)) >= maxSequences.sequences) return { outcome: "full" };
    const begins = { trigger, tagRow: tag?.row ?? null, topicRow: topic?.row ?? null };
    const about = { ...begins, segment: JSON.stringify(segment), againDays };
    const times = { createdBy: by.actor, createdAt: now, updatedAt: now };
    const sequence = await orm
      .insert(sequences)
      .values({ name, folded: fold(name), ...about, ...times })
      .returning()
      .get();
    await audit.record(orm, { ...by, action: "sequence.create", targetId: sequence.id, target: name }, now);
    return { outcome: "saved", sequence };
  });
}

/** @param id of the sequence itself, which may keep its name */
async function isTaken(orm: Orm, name: string, id = ""): Promise<boolean> {
  return (await countRows(orm, sequences, and(eq(sequences.folded, fold(name)), ne(sequences.id, id)))) > 0;
}

type Redefinition = Trigger & {
  name: string;
  /** Undefined: as it is. */
  segment: Segment | undefined;
  againDays: number | null;
};

/**
 * Changes what a sequence is called, what begins it, and for whom. Whoever is in it goes on, so a sequence that was
 * started keeps its topic: its emails are sent to people who read that alone.
 */
export async function redefine(
  db: Db,
  { seen, definition }: { seen: Versioned; definition: Redefinition },
  by: audit.Actor,
  now: Date,
) {
  const { trigger, name, segment, againDays } = definition;
  const [tag] = trigger === "tag" ? await ensureTags(db, [definition.of], now) : [];
  if (trigger === "tag" && !tag) return { outcome: "no-tag" as const };
  return db.write(async (orm): Promise<ChangeResult | { outcome: Refusal | "topic" }> => {
    const [topic] = trigger === "topic" ? await topicsNamed(orm, [definition.of]) : [];
    if (trigger === "topic" && !topic) return { outcome: "no-topic" };
    const before = await find(orm, seen.id);
    if (!before) return { outcome: "gone" };
    if (await isTaken(orm, name, seen.id)) return { outcome: "taken" };
    const topicRow = topic?.row ?? null;
    if (before.edition > 0 && before.topicRow !== topicRow) return { outcome: "topic" };
    const frozen = segment && before.edition > 0 && JSON.stringify(freeze(segment, await termsOf(orm, now)));
    const set = {
      name,
      folded: fold(name),
      trigger,
      tagRow: tag?.row ?? null,
      topicRow,
      againDays,
      ...(segment && { segment: JSON.stringify(segment) }),
      ...(frozen && { frozenSegment: frozen }),
    };
    const details = {
      trigger,
      ...(againDays !== before.againDays && { again: String(againDays ?? "never") }),
      ...(segment && { segment: frozen || set.segment || "" }),
    };
    const where = ne(sequences.state, "off");
    const result = await apply(orm, { seen, where, set, verb: "change", details }, by, now);
    if (result.outcome === "changed" && before.topicRow !== topicRow) await changeTopic(orm, result.sequence, now);
    return result;
  });
}

/** The first emails are about what begins the sequence. */
async function changeTopic(orm: Orm, sequence: Sequence, now: Date): Promise<void> {
  const drafts = (await stepsIn(orm, sequence, draftEdition(sequence))).map(({ broadcast }) => broadcast.row);
  const set = { topicRow: sequence.topicRow, version: sql`${broadcasts.version} + 1`, updatedAt: now };
  await orm
    .update(broadcasts)
    .set(set)
    .where(inArray(broadcasts.row, [...drafts, 0]))
    .run();
}

/** Deletes a sequence that was never started, with its emails. */
export const deleteSequence = (db: Db, seen: Versioned, by: audit.Actor, now: Date) =>
  db.write(async (orm): Promise<ChangeResult> => {
    const where = eq(sequences.state, "draft");
    const result = await apply(orm, { seen, where, set: {}, verb: "delete" }, by, now);
    if (result.outcome !== "changed") return result;
    await deleteSteps(orm, await stepsIn(orm, result.sequence, draftEdition(result.sequence)));
    await orm.delete(sequences).where(eq(sequences.row, result.sequence.row)).run();
    return result;
  });

/** Deletes emails that were never sent, with their texts; their places in the sequence go with them. */
export const deleteSteps = (orm: Orm, steps: StepWithBroadcast[]) =>
  orm
    .delete(broadcasts)
    .where(
      inArray(
        broadcasts.row,
        steps.map(({ broadcast }) => broadcast.row),
      ),
    )
    .run();

export type NewStep = { wait: Wait; subject: string; preheader?: string; content: string };
/** The same with what a copy has of its own. */
type StepFields = NewStep & Partial<Pick<Broadcast, "fromName" | "topicRow">>;
type StepResult =
  Exclude<ChangeResult, { outcome: "changed" }> | (Added & { outcome: "changed" }) | { outcome: "full" };
type Added = { sequence: Sequence; broadcastId: string };

/** Adds an email at the end of the edition that is being written, as a draft. */
export const addStep = (db: Db, { seen, step }: { seen: Versioned; step: NewStep }, by: audit.Actor, now: Date) =>
  db.write(async (orm): Promise<StepResult> => {
    const sequence = await find(orm, seen.id);
    if (!sequence) return { outcome: "gone" };
    const steps = await stepsIn(orm, sequence, draftEdition(sequence));
    const number = await freeNumber(orm, sequence);
    if (!steps.length && sequence.state !== "draft") return { outcome: "conflict", sequence }; // no edition is being written
    if (steps.length >= maxSequences.steps || number >= maxSequences.numbers) return { outcome: "full" };
    const result = await apply(orm, { seen, where: ne(sequences.state, "off"), set: {}, verb: "change" }, by, now);
    if (result.outcome !== "changed") return result;
    const position = (steps.at(-1)?.step.position ?? 0) + 1;
    const broadcast = await insertStep(orm, { sequence, step, position, number }, by, now);
    return { ...result, broadcastId: broadcast.id };
  });

type Insertion = { sequence: Sequence; step: StepFields; position: number; number: number };

/** Inserts an email into the edition that is being written, as a draft. */
export async function insertStep(
  orm: Orm,
  { sequence, step, position, number }: Insertion,
  by: audit.Actor,
  now: Date,
): Promise<Broadcast> {
  const { wait, subject, preheader = "", fromName = "", topicRow = sequence.topicRow, content } = step;
  const fields = { subject, preheader, content, fromName, archive: "none" as const, segment: {}, topicRow };
  const broadcast = await createIn(orm, { source: { kind: "step" }, fields }, by, now);
  const place = {
    sequenceRow: sequence.row,
    edition: draftEdition(sequence),
    position,
    number,
    broadcastRow: broadcast.row,
  };
  await orm
    .insert(sequenceSteps)
    .values({ ...place, ...wait })
    .run();
  return broadcast;
}

/** Returns a number that no email of the sequence ever had, in any edition. */
export async function freeNumber(orm: Orm, { row }: Sequence): Promise<number> {
  const highest = await orm
    .select({ number: max(sequenceSteps.number) })
    .from(sequenceSteps)
    .where(eq(sequenceSteps.sequenceRow, row))
    .get();
  return highest?.number === null || highest?.number === undefined ? 0 : Number(highest.number) + 1;
}

type OfStep = { seen: Versioned; broadcastId: string; isRemoved?: boolean };

/** Runs `work` on a draft email of the sequence, if that is as it was seen. */
const changeStep = (
  db: Db,
  { seen, broadcastId, isRemoved = false }: OfStep,
  { by, now }: { by: audit.Actor; now: Date },
  work: (orm: Orm, of: StepWithBroadcast, all: StepWithBroadcast[]) => Promise<unknown>,
) =>
  db.write(async (orm): Promise<ChangeResult> => {
    const sequence = await find(orm, seen.id);
    if (!sequence) return { outcome: "gone" };
    const all = await stepsIn(orm, sequence, draftEdition(sequence));
    const step = all.find(({ broadcast }) => broadcast.id === broadcastId);
    const isOnly = isRemoved && sequence.edition > 0 && all.length === 1;
    if (!step || isOnly) return { outcome: "conflict", sequence };
    const result = await apply(orm, { seen, where: ne(sequences.state, "off"), set: {}, verb: "change" }, by, now);
    if (result.outcome === "changed") await work(orm, step, all);
    return result;
  });

/** Changes how long after the email before a draft email is sent. */
export const setWait = (db: Db, { wait, ...of }: OfStep & { wait: Wait }, by: audit.Actor, now: Date) =>
  changeStep(db, of, { by, now }, (orm, { step }) =>
    orm.update(sequenceSteps).set(wait).where(eq(sequenceSteps.row, step.row)).run(),
  );

/**
 * Removes a draft email, but not the only one of a new edition: without any, none is being written. The number of the
 * last one is free again if nobody ever had it: numbers of editions that were started stay taken.
 */
export const removeStep = (db: Db, of: OfStep, by: audit.Actor, now: Date) =>
  changeStep(db, { ...of, isRemoved: true }, { by, now }, (orm, step) => deleteSteps(orm, [step]));

/** Moves a draft email one place up. */
export const moveStepUp = (db: Db, of: OfStep, by: audit.Actor, now: Date) =>
  changeStep(db, of, { by, now }, async (orm, { step }, all) => {
    const at = all.findIndex((each) => each.step.row === step.row);
    const before = all[at - 1]?.step;
    if (!before) return;
    const place = (row: number, position: number) =>
      orm.update(sequenceSteps).set({ position }).where(eq(sequenceSteps.row, row)).run();
    await place(step.row, 0); // the order is unique at every moment
    await place(before.row, step.position);
    await place(step.row, before.position);
  });
