import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import * as audit from "../audit";
import type { AuditVerb } from "../audit";
import type { Broadcast } from "../broadcasts/broadcasts";
import { lockSteps } from "../broadcasts/steps";
import type { Db, Orm } from "../engine/open";
import { topics } from "../schema/audience";
import { broadcasts } from "../schema/broadcasts";
import { audienceTags } from "../schema/newsletter";
import { sequences, sequenceSteps } from "../schema/sequences";
import type { Step } from "./members";

export type Sequence = typeof sequences.$inferSelect;
/** A sequence as it was shown to someone. */
export type Versioned = Pick<Sequence, "id" | "version">;
/** An email of a sequence, with its broadcast. */
export type StepWithBroadcast = { step: Step; broadcast: Broadcast };
/** A sequence with the name of the tag or topic that begins it. */
export type NamedSequence = Sequence & { tag: string | null; topic: string | null };

/** How many a site may have, emails of each edition, and numbers of emails that one ever had. */
export const maxSequences = { sequences: 20, steps: 10, numbers: 50, name: 60 };

/** After how many days someone may begin a sequence again, at least and at most. */
export const againDays = { least: 30, most: 3650 };

/** Whether what begins it can happen again: nobody subscribes or confirms for the first time twice. */
export const canBeginAgain = (trigger: string | undefined): boolean => trigger === "tag" || trigger === "topic";

/** The result of a change. A request that comes too late, or finds a different state, gets the current sequence. */
export type ChangeResult =
  | { outcome: "changed"; sequence: Sequence }
  | { outcome: "conflict"; sequence: Sequence }
  /** It was deleted, or never existed. */
  | { outcome: "gone" };

const named = (orm: Orm) =>
  orm
    .select({ sequence: sequences, tag: audienceTags.name, topic: topics.name })
    .from(sequences)
    .leftJoin(audienceTags, eq(audienceTags.row, sequences.tagRow))
    .leftJoin(topics, eq(topics.row, sequences.topicRow));

/** Returns all, by name. */
export const listSequences = (db: Db): Promise<NamedSequence[]> =>
  db.read(async (orm) =>
    (await named(orm).orderBy(asc(sequences.folded)).all()).map(({ sequence, ...names }) => ({
      ...sequence,
      ...names,
    })),
  );

export const sequenceById = (db: Db, id: string): Promise<NamedSequence | undefined> =>
  db.read(async (orm) => {
    const row = await named(orm).where(eq(sequences.id, id)).get();
    return row && { ...row.sequence, tag: row.tag, topic: row.topic };
  });

export const find = async (orm: Orm, id: string): Promise<Sequence | undefined> =>
  orm.select().from(sequences).where(eq(sequences.id, id)).get();

/** The edition that is being written: the one after that which people begin. */
export const draftEdition = ({ edition }: Pick<Sequence, "edition">) => edition + 1;

/** Returns the emails of an edition in order. */
export const stepsIn = (orm: Orm, { row }: Pick<Sequence, "row">, edition: number): Promise<StepWithBroadcast[]> =>
  orm
    .select({ step: sequenceSteps, broadcast: broadcasts })
    .from(sequenceSteps)
    .innerJoin(broadcasts, eq(broadcasts.row, sequenceSteps.broadcastRow))
    .where(and(eq(sequenceSteps.sequenceRow, row), eq(sequenceSteps.edition, edition)))
    .orderBy(asc(sequenceSteps.position))
    .all();

/** Returns the sequence of an email. */
export const sequenceOfStep = (db: Db, { row }: Pick<Broadcast, "row">): Promise<Sequence | undefined> =>
  db.read(async (orm) => {
    const step = await orm
      .select({ sequence: sequences })
      .from(sequenceSteps)
      .innerJoin(sequences, eq(sequences.row, sequenceSteps.sequenceRow))
      .where(eq(sequenceSteps.broadcastRow, row))
      .get();
    return step?.sequence;
  });

type Change = {
  seen: Versioned;
  /** Condition: the sequences to which it applies. */
  where: SQL | undefined;
  set: { [Column in keyof Sequence]?: Sequence[Column] | SQL };
  verb: AuditVerb<"sequence">;
  details?: Record<string, string>;
};

/** Applies a change to one sequence if it is as it was seen and `where` holds, and records it in the audit log. */
export async function apply(
  orm: Orm,
  { seen: { id, version }, where, set, verb, details }: Change,
  by: audit.Actor,
  now: Date,
): Promise<ChangeResult> {
  await lockSteps(orm, sql`(select ${sequences.row} from ${sequences} where ${sequences.id} = ${id})`); // before the sequence, as a pause by itself
  const current = await find(orm, id);
  if (!current) return { outcome: "gone" };
  const sequence = await orm
    .update(sequences)
    .set({ ...set, version: sql`${sequences.version} + 1`, updatedAt: now })
    .where(and(eq(sequences.id, id), eq(sequences.version, version), where))
    .returning()
    .get();
  if (!sequence) return { outcome: "conflict", sequence: current };
  const target = { targetId: id, target: sequence.name, ...(details && { details }) };
  await audit.record(orm, { ...by, action: `sequence.${verb}`, ...target }, now);
  return { outcome: "changed", sequence };
}
