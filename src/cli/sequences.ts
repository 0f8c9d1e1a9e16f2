import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Db } from "../../db/engine/open";
import { timeOfMinute } from "../../db/lib/time";
import { isEverybody, readSegment } from "../../db/newsletter/segments/definition";
import { addStep, createSequence, type Trigger } from "../../db/sequences/edit";
import { discardEdition, writeEdition } from "../../db/sequences/editions";
import { skipOrStopLate } from "../../db/sequences/late";
import { insideOf, whereabouts } from "../../db/sequences/report";
import {
  againDays,
  canBeginAgain,
  type ChangeResult,
  draftEdition,
  listSequences,
  maxSequences,
  type NamedSequence,
  sequenceById,
  stepsIn,
  type Versioned,
} from "../../db/sequences/sequences";
import { end, needsReview, pause, resume } from "../../db/sequences/states";
import { publishSequence, readStep, startSequence, type StepFile } from "../broadcasts/sequence";
import type { Config } from "../platform/config";
import { line } from "../platform/text/schemas";
import { segmentOf } from "./broadcasts";
import { actor, type Command, complain, print, textOf, withData } from "./command";

const by = { actor };
const triggers = "subscribed, confirmed, tag:NAME or topic:SLUG";

export const commands: Command[] = [
  {
    usage: "sequences create <folder> --name=N --trigger=T [--segment=JSON] [--again=DAYS]",
    about: `Create a sequence from the .md files of a folder, in the order of their names, and print its ID. Each begins with subject, after (2 days, 36 hours, 0) and, if it has an hour, at ("09:00") between two --- lines. --trigger is ${triggers}; --segment limits who begins it. With --again, someone who gets the tag or chooses the topic again begins again, so many days after the end (${againDays.least} or more)`,
    options: {
      name: { type: "string" },
      trigger: { type: "string" },
      segment: { type: "string" },
      again: { type: "string" },
    },
    run: ([folder = ""], { name, trigger, segment, again }) =>
      withData(async ({ db, now }) => {
        const steps = await stepsOf(folder);
        const begins = triggerOf(trigger);
        const rest = { name: nameOf(name), segment: await segmentOf(db, segment), againDays: againOf(again, begins) };
        const definition = { ...begins, ...rest };
        const made = await createSequence(db, definition, by, now);
        if (made.outcome !== "saved") throw new Error(refusals[made.outcome]);
        let seen: Versioned = made.sequence;
        for (const step of steps) seen = changed(await addStep(db, { seen, step }, by, now));
        print(made.sequence.id);
      }),
  },
  {
    usage: "sequences list",
    about: "List sequences by name (ID, status, name, trigger)",
    run: () =>
      withData(async ({ db }) => {
        for (const sequence of await listSequences(db))
          print(sequence.id, sequence.state, sequence.name, triggerWords(sequence));
      }),
  },
  {
    usage: "sequences show <id> [--json]",
    about: "Show the status of a sequence, its emails, and how many people are where",
    options: { json: { type: "boolean" } },
    run: ([id = ""], { json }) =>
      withData(async ({ db }) => {
        const summary = await summaryOf(db, await sequenceOf(db, id));
        if (json) return void process.stdout.write(`${JSON.stringify(summary)}\n`);
        const { emails, ...rest } = summary;
        for (const [name, value] of Object.entries(rest)) print(name, value ?? "–");
        for (const { position, id, subject, afterHours, at, waiting, sent } of emails)
          print(
            `email ${position}`,
            id,
            subject,
            `${afterHours} hours`,
            at ?? "–",
            `waiting ${waiting}`,
            `sent ${sent}`,
          );
      }),
  },
  {
    usage: "sequences start <id> [--reviewed] [--late=send|skip|stop]",
    about:
      "Start a draft, or resume a paused sequence. After bounces or complaints, or from a backup, --reviewed confirms that you have looked at it. --late says what becomes of emails that are days late",
    options: { reviewed: { type: "boolean" }, late: { type: "string" } },
    run: ([id = ""], { reviewed, late = "send" }) =>
      withData(async ({ config, db, now }) => {
        const sequence = await sequenceOf(db, id);
        if (sequence.state === "draft") return startDraft({ config, db }, sequence, now);
        if (late !== "send" && late !== "skip" && late !== "stop") throw new Error("--late is send, skip or stop.");
        if (sequence.state === "paused" && needsReview(sequence) && !reviewed)
          throw new Error(`Nothing was changed. ${reviewOf(sequence)} Add --reviewed to resume.`);
        if (sequence.state === "paused" && late !== "send") await skipOrStopLate(db, sequence, late, now);
        print(id, changed(await resume(db, sequence, by, now)).state);
      }),
  },
  {
    usage: "sequences edit <id> <folder> --people=keep|go-on",
    about:
      "Publish a new version of the emails, from the .md files of a folder. A file with “replaces: 2” is the second email of the version before, which people who had it do not get again; the others are new to everyone. --people says whether who is in the sequence keeps the version that they began, or goes on with the new one after the last email that they had",
    options: { people: { type: "string" } },
    run: ([id = "", folder = ""], { people }) =>
      withData(async ({ config, db, now }) => {
        if (people !== "keep" && people !== "go-on") throw new Error("--people is keep or go-on.");
        const steps = await stepsOf(folder);
        const sequence = await sequenceOf(db, id);
        const written = await writeEdition(db, { seen: sequence, steps }, by, now);
        if (written.outcome === "no-such-email")
          throw new Error("Nothing was changed: “replaces” names no email, or one twice.");
        const seen = changed(written);
        const result = await publishSequence({ config, db }, { seen, carriesOn: people === "go-on" }, by, now);
        complainOf(result);
        if (result.outcome !== "changed") await discardEdition(db, seen, by, now);
        if (result.outcome === "blocked") return 1;
        print(id, changed(result).state);
      }),
  },
  {
    usage: "sequences pause <id>",
    about: "Pause a sequence. People still begin it, and wait",
    run: ([id = ""]) =>
      withData(async ({ db, now }) => {
        print(id, changed(await pause(db, await sequenceOf(db, id), by, now)).state);
      }),
  },
  {
    usage: "sequences end <id> --yes",
    about: "End a sequence permanently: no one gets anything more of it",
    options: { yes: { type: "boolean" } },
    run: ([id = ""], { yes }) =>
      withData(async ({ db, now }) => {
        if (!yes) throw new Error("Ending cannot be undone. Add --yes to confirm.");
        print(id, changed(await end(db, await sequenceOf(db, id), by, now)).state);
      }),
  },
];

const reviewOf = ({ reason }: NamedSequence) =>
  reason === "restored"
    ? "It comes from a backup, so some people may get an email twice."
    : "Addresses do not exist, or people reported it as spam: review them in the dashboard.";

const refusals = {
  taken: "There is a sequence with this name already.",
  full: `A site can have ${maxSequences.sequences} sequences.`,
  "no-topic": "There is no topic with this slug. Add it in the dashboard first.",
  "no-tag": "There is no place for another tag.",
};

async function startDraft(
  needs: { config: Config; db: Db },
  sequence: NamedSequence,
  now: Date,
): Promise<number | void> {
  const result = await startSequence(needs, sequence, by, now);
  complainOf(result);
  if (result.outcome === "blocked") return 1;
  if (result.outcome === "empty") throw new Error("Nothing was changed: the sequence has no emails.");
  print(sequence.id, changed(result).state);
}

/** Prints what is wrong with emails, and what might be. */
function complainOf({ outcome, steps }: Awaited<ReturnType<typeof startSequence>>): void {
  for (const { subject, checks } of steps)
    for (const { kind, sentence } of checks)
      complain(`${outcome === "blocked" && kind === "block" ? "Nothing was changed: “" : "“"}${subject}”: ${sentence}`);
}

/** Reads the emails in a folder. @throws if one of them is not valid, or there are none or too many */
async function stepsOf(folder: string): Promise<StepFile[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".md")).sort();
  if (!names.length) throw new Error(`No .md files found in ${folder}.`);
  if (names.length > maxSequences.steps) throw new Error(`A sequence can have ${maxSequences.steps} emails.`);
  const steps: StepFile[] = [];
  for (const name of names) {
    try {
      steps.push(readStep(await textOf(join(folder, name))));
    } catch (error) {
      throw new Error(`${name}: ${error instanceof Error ? error.message : error}.`);
    }
  }
  return steps;
}

function nameOf(name: unknown): string {
  const parsed = line({ min: 1, max: maxSequences.name }).safeParse(name ?? "");
  if (!parsed.success) throw new Error(`--name ${parsed.error.issues[0]?.message}.`);
  return parsed.data;
}

function triggerOf(text: unknown): Trigger {
  const [, trigger, of = ""] = /^(subscribed|confirmed|tag|topic)(?::(.+))?$/.exec(String(text ?? "")) ?? [];
  if ((trigger === "tag" || trigger === "topic") && of.trim()) return { trigger, of: of.trim() };
  if ((trigger === "subscribed" || trigger === "confirmed") && !of) return { trigger };
  throw new Error(`--trigger is ${triggers}.`);
}

function againOf(text: unknown, { trigger }: Trigger): number | null {
  if (text === undefined) return null;
  const days = Number(text);
  if (!Number.isInteger(days) || days < againDays.least || days > againDays.most)
    throw new Error(`--again is ${againDays.least} to ${againDays.most} days.`);
  if (!canBeginAgain(trigger)) throw new Error("--again is for tag:NAME and topic:SLUG: the others happen once.");
  return days;
}

const triggerWords = ({ trigger, tag, topic }: NamedSequence): string =>
  trigger === "tag" || trigger === "topic" ? `${trigger}:${tag ?? topic ?? "–"}` : trigger;

async function sequenceOf(db: Db, id: string): Promise<NamedSequence> {
  const sequence = await sequenceById(db, id);
  if (!sequence) throw new Error(`No sequence with the ID ${id}.`);
  return sequence;
}

/** @throws the current state, if nothing was changed */
function changed(result: ChangeResult | { outcome: "full" | "blocked" | "empty" }) {
  if (result.outcome === "changed") return result.sequence;
  if (result.outcome === "conflict") throw new Error(`Nothing was changed: the sequence is ${result.sequence.state}.`);
  throw new Error(result.outcome === "full" ? "The sequence has no place for another email." : "The sequence is gone.");
}

/** The JSON of a sequence: whoever began is waiting, held, under way, done or stopped. */
async function summaryOf(db: Db, sequence: NamedSequence) {
  const { id, name, state, reason, version, segment, againDays } = sequence;
  const edition = state === "draft" ? draftEdition(sequence) : sequence.edition;
  const steps = await db.read((orm) => stepsIn(orm, sequence, edition));
  const { entered, done, stopped, byStep } = await whereabouts(db, sequence);
  const emails = steps.map(({ step, broadcast }) => ({
    id: broadcast.id,
    position: step.position,
    subject: broadcast.subject,
    afterHours: step.waitHours,
    at: step.atMinute === null ? null : timeOfMinute(step.atMinute),
    waiting: byStep.get(step.row)?.waiting ?? 0,
    held: byStep.get(step.row)?.held ?? 0,
    sent: broadcast.accepted + broadcast.uncertain + broadcast.simulated,
    uncertain: broadcast.uncertain,
    refused: broadcast.failed,
  }));
  const trigger = triggerWords(sequence);
  const conditions = isEverybody(readSegment(segment) ?? { all: [] }) ? null : segment;
  const people = { entered, ...insideOf({ byStep }), done, stopped };
  return { id, name, state, reason, version, edition, trigger, segment: conditions, againDays, ...people, emails };
}
