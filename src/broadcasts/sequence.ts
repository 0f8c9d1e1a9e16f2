import { z } from "zod";
import type { Actor } from "../../db/audit";
import { withContent } from "../../db/broadcasts/broadcasts";
import { maxSubject } from "../../db/broadcasts/rules";
import type { Db } from "../../db/engine/open";
import type { Wait } from "../../db/newsletter/sequence-entry";
import { publishEdition } from "../../db/sequences/editions";
import {
  type ChangeResult,
  draftEdition,
  find,
  type Sequence,
  stepsIn,
  type Versioned,
} from "../../db/sequences/sequences";
import { type FrozenStep, start } from "../../db/sequences/states";
import { bodyOf, partsOf } from "../content/front-matter";
import type { Config } from "../platform/config";
import { joinedLines, line, lines } from "../platform/text/schemas";
import { writeBroadcast } from "./freeze";
import type { Check } from "./letter/checks";

/** The checks of an email that failed. */
type StepChecks = { id: string; subject: string; checks: Check[] };
/** If there are no emails, or a check blocks one of them, nothing was changed. */
type StartResult = { steps: StepChecks[] } & (ChangeResult | { outcome: "blocked" | "empty" });

type Needs = { config: Config; db: Db };

/** Returns the emails of the draft, as they would be frozen now; undefined for one that was just deleted. */
async function writtenSteps({ config, db }: Needs, sequence: Sequence, now: Date) {
  const drafts = await db.read((orm) => stepsIn(orm, sequence, draftEdition(sequence)));
  const [frozen, steps]: [FrozenStep[], StepChecks[]] = [[], []];
  for (const { broadcast } of drafts) {
    const written = await withContent(db, broadcast.id);
    if (!written) return;
    const { checks, frozen: letter } = await writeBroadcast({ config, db }, written, now);
    frozen.push({ seen: written, letter });
    steps.push({ id: broadcast.id, subject: broadcast.subject, checks });
  }
  return { frozen, steps };
}

/** Returns what speaks against starting a draft, by its emails. */
export const checkSequence = async (needs: Needs, sequence: Sequence, now: Date): Promise<StepChecks[]> =>
  (await writtenSteps(needs, sequence, now))?.steps ?? [];

type Write = (steps: FrozenStep[]) => Promise<ChangeResult>;

/** Writes the drafts of a sequence, and has them started or published unless a check blocks that. */
async function withWritten(needs: Needs, seen: Versioned, now: Date, write: Write): Promise<StartResult> {
  const sequence = await needs.db.read((orm) => find(orm, seen.id));
  if (!sequence) return { outcome: "gone", steps: [] };
  const written = await writtenSteps(needs, sequence, now);
  if (!written) return { outcome: "conflict", sequence, steps: [] };
  const { frozen, steps } = written;
  if (!steps.length) return { outcome: "empty", steps };
  if (steps.some(({ checks }) => checks.some(({ kind }) => kind === "block"))) return { outcome: "blocked", steps };
  return { ...(await write(frozen)), steps };
}

/** Writes the emails of a draft, and starts it unless a check blocks that. */
export const startSequence = (needs: Needs, seen: Versioned, by: Actor, now: Date): Promise<StartResult> =>
  withWritten(needs, seen, now, (steps) => start(needs.db, { seen, steps }, by, now));

/** Writes the emails of a new edition, and publishes it unless a check blocks that. */
export const publishSequence = (
  needs: Needs,
  { seen, carriesOn }: { seen: Versioned; carriesOn: boolean },
  by: Actor,
  now: Date,
): Promise<StartResult> =>
  withWritten(needs, seen, now, (steps) => publishEdition(needs.db, { seen, steps, carriesOn }, by, now));

const maxLength = 200_000;
/** The longest time between two emails. */
const maxWaitHours = 365 * 24;

/** Parses "2 days", "36 hours" or "0"; undefined if it is none. Days and hours are whole numbers. */
function waitHoursOf(text: string): number | undefined {
  const [, count = "", unit = ""] = /^(\d{1,4}) *(hours?|h|days?|d)?$/.exec(text.trim()) ?? [];
  if (!count || (!unit && Number(count) > 0)) return;
  const hours = Number(count) * (unit.startsWith("d") ? 24 : 1);
  return hours <= maxWaitHours ? hours : undefined;
}

/** Parses "9:00" as the minute of a day; undefined if it is no time. */
function minuteOf(text: string): number | undefined {
  const [, hour = "", minute = ""] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text.trim()) ?? [];
  return hour ? Number(hour) * 60 + Number(minute) : undefined;
}

const oneLine = (max: number, min = 0) =>
  z.preprocess((value) => (typeof value === "string" ? joinedLines(value) : String(value ?? "")), line({ min, max }));

const Fields = z.object({
  subject: oneLine(maxSubject, 1),
  preheader: oneLine(maxSubject),
  after: z
    .preprocess((value) => String(value ?? ""), z.string())
    .transform(waitHoursOf)
    .pipe(z.number("must be a time such as 2 days, 36 hours or 0")),
  replaces: z.coerce.number("must be the position of an email, such as 2").int().min(1).optional(),
  at: z
    .preprocess((value) => String(value ?? ""), z.string())
    .transform((text) => (text ? minuteOf(text) : null))
    .pipe(z.number('must be a time such as "09:00"').nullable()),
});

/** An email of a sequence as it is in a file. */
export type StepFile = {
  subject: string;
  preheader: string;
  wait: Wait;
  content: string;
  /** The position of the email that it is in the version before. */
  replaces: number | undefined;
};

/**
 * Reads an email of a sequence from a file: its subject and when it is sent in the front matter, then its text.
 *
 * @throws with a message for the author of the file
 */
export function readStep(source: string): StepFile {
  const { fields, content } = partsOf(source);
  const parsed = Fields.safeParse(fields);
  if (!parsed.success)
    throw new Error(parsed.error.issues.map(({ path, message }) => `${path.join(".")} ${message}`).join("; "));
  const { subject, preheader, after, at, replaces } = parsed.data;
  if (at !== null && after % 24) throw new Error("at needs whole days, such as after: 2 days");
  const text = lines({ max: maxLength }).safeParse(bodyOf(source, content));
  if (!text.success) throw new Error("its text is longer than 200,000 characters");
  return { subject, preheader, wait: { waitHours: after, atMinute: at }, content: text.data, replaces };
}
