import type { subscribers } from "../schema/newsletter";
import type { suppressions } from "../schema/suppressions";

/**
 * The one status of a subscriber. "Active" is whoever gets the next newsletter, on every page, in every command and in
 * the metrics; the others get none. The column `state` has only what the person decided (D17).
 */
export const statuses = ["active", "unsubscribed", "pending", "paused", "suppressed"] as const;
export type Status = (typeof statuses)[number];

/** Returns the status that counts: who has left is unsubscribed, whatever became of the address. */
export function statusOf({ state, suppressedAt, pendingAt, pausedUntil }: Standing): Status {
  if (state === "unsubscribed") return "unsubscribed";
  if (suppressedAt) return "suppressed";
  if (pendingAt) return "pending";
  return pausedUntil ? "paused" : "active";
}

/** What is wrong with the address alone. Every other reason, and a pause, is about the person. */
const reasonsOfAddress: ReadonlySet<Reason | undefined> = new Set(["bounce", "provider"]);
type Reason = (typeof suppressions.$inferSelect)["reason"];

/** Returns the status of someone whatever their address: who is active may get emails under another one. */
export const statusElsewhere = (person: Standing, reason: Reason | undefined): Status =>
  statusOf(reasonsOfAddress.has(reason) ? { ...person, suppressedAt: null } : person);

type Standing = Pick<typeof subscribers.$inferSelect, "state" | "suppressedAt" | "pendingAt" | "pausedUntil">;
