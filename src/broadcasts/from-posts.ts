import { confirmDue, type Due, endDue, leaveAsDraft } from "../../db/broadcasts/from-posts/due";
import { isTooLate } from "../../db/broadcasts/from-posts/newsletters";
import type { Db } from "../../db/engine/open";
import type { Config } from "../platform/config";
import { prepareBroadcast } from "./freeze";
import type { Check } from "./letter/checks";

/* Writes the letters of posts that a rule sends by itself, and schedules them. */

export type Needs = { config: Config; db: Db; /** Who is told what was not sent. */ notify: string | undefined };

/** They speak of the installation, not of this letter: whoever made the rule has accepted them. */
const accepted = new Set(["simulated", "postal-address", "webhook-secret", "test"]);

export const isFailed = ({ kind, code }: Check) => kind === "block" || !accepted.has(code);

/** Schedules one of them, or leaves it to the managers, as a draft. */
export async function scheduleDue({ config, db, notify }: Needs, due: Due, now: Date): Promise<void> {
  const { broadcastId, dueAt } = due;
  if (broadcastId === null) return void (await endDue(db, due));
  const at = dueAt && dueAt > now ? dueAt : now;
  if (dueAt && isTooLate(dueAt, now)) return leaveAsDraft(db, due, { reason: "late", detail: "", notify }, now);
  const prepared = await prepareBroadcast({ config, db }, broadcastId, { at }, now);
  const [failed] = prepared.checks.filter(isFailed);
  if (failed) return leaveAsDraft(db, due, { reason: "checks", detail: failed.sentence, notify }, now);
  if (prepared.outcome === "ready") await confirmDue(db, due, prepared.confirming, now);
  else if (isOutOfHands(prepared)) await endDue(db, due);
}

type Unprepared = Exclude<Awaited<ReturnType<typeof prepareBroadcast>>, { outcome: "ready" }>;

/** Whether a manager has confirmed or deleted it. Otherwise it was edited just now, and is tried again. */
const isOutOfHands = (prepared: Unprepared): boolean =>
  prepared.outcome === "gone" ||
  (prepared.outcome === "conflict" && (prepared.broadcast.state !== "draft" || prepared.broadcast.deletedAt !== null));
