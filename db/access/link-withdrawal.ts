import type { Orm } from "../engine/open";
import * as audit from "../audit";
import * as tokens from "./one-time-tokens";
import type { managers } from "../schema/access";

type Manager = typeof managers.$inferSelect;

/**
 * Withdraws the links that a manager created when they lose the right to create them: one of them could let them back
 * in.
 */
export async function withdrawMadeBy(
  orm: Orm,
  { manager: { id }, because }: { manager: Manager; because: string },
  by: audit.Actor,
  now: Date,
): Promise<void> {
  for (const { purpose, subject, payload } of await tokens.withdrawMadeBy(orm, id)) {
    const event =
      purpose === "invite"
        ? { action: "manager.withdraw-invitation" as const, target: payload.email }
        : { action: "manager.withdraw-reset" as const, targetId: subject ?? undefined };
    await audit.record(orm, { ...by, ...event, details: { because } }, now);
  }
}

/** Withdraws what could still sign this manager in: a reset link, or a sign-in waiting for its second step. */
export async function withdrawFor(
  orm: Orm,
  { manager: { id, email }, because }: { manager: Manager; because: string },
  by: audit.Actor,
  now: Date,
): Promise<void> {
  await tokens.withdraw(orm, "second-step", id);
  if (!(await tokens.withdraw(orm, "reset", id))) return;
  await audit.record(
    orm,
    { ...by, action: "manager.withdraw-reset", targetId: id, target: email, details: { because } },
    now,
  );
}
