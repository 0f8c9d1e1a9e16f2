import type { Db } from "../../../db/engine/open";
import type { Segment } from "../../../db/newsletter/segments/definition";
import { addTopic } from "../../../db/newsletter/topics";
import type { Wait } from "../../../db/newsletter/sequence-entry";
import { addStep, createSequence, type Trigger } from "../../../db/sequences/edit";
import { beginEdition, publishEdition } from "../../../db/sequences/editions";
import {
  draftEdition,
  sequenceById,
  stepsIn,
  type StepWithBroadcast,
  type Versioned,
} from "../../../db/sequences/sequences";
import { start } from "../../../db/sequences/states";
import { sequenceStates } from "../../../db/schema/sequences";
import { startSequence } from "../../../src/broadcasts/sequence";
import { look } from "../look";
import * as settings from "../settings";
import { by } from "./broadcasts";

export const hours = (waitHours: number): Wait => ({ waitHours, atMinute: null });
export const days = (count: number, atMinute: number): Wait => ({ waitHours: 24 * count, atMinute });

type Options = { trigger?: Trigger; segment?: Segment; waits?: Wait[]; name?: string; againDays?: number };

const letter = { letter: { text: "Hello" }, page: [], bytes: 100 };

/** A sequence that is on, with one email for each wait. */
export async function startedSequence(
  db: Db,
  now: Date,
  {
    trigger = { trigger: "subscribed" },
    segment = {},
    waits = [hours(0), hours(2)],
    name = "Course",
    againDays,
  }: Options = {},
) {
  const made = await createSequence(db, { ...trigger, name, segment, againDays: againDays ?? null }, by, now);
  if (made.outcome !== "saved") throw new Error(`The sequence is ${made.outcome}`);
  let seen: Versioned = made.sequence;
  for (const [at, wait] of waits.entries()) {
    const step = { wait, subject: `Email ${at + 1}`, content: "Hello" };
    const added = await addStep(db, { seen, step }, by, now);
    if (added.outcome !== "changed") throw new Error(`The email is ${added.outcome}`);
    seen = added.sequence;
  }
  const draft = await sequenceOf(db, made.sequence.id);
  const drafts = await db.read((orm) => stepsIn(orm, draft, draftEdition(draft)));
  const steps = drafts.map(({ broadcast }) => ({ seen: broadcast, letter }));
  const started = await start(db, { seen, steps }, by, now);
  if (started.outcome !== "changed") throw new Error(`The sequence is ${started.outcome}`);
  const { row, id } = started.sequence;
  return { row, id, emails: drafts.map(({ broadcast }) => broadcast.id) };
}

/** A site with double opt-in, two topics, and a sequence of three emails, a day apart, for who confirms. */
export async function openCourse(site: Parameters<typeof startSequence>[0], now: Date): Promise<void> {
  const { db } = site;
  for (const [key, value] of Object.entries({ doubleOptIn: "true", postalAddress: "1 Quay, Porto" }))
    await settings.set(db, key, value, { by: "cli" }, now);
  for (const name of ["Field notes", "Workshops"])
    await addTopic(db, { name, sentence: "", isDefault: false }, by, now);
  const made = await createSequence(db, { trigger: "confirmed", name: "Course", segment: {} }, by, now);
  if (made.outcome !== "saved") throw new Error(made.outcome);
  let { sequence } = made;
  for (const [at, subject] of ["First", "Second", "Third"].entries()) {
    const step = { wait: hours(at * 24), subject, content: 'Hola {name, "amiga"}.' };
    const added = await addStep(db, { seen: sequence, step }, by, now);
    if (added.outcome !== "changed") throw new Error(added.outcome);
    sequence = added.sequence;
  }
  const started = await startSequence(site, sequence, by, now);
  if (started.outcome !== "changed") throw new Error(started.outcome);
}

/** Changes the drafts of a new edition. */
type Change = (draft: { seen: Versioned; steps: StepWithBroadcast[] }) => Promise<unknown>;

/** Begins a new edition, changes it, and publishes it. Returns the IDs of its emails. */
export async function publishedEdition(
  db: Db,
  { id, carriesOn, change }: { id: string; carriesOn: boolean; change: Change },
  now: Date,
): Promise<string[]> {
  const stepsOf = async () => {
    const sequence = await sequenceOf(db, id);
    return db.read((orm) => stepsIn(orm, sequence, draftEdition(sequence)));
  };
  await beginEdition(db, await sequenceOf(db, id), by, now);
  await change({ seen: await sequenceOf(db, id), steps: await stepsOf() });
  const drafts = await stepsOf();
  const steps = drafts.map(({ broadcast }) => ({ seen: broadcast, letter }));
  const published = await publishEdition(db, { seen: await sequenceOf(db, id), steps, carriesOn }, by, now);
  if (published.outcome !== "changed") throw new Error(`The edition is ${published.outcome}`);
  return drafts.map(({ broadcast }) => broadcast.id);
}

export async function sequenceOf(db: Db, id: string) {
  const sequence = await sequenceById(db, id);
  if (!sequence) throw new Error("The sequence is gone");
  return sequence;
}

const names = new Map(Object.entries(sequenceStates).map(([name, state]) => [state as number, name]));

/** Where everyone is, by address: the state, the reason, and when the next email is due. */
export async function placesIn(db: Db): Promise<Record<string, string>> {
  const rows = await look<{ email: string; state: number; reason: string | null; due: number | null }>(
    db,
    `select email, sequence_people.state, reason, due_at due from sequence_people
      join subscribers on subscribers."row" = subscriber_row order by email`,
  );
  return Object.fromEntries(
    rows.map(({ email, state, reason, due }) => [
      email,
      [names.get(state), reason, due && new Date(due).toJSON()].filter(Boolean).join(" "),
    ]),
  );
}
