import { and, eq, isNotNull, isNull, lt } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import { changeInCommits, rowsPerCommit } from "../lib/bulk";
import { hasId } from "../lib/row-ids";
import * as outbox from "../mail/outbox";
import { mayConfirm } from "../mail/welcome-cap";
import { subscribers } from "../schema/newsletter";
import { settingValue } from "../setting-value";
import { note, noteAll, type Origin } from "./events";

/* Subscribers who have not confirmed their address yet (P94). */

type Pending = Pick<typeof subscribers.$inferSelect, "id" | "email" | "emailKey" | "pendingAt" | "suppressedAt">;

const dayMs = 86_400_000;
/** How long the link of a confirmation email works. */
export const confirmLinkMs = 7 * dayMs;
const renewalMs = 6 * dayMs; // an email sent later has a link of its own, valid for the full time
const maxPendingMs = 30 * dayMs;

/** Whether people who subscribe with a form have to confirm. */
export const isDoubleOptIn = async (orm: Orm): Promise<boolean> => (await settingValue(orm, "doubleOptIn")) === "true";

/** Sends the confirmation link if the caps allow another email to this address. Returns whether they do. */
export async function sendLink(orm: Orm, person: Pending, origin: Origin, now: Date): Promise<boolean> {
  const { id, email, pendingAt, suppressedAt } = person;
  if (!pendingAt || suppressedAt || !(await mayConfirm(orm, person, now))) return false;
  if (now.getTime() - pendingAt.getTime() > renewalMs)
    await orm.update(subscribers).set({ pendingAt: now }).where(eq(subscribers.id, id)).run();
  await outbox.enqueue(orm, { kind: "confirm", recipient: email, subjectId: id, payload: {} }, now);
  await note(orm, id, "confirm-sent", origin, now);
  return true;
}

/** Confirms pending subscribers, and records how. */
export async function confirmAll(
  orm: Orm,
  ids: string[],
  origin: Origin & { note?: string },
  now: Date,
): Promise<void> {
  const confirmed = { pendingAt: null, confirmedAt: now, updatedAt: now };
  await orm.update(subscribers).set(confirmed).where(hasId(subscribers.id, ids)).run();
  await noteAll(orm, ids, "confirmed", origin, now);
}

/**
 * Deletes those who did not confirm within 30 days; their events are kept. Someone who had unsubscribed earlier is
 * unsubscribed again: anyone can type an address into a form, and an import must not bring them back then (P256).
 */
export const expirePending = (db: Db, now: Date) =>
  changeInCommits(db, async (orm) => {
    const { id, pendingAt, state } = subscribers;
    const isOver = and(
      eq(state, "active"),
      isNotNull(pendingAt),
      lt(pendingAt, new Date(now.getTime() - maxPendingMs)),
    );
    const people = await orm.select({ id }).from(subscribers).where(isOver).limit(rowsPerCommit).all();
    const unsubscribed = { state: "unsubscribed", pendingAt: null, updatedAt: now } as const;
    const ids = people.map((person) => person.id);
    await noteAll(orm, ids, "expired", { via: "confirm" }, now);
    const areThey = hasId(id, ids);
    await orm
      .update(subscribers)
      .set(unsubscribed)
      .where(and(areThey, isNotNull(subscribers.unsubscribedAt)))
      .run();
    await orm
      .delete(subscribers)
      .where(and(areThey, isNull(subscribers.unsubscribedAt)))
      .run();
    return people;
  });
