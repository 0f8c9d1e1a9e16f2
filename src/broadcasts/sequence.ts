import type { Actor } from "../../db/audit";
import { withContent } from "../../db/broadcasts/broadcasts";
import type { Db } from "../../db/engine/open";
import { type ChangeResult, draftEdition, find, stepsIn, type Versioned } from "../../db/sequences/sequences";
import { type FrozenStep, start } from "../../db/sequences/states";
import type { Config } from "../platform/config";
import { writeBroadcast } from "./freeze";
import type { Check } from "./letter/checks";

/** The checks of an email that failed. */
type StepChecks = { id: string; subject: string; checks: Check[] };
/** If there are no emails, or a check blocks one of them, nothing was changed. */
type StartResult = { steps: StepChecks[] } & (ChangeResult | { outcome: "blocked" | "empty" });

/** Writes the emails of a draft, and starts it unless a check blocks that. */
export async function startSequence(
  { config, db }: { config: Config; db: Db },
  seen: Versioned,
  by: Actor,
  now: Date,
): Promise<StartResult> {
  const drafts = await db.read(async (orm) => {
    const sequence = await find(orm, seen.id);
    return sequence && { sequence, steps: await stepsIn(orm, sequence, draftEdition(sequence)) };
  });
  if (!drafts) return { outcome: "gone", steps: [] };
  if (!drafts.steps.length) return { outcome: "empty", steps: [] };
  const [frozen, steps]: [FrozenStep[], StepChecks[]] = [[], []];
  for (const { broadcast } of drafts.steps) {
    const written = await withContent(db, broadcast.id);
    if (!written) return { outcome: "conflict", sequence: drafts.sequence, steps: [] };
    const { checks, frozen: letter } = await writeBroadcast({ config, db }, written, now);
    frozen.push({ seen: written, letter });
    steps.push({ id: broadcast.id, subject: broadcast.subject, checks });
  }
  if (steps.some(({ checks }) => checks.some(({ kind }) => kind === "block"))) return { outcome: "blocked", steps };
  return { ...(await start(db, { seen, steps: frozen }, by, now)), steps };
}
