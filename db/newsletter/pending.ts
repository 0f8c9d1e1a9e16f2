import { and, desc, eq, inArray, isNotNull, isNull, lt, or, sql } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import { changeInCommits, rowsPerCommit } from "../lib/bulk";
import { hasId } from "../lib/rows";
import * as outbox from "../mail/outbox";
import { mayConfirm } from "../mail/caps";
import { outbox as outboxTable } from "../schema/mail";
import { subscribers } from "../schema/newsletter";
import { settingValue } from "../setting-value";
import { recordEvent, recordEvents, type Origin } from "../events/subscriber-events";
import { dayMs } from "../lib/time";
import { enterAsNew, neverLeft } from "./sequence-entry";

/* Subscribers who have not confirmed their address yet: how long they may wait, and their links. They are confirmed in confirm.ts. */

type Pending = Pick<typeof subscribers.$inferSelect, "id" | "email" | "emailKey" | "pendingAt" | "suppressedAt">;

/** How long the link of a confirmation email works. */
export const confirmLinkMs = 7 * dayMs;
const renewalMs = 6 * dayMs; // an email sent later has a link of its own, valid for the full time
const maxPendingMs = 30 * dayMs;

/** The contents of a confirmation link: `askedAt` is when the person became pending. */
export type ConfirmLink = { email: string; askedAt: Date };
export type Standing = "pending" | "expired" | "confirmed" | "unknown";

/** Returns what pressing the button of the link's page would find: the link works once, and for seven days. */
export function standingOf(
  person: Pick<typeof subscribers.$inferSelect, "state" | "pendingAt"> | undefined,
  { askedAt }: ConfirmLink,
  now: Date,
): Standing {
  if (person?.state !== "active") return "unknown";
  if (!person.pendingAt) return "confirmed";
  const isCurrent = person.pendingAt.getTime() === askedAt.getTime();
  return isCurrent && now.getTime() - askedAt.getTime() <= confirmLinkMs ? "pending" : "expired";
}

/** Whether people who subscribe with a form have to confirm. */
export const isDoubleOptIn = async (orm: Orm): Promise<boolean> => (await settingValue(orm, "doubleOptIn")) === "true";

/** Sends the confirmation link if the caps allow another email to this address. Returns whether they do. */
export async function sendLink(orm: Orm, person: Pending, origin: Origin, now: Date): Promise<boolean> {
  const { id, email, pendingAt, suppressedAt } = person;
  if (!pendingAt || suppressedAt || !(await mayConfirm(orm, person, now))) return false;
  const askedAt = now.getTime() - pendingAt.getTime() > renewalMs ? now : pendingAt;
  if (askedAt === now) await setPendingAt(orm, id, now);
  const payload = { askedAt: String(askedAt.getTime()) };
  const isByProgram = origin.via === "api";
  await outbox.enqueue(orm, { kind: "confirm", recipient: email, subjectId: id, payload, isByProgram }, now);
  await recordEvent(orm, { subscriberId: id, kind: "confirm-sent" }, origin, now);
  return true;
}

/**
 * Sends a visitor the confirmation link. If the caps allow no further email, the link of the last one works again, for
 * instance after unsubscribing and subscribing again within minutes. Returns whether there is an email with a link that
 * works; of a suppressed address, no one learns that there is none.
 */
export async function ensureLink(orm: Orm, person: Pending, origin: Origin, now: Date): Promise<boolean> {
  if (person.suppressedAt || (await sendLink(orm, person, origin, now))) return true;
  const last = await lastLinkOf(orm, person);
  const isValid = last !== undefined && now.getTime() - last.getTime() <= confirmLinkMs;
  if (isValid) await setPendingAt(orm, person.id, last);
  return isValid;
}

const setPendingAt = (orm: Orm, id: string, at: Date) =>
  orm.update(subscribers).set({ pendingAt: at }).where(eq(subscribers.id, id)).run();

/** Returns what the link in the last email to this subscriber, or to an earlier one with this address, refers to. */
async function lastLinkOf(orm: Orm, { id, emailKey }: Pending): Promise<Date | undefined> {
  const { kind, state, subjectId, subjectGone, recipientKey, createdAt, payload } = outboxTable;
  const isTheirs = or(eq(subjectId, id), and(sql`${subjectGone} = 1`, eq(recipientKey, emailKey)));
  const last = await orm
    .select({ payload })
    .from(outboxTable)
    .where(and(eq(kind, "confirm"), inArray(state, ["queued", "sent", "simulated"]), isTheirs))
    .orderBy(desc(createdAt))
    .limit(1)
    .get();
  const askedAt = Number(last?.payload.askedAt); // not in emails of earlier versions
  return Number.isNaN(askedAt) ? undefined : new Date(askedAt);
}

/** Confirms pending subscribers, and records how. What they do themselves begins sequences. */
export async function confirmAll(
  orm: Orm,
  ids: string[],
  origin: Origin & { note?: string },
  now: Date,
): Promise<void> {
  const confirmed = { pendingAt: null, confirmedAt: now, updatedAt: now };
  await orm.update(subscribers).set(confirmed).where(hasId(subscribers.id, ids)).run();
  await recordEvents(orm, { ids, kind: "confirmed" }, origin, now);
  if (origin.via !== "manager") await enterAsNew(orm, { rows: await neverLeft(orm, ids), isConfirmed: true }, now);
}

/**
 * Deletes those who did not confirm within 30 days; their events are kept. Someone who had unsubscribed earlier is
 * unsubscribed again: anyone can type an address into a form, and an import must not bring them back then.
 */
export const expirePending = (db: Db, now: Date) =>
  changeInCommits(db, async (orm) => {
    const { id, pendingAt, state } = subscribers;
    const isOver = and(
      eq(state, "active"),
      isNotNull(pendingAt),
      lt(pendingAt, new Date(now.getTime() - maxPendingMs)),
    );
    const { unsubscribedAt } = subscribers;
    const people = await orm.select({ id, unsubscribedAt }).from(subscribers).where(isOver).limit(rowsPerCommit).all();
    const unsubscribed = { state: "unsubscribed", pendingAt: null, updatedAt: now } as const;
    const ids = people.map((person) => person.id);
    for (const hadLeft of [false, true]) {
      const some = people.filter((person) => (person.unsubscribedAt !== null) === hadLeft).map((person) => person.id);
      const reportedAs = hadLeft ? ("subscriber.unsubscribed" as const) : ("subscriber.deleted" as const);
      await recordEvents(orm, { ids: some, kind: "expired" }, { via: "confirm", reportedAs }, now);
    }
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
