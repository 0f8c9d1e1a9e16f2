import type { subscribers } from "../schema/newsletter";

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
type Standing = Pick<typeof subscribers.$inferSelect, "state" | "suppressedAt" | "pendingAt" | "pausedUntil">;
