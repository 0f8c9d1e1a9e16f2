import type { Actor } from "../../db/audit";
import { type ChangeResult, withContent } from "../../db/broadcasts/broadcasts";
import { assignSlug, confirm } from "../../db/broadcasts/states";
import type { Db } from "../../db/engine/open";
import type { Config } from "../platform/config";
import { writeBroadcast } from "./freeze";
import { siteTranslator } from "../http/site-language";
import { publicLine } from "./letter/archived";
import type { Check } from "./letter/checks";

type Needs = { config: Config; db: Db };
type Confirmation = {
  at: Date;
  by: Actor;
  /** The version that was shown; if absent, the current one. */
  version?: number;
};
/** The checks that failed. If one of them blocks, nothing was changed. */
type ConfirmResult = { checks: Check[] } & (ChangeResult | { outcome: "blocked" });

/** Writes the letter of a draft, and schedules it unless a check blocks that. */
export async function confirmBroadcast(
  needs: Needs,
  id: string,
  { at, by, version }: Confirmation,
  now: Date,
): Promise<ConfirmResult> {
  const t = await siteTranslator(needs.db);
  await assignSlug(needs.db, id, (subject) => publicLine(subject, t));
  const broadcast = await withContent(needs.db, id);
  if (!broadcast) return { outcome: "gone", checks: [] };
  if (broadcast.state !== "draft" || broadcast.deletedAt || (version ?? broadcast.version) !== broadcast.version)
    return { outcome: "conflict", broadcast, checks: [] };
  const { checks, frozen, audience, postVersion } = await writeBroadcast(needs, broadcast, now);
  if (checks.some(({ kind }) => kind === "block")) return { outcome: "blocked", checks };
  return {
    ...(await confirm(needs.db, { seen: broadcast, to: { at, audience, frozen, postVersion } }, by, now)),
    checks,
  };
}
