import { eq } from "drizzle-orm";
import * as audit from "../audit";
import type { Db, Orm } from "../engine/open";
import { note } from "../newsletter/events";
import { type ErasureCounts, erasures, type ErasureScope } from "../schema/suppressions";
import { type By, hashOf, suppress } from "../suppressions";
import { eraseEntries } from "./erase-entries";
import { eraseEmails, eraseMessages, eraseWebhookCalls } from "./erase-rows";
import { eraseRemarks, forgetSubscriber, forgetTexts } from "./erase-subscriber";
import { eraseErrors } from "./erase-errors";
import { eraseViews } from "./erase-views";
import { type Target, tracesOf } from "./traces";

export type Erasure = typeof erasures.$inferSelect;
/** An erasure that was asked for. Its ID is known before anything is deleted (P193). */
export type Erasing = {
  id: string;
  email: string;
  scope: ErasureScope;
  request?: string | undefined;
  /** When it was first done, if this is a repetition. */
  at?: Date;
};
export type Eraser = audit.Actor & Pick<By, "via">;

export const nothing: ErasureCounts = {
  ...{ subscriptions: 0, events: 0, emails: 0, broadcasts: 0 },
  ...{ messages: 0, reports: 0, webhookCalls: 0, auditEntries: 0 },
};

/** What stands for an erased person in the audit log: the beginning of the hash tells two of them apart. */
const labelOf = (hash: string) => `erased person ${hash.slice(0, 8)}`;

/**
 * Erases what is stored under an address (docs/people.md): the subscription and what belongs to it, the messages, or
 * both. What others are counted by stays, without the person. In commits of a thousand rows; after a crash it is done
 * again as it was begun.
 */
export async function erase(db: Db, what: Erasing, by: Eraser, now: Date): Promise<Erasure> {
  const traces = await tracesOf(db, what.email);
  const hash = await db.write((orm) => hashOf(orm, what.email));
  const of = { ...traces, hash, label: labelOf(hash), scope: what.scope, now };
  const begun = await db.write((orm) => begin(orm, of, what, by));
  const [hasSubscription, hasMessages] = [what.scope.includes("subscription"), what.scope.includes("messages")];
  const counts = {
    ...begun,
    messages: hasMessages ? await eraseMessages(db, traces) : 0,
    emails: hasSubscription ? await eraseEmails(db, traces) : 0,
    webhookCalls: await eraseWebhookCalls(db, of),
    auditEntries: await eraseEntries(db, of),
  };
  if (hasSubscription) await eraseErrors(db, traces.address);
  await eraseViews(db, traces.address);
  return db.write((orm) => finish(orm, what.id, { hash, counts }, by, now));
}

async function begin(orm: Orm, of: Target, what: Erasing, by: Eraser): Promise<ErasureCounts> {
  const { subscriber, now, hash } = of;
  const { id, scope, request = null, at = now } = what;
  const row = { id, hash, at, by: by.actor, request, scope, counts: nothing };
  await orm.insert(erasures).values(row).onConflictDoNothing().run();
  if (!scope.includes("subscription")) return nothing;
  const events = await forgetTexts(orm, of);
  const done = { ...nothing, events };
  if (subscriber) {
    await note(orm, subscriber.id, "erased", { via: by.via, actor: by.actor }, now); // before: the day counts it
    const { broadcasts, waitsFor } = await forgetSubscriber(orm, subscriber);
    await orm.update(erasures).set({ waitsFor }).where(eq(erasures.id, id)).run();
    Object.assign(done, { subscriptions: 1, broadcasts });
  }
  if (scope.includes("suppression")) await suppress(orm, { email: what.email, reason: "erased" }, by, now);
  return { ...done, reports: await eraseRemarks(orm, of) };
}

async function finish(
  orm: Orm,
  id: string,
  { hash, counts }: { hash: string; counts: ErasureCounts },
  by: Eraser,
  now: Date,
): Promise<Erasure> {
  const { actor, address } = by;
  await audit.record(orm, { actor, address, action: "person.erase", targetId: id, target: labelOf(hash) }, now);
  return orm.update(erasures).set({ counts, finishedAt: now }).where(eq(erasures.id, id)).returning().get();
}
