import { eq } from "drizzle-orm";
import * as audit from "../audit";
import type { Db, Orm } from "../engine/open";
import { note } from "../subscriber-events";
import { withKey } from "../newsletter/subscribers";
import { type ErasureCounts, erasures, type ErasureScope } from "../schema/suppressions";
import { type By, hashOf, suppress } from "../suppressions/suppressions";
import { eraseEntries } from "./erase-entries";
import { eraseEmails, eraseMessages, eraseWebhookCalls } from "./erase-rows";
import { eraseRemarks, forgetSubscriber, forgetTexts, holdBroadcasts } from "./erase-subscriber";
import { eraseErrors } from "./erase-errors";
import { eraseViews } from "./erase-views";
import { isAnythingLeft } from "./remaining";
import { type Target, tracesOf } from "./traces";

export type Erasure = typeof erasures.$inferSelect;
/** A requested erasure. Its ID is known before anything is deleted. */
export type Erasing = {
  id: string;
  email: string;
  scope: ErasureScope;
  request?: string | undefined;
  /** When it was first done, if this repeats it. */
  at?: Date;
};
export type Eraser = audit.Actor & Pick<By, "via">;

export const nothing: ErasureCounts = {
  subscriptions: 0,
  events: 0,
  emails: 0,
  broadcasts: 0,
  messages: 0,
  reports: 0,
  webhookCalls: 0,
  auditEntries: 0,
};

/** The name of an erased person in the audit log: the beginning of the hash distinguishes one from another. */
const labelOf = (hash: string) => `erased person ${hash.slice(0, 8)}`;

const maxPasses = 10; // so that it ends even if someone keeps writing

/**
 * Erases what is stored under an address (docs/people.md): the subscription and what belongs to it, the messages, or
 * both. What counts in others' figures stays, without the person. Works in commits of a thousand rows; after a crash it
 * is repeated as it was begun. What is written under the address in the meantime is erased in another pass: the erasure
 * ends with a transaction that finds nothing left (docs/decisions/erasure.md).
 */
export async function erase(db: Db, what: Erasing, by: Eraser, now: Date): Promise<Erasure> {
  const hash = await db.write((orm) => hashOf(orm, what.email));
  let counts = nothing;
  for (let passes = 1; ; passes++) {
    const of = { ...(await tracesOf(db, what.email)), hash, label: labelOf(hash), scope: what.scope, now };
    counts = sumOf(counts, await erasePass(db, of, what, by));
    const mayEnd = async (orm: Orm) => passes >= maxPasses || !(await isAnythingLeft(orm, of));
    const erasure = await db.write(async (orm) =>
      (await mayEnd(orm)) ? finish(orm, of, what.id, counts, by) : undefined,
    );
    if (erasure) return erasure;
  }
}

const sumOf = (one: ErasureCounts, other: ErasureCounts) =>
  Object.fromEntries(
    Object.entries(one).map(([name, n]) => [name, n + other[name as keyof ErasureCounts]]),
  ) as ErasureCounts;

async function erasePass(db: Db, found: Target, what: Erasing, by: Eraser): Promise<ErasureCounts> {
  const { of, counts } = await db.write((orm) => begin(orm, found, what, by));
  const [hasSubscription, hasMessages] = [of.scope.includes("subscription"), of.scope.includes("messages")];
  const rows = {
    messages: hasMessages ? await eraseMessages(db, of) : 0,
    emails: hasSubscription ? await eraseEmails(db, of) : 0,
    webhookCalls: await eraseWebhookCalls(db, of),
    auditEntries: await eraseEntries(db, of),
  };
  if (hasSubscription) await eraseErrors(db, of.address);
  return { ...counts, ...rows };
}

async function begin(orm: Orm, found: Target, what: Erasing, by: Eraser) {
  const { now, hash, address } = found;
  const { id, scope, request = null, at = now } = what;
  await holdBroadcasts(orm);
  const row = { id, hash, at, by: by.actor, request, scope, counts: nothing };
  await orm.insert(erasures).values(row).onConflictDoNothing().run();
  if (!scope.includes("subscription")) return { of: found, counts: nothing };
  const subscriber = await withKey(orm, address.key); // perhaps not there yet when the traces were found
  const of = {
    ...found,
    subscriberIds: [...new Set([...found.subscriberIds, ...(subscriber ? [subscriber.id] : [])])],
  };
  const counts = { ...nothing, events: await forgetTexts(orm, of) };
  if (subscriber) {
    await note(orm, subscriber.id, "erased", { via: by.via, actor: by.actor }, now); // recorded before the subscriber is deleted, so that the day's figures include it
    const { broadcasts, waitsFor } = await forgetSubscriber(orm, subscriber);
    if (waitsFor.length) await waitFor(orm, id, waitsFor);
    Object.assign(counts, { subscriptions: 1, broadcasts });
  }
  if (scope.includes("suppression")) await suppress(orm, { email: what.email, reason: "erased" }, by, now);
  return { of, counts: { ...counts, reports: await eraseRemarks(orm, of) } };
}

async function waitFor(orm: Orm, id: string, batches: number[]): Promise<void> {
  const before = (await orm.select().from(erasures).where(eq(erasures.id, id)).get())?.waitsFor ?? [];
  await orm
    .update(erasures)
    .set({ waitsFor: [...before, ...batches] })
    .where(eq(erasures.id, id))
    .run();
}

async function finish(orm: Orm, of: Target, id: string, counts: ErasureCounts, by: Eraser): Promise<Erasure> {
  const { actor, address } = by;
  const { label, now } = of;
  await eraseViews(orm, of.address);
  await audit.record(orm, { actor, address, action: "person.erase", targetId: id, target: label }, now);
  return orm.update(erasures).set({ counts, finishedAt: now }).where(eq(erasures.id, id)).returning().get();
}
