import { eq, max, ne } from "drizzle-orm";
import * as audit from "../audit";
import { createIn } from "../broadcasts/edit";
import type { Db, Orm } from "../engine/open";
import { fold } from "../lib/fold";
import { countRows } from "../lib/rows";
import type { Segment } from "../newsletter/segments/definition";
import type { Wait } from "../newsletter/sequences/due";
import { ensureTags } from "../newsletter/tags";
import { topicsNamed } from "../newsletter/topics";
import { sequences, sequenceSteps } from "../schema/sequences";
import {
  apply,
  type ChangeResult,
  draftEdition,
  find,
  maxSequences,
  type Sequence,
  stepsIn,
  type Versioned,
} from "./sequences";

/** What begins it: a tag by its name, a topic by its slug. */
export type Trigger = { trigger: "subscribed" | "confirmed" } | { trigger: "tag" | "topic"; of: string };
type Definition = Trigger & { name: string; segment: Segment };
type Saved = { outcome: "saved"; sequence: Sequence };
type Refusal = "taken" | "full" | "no-topic" | "no-tag";

/** Creates a sequence without emails, as a draft. A tag that does not exist yet is made. */
export async function createSequence(db: Db, definition: Definition, by: audit.Actor, now: Date) {
  const { trigger } = definition;
  const [tag] = trigger === "tag" ? await ensureTags(db, [definition.of], now) : [];
  if (trigger === "tag" && !tag) return { outcome: "no-tag" as const };
  return db.write(async (orm): Promise<Saved | { outcome: Refusal }> => {
    const { name, segment } = definition;
    const [topic] = trigger === "topic" ? await topicsNamed(orm, [definition.of]) : [];
    if (trigger === "topic" && !topic) return { outcome: "no-topic" };
    if (await isTaken(orm, name)) return { outcome: "taken" };
    if ((await countRows(orm, sequences, undefined)) >= maxSequences.sequences) return { outcome: "full" };
    const about = { trigger, tagRow: tag?.row ?? null, topicRow: topic?.row ?? null, segment: JSON.stringify(segment) };
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

async function isTaken(orm: Orm, name: string): Promise<boolean> {
  return (await countRows(orm, sequences, eq(sequences.folded, fold(name)))) > 0;
}

type NewStep = { wait: Wait; subject: string; preheader?: string; content: string };
type StepResult = ChangeResult | { outcome: "full" };

/** Adds an email at the end of the edition that is being written, as a draft. */
export const addStep = (db: Db, { seen, step }: { seen: Versioned; step: NewStep }, by: audit.Actor, now: Date) =>
  db.write(async (orm): Promise<StepResult> => {
    const sequence = await find(orm, seen.id);
    if (!sequence) return { outcome: "gone" };
    const edition = draftEdition(sequence);
    const steps = await stepsIn(orm, sequence, edition);
    const number = await freeNumber(orm, sequence);
    if (steps.length >= maxSequences.steps || number >= maxSequences.numbers) return { outcome: "full" };
    const result = await apply(orm, { seen, where: ne(sequences.state, "off"), set: {}, verb: "change" }, by, now);
    if (result.outcome !== "changed") return result;
    const { wait, subject, preheader = "", content } = step;
    const position = (steps.at(-1)?.step.position ?? 0) + 1;
    const { topicRow } = sequence;
    const fields = { subject, preheader, content, fromName: "", archive: "none" as const, segment: {}, topicRow };
    const broadcast = await createIn(orm, { source: { kind: "step" }, fields }, by, now);
    const place = { sequenceRow: sequence.row, edition, position, number, broadcastRow: broadcast.row };
    await orm
      .insert(sequenceSteps)
      .values({ ...place, ...wait })
      .run();
    return result;
  });

/** Returns a number that no email of the sequence ever had, in any edition. */
async function freeNumber(orm: Orm, { row }: Sequence): Promise<number> {
  const highest = await orm
    .select({ number: max(sequenceSteps.number) })
    .from(sequenceSteps)
    .where(eq(sequenceSteps.sequenceRow, row))
    .get();
  return highest?.number === null || highest?.number === undefined ? 0 : Number(highest.number) + 1;
}
