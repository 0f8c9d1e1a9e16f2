import type { Actor } from "../../db/audit";
import { withContent } from "../../db/broadcasts/broadcasts";
import type { Db } from "../../db/engine/open";
import {
  type ChangeResult,
  draftEdition,
  find,
  type Sequence,
  stepsIn,
  type Versioned,
} from "../../db/sequences/sequences";
import { publishEdition } from "../../db/sequences/editions";
import { type FrozenStep, start } from "../../db/sequences/states";
import type { Config } from "../platform/config";
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
