import { and, eq, inArray, isNotNull, notInArray, or, sql } from "drizzle-orm";
import * as audit from "../audit";
import { byEngine } from "../engine/dialects";
import type { Db, Orm } from "../engine/open";
import { recordEvent } from "../events/subscriber-events";
import { fold } from "../lib/fold";
import { lockInOrder, windowsOf } from "../lib/rows";
import { dayMs } from "../lib/time";
import { enqueue, isToldSince } from "../mail/outbox";
import { type Subscriber, withKey } from "../newsletter/subscribers";
import { savedViews, sessions } from "../schema/access";
import { broadcastBatches, broadcastRecipients, broadcasts } from "../schema/broadcasts";
import { snippets } from "../schema/contact";
import { outbox } from "../schema/mail";
import { audienceTags, subscriberEvents, subscribers } from "../schema/newsletter";
import { segments } from "../schema/audience";
import { sequences } from "../schema/sequences";
import { apiBatches, pendingImports } from "../schema/shared";
import {
  erasedKinds,
  type ErasureCounts,
  erasures,
  type ErasureScope,
  providerEvents,
  suppressions,
} from "../schema/suppressions";
import { type By, hashOf, suppress } from "../suppressions/suppressions";
import {
  eraseAnswers,
  eraseEmails,
  eraseEntries,
  eraseMessages,
  eraseWebhookCalls,
  isAnythingLeft,
} from "./erase-rows";
import { type Address, mayMention, mentions, type Target, tracesOf, without } from "./traces";

/**
 * Waits for senders that are claiming recipients, and keeps others from it until the transaction ends: claims lock the
 * row of the broadcast. So do outcomes of emails, which the figures of what the person got wait for. Must be the first
 * statement, so that the following ones see what was claimed.
 */
async function holdBroadcasts(orm: Orm, { subscriberIds }: Target): Promise<void> {
  const person = orm.select({ row: subscribers.row }).from(subscribers).where(inArray(subscribers.id, subscriberIds));
  const { broadcastRow, subscriberRow } = broadcastRecipients;
  const got = orm.select({ broadcastRow }).from(broadcastRecipients).where(inArray(subscriberRow, person));
  const isHeld = or(notInArray(broadcasts.state, ["sent", "cancelled"]), inArray(broadcasts.row, got));
  await lockInOrder(orm, broadcasts, isHeld);
}

/** Removes the person from texts that stay. Returns the number of events. */
async function forgetTexts(orm: Orm, { subscriberIds, address }: Target): Promise<number> {
  const texts = { source: null, note: null, network: null, userAgent: null };
  let events = 0;
  for (const id of subscriberIds) {
    const changed = orm.update(subscriberEvents).set(texts).where(eq(subscriberEvents.subscriberId, id));
    events += (await changed.returning({ id: subscriberEvents.id }).all()).length;
  }
  const mayNameThem = inArray(pendingImports.kind, ["subscribers", "report"]);
  await orm.delete(pendingImports).where(mayNameThem).run();
  await orm.update(sessions).set({ notices: null }).where(isNotNull(sessions.notices)).run(); // one of them may contain the name
  await orm.update(broadcasts).set({ stateDetail: null }).where(mayMention(broadcasts.stateDetail, address)).run();
  return events;
}

/**
 * Deletes the subscriber. Broadcasts keep their figures. Returns the number of broadcasts the person was in, and the
 * batches that keep the address until their outcome is known, because they may only be repeated unchanged.
 */
async function forgetSubscriber(orm: Orm, { row }: Subscriber) {
  const got = await forgetRecipient(orm, row);
  await deleteSecurely(orm)(orm, row);
  return { broadcasts: got.length, waitsFor: await frozenIn(orm, got) };
}

async function forgetRecipient(orm: Orm, row: number): Promise<number[]> {
  const own = eq(broadcastRecipients.subscriberRow, row);
  const changed = orm.update(broadcastRecipients).set({ error: null, providerId: null }).where(own);
  return (await changed.returning({ batchRow: broadcastRecipients.batchRow }).all()).map(({ batchRow }) => batchRow);
}

async function frozenIn(orm: Orm, batches: number[]): Promise<number[]> {
  const frozen: number[] = [];
  for (let at = 0; at < batches.length; at += 500) {
    const where = and(inArray(broadcastBatches.row, batches.slice(at, at + 500)), isNotNull(broadcastBatches.frozen));
    frozen.push(
      ...(await orm.select({ row: broadcastBatches.row }).from(broadcastBatches).where(where).all()).map(
        ({ row }) => row,
      ),
    );
  }
  return frozen;
}

const deleteRow = async (orm: Orm, row: number): Promise<void> =>
  void (await orm.delete(subscribers).where(eq(subscribers.row, row)).run());

/** Removes the row itself from the search index, instead of marking it as deleted. That is slow, and only done here. */
const deleteSecurely = byEngine({
  postgres: deleteRow,
  sqlite: async (orm: Orm, row: number) => {
    const set = (value: 0 | 1) =>
      orm.run(sql`insert into subscribers_search (subscribers_search, rank) values ('secure-delete', ${value})`);
    await set(1);
    await deleteRow(orm, row);
    await set(0);
  },
});

/** Removes the address, and other people's remarks about it, from what stays. Returns the number of reports. */
async function eraseRemarks(orm: Orm, { hash }: Target): Promise<number> {
  const said = { email: null, detail: null, note: null };
  await orm.update(suppressions).set(said).where(eq(suppressions.hash, hash)).run();
  const reports = orm.update(providerEvents).set({ detail: null }).where(eq(providerEvents.hash, hash));
  return (await reports.returning({ id: providerEvents.id }).all()).length;
}

const kept = [
  {
    table: broadcastRecipients,
    key: broadcastRecipients.row,
    column: broadcastRecipients.error,
    none: { error: null },
  },
  { table: broadcastBatches, key: broadcastBatches.row, column: broadcastBatches.lastError, none: { lastError: null } },
  { table: outbox, key: outbox.id, column: outbox.lastError, none: { lastError: null } },
  { table: providerEvents, key: providerEvents.id, column: providerEvents.detail, none: { detail: null } },
];

/** Mail servers repeat addresses in their replies. Deletes those replies wherever they are stored. */
async function eraseErrors(db: Db, address: Address): Promise<void> {
  for (const { table, key, column, none } of kept)
    for await (const window of windowsOf(db, table, key)) {
      const where = and(window, mayMention(column, address));
      await db.write((orm) => orm.update(table).set(none).where(where).run());
    }
}

/** Deletes the saved views that search for the address, whoever saved them. There are few, so all are read. */
async function eraseViews(orm: Orm, address: Address): Promise<void> {
  for (const { id, name, query } of await orm.select().from(savedViews).all()) {
    const words = [name, ...new URLSearchParams(query).values()];
    if (words.some((text) => mentions(text, address))) await orm.delete(savedViews).where(eq(savedViews.id, id)).run();
  }
}

/** Removes the tags that name the address from the history of other people. */
async function eraseTagNotes(db: Db, address: Address): Promise<void> {
  const { id, kind, note } = subscriberEvents;
  for await (const window of windowsOf(db, subscriberEvents, id)) {
    const where = and(window, eq(kind, "changed"), mayMention(note, address));
    await db.write((orm) => orm.update(subscriberEvents).set({ note: null }).where(where).run());
  }
}

/** Deletes the tags that name the address. There are few, so all are read. */
async function eraseTags(orm: Orm, address: Address): Promise<void> {
  for (const { row, name } of await orm.select().from(audienceTags).all())
    if (mentions(name, address)) await orm.delete(audienceTags).where(eq(audienceTags.row, row)).run();
}

/** Removes the address from the names and the conditions of segments, which then mean nobody by it. */
async function eraseSegments(orm: Orm, address: Address, label: string): Promise<void> {
  for (const { row, name, definition } of await orm.select().from(segments).all())
    if (mentions(name, address) || mentions(definition, address)) {
      const left = without(name, address, label);
      const set = { name: left, folded: `${fold(left)} ${row}`, definition: without(definition, address, label) };
      await orm.update(segments).set(set).where(eq(segments.row, row)).run();
    }
}

/** Removes the address from the names and the conditions of sequences. */
async function eraseSequences(orm: Orm, address: Address, label: string): Promise<void> {
  for (const { row, name, segment, frozenSegment } of await orm.select().from(sequences).all())
    if ([name, segment, frozenSegment ?? ""].some((text) => mentions(text, address))) {
      const left = without(name, address, label);
      const frozen = frozenSegment && without(frozenSegment, address, label);
      const set = { name: left, folded: `${fold(left)} ${row}`, segment: without(segment, address, label) };
      await orm
        .update(sequences)
        .set({ ...set, frozenSegment: frozen })
        .where(eq(sequences.row, row))
        .run();
    }
}

/** Removes the address from snippets. There are few, so all are read. */
async function eraseSnippets(orm: Orm, address: Address, label: string): Promise<void> {
  for (const { id, name, text } of await orm.select().from(snippets).all())
    if (mentions(name, address) || mentions(text, address)) {
      const set = { name: without(name, address, label), text: without(text, address, label) };
      await orm.update(snippets).set(set).where(eq(snippets.id, id)).run();
    }
}

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
export type Eraser = audit.Actor & Pick<By, "via"> & { key?: ErasingKey };

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
 * ends with a transaction that finds nothing left, or the tenth (docs/decisions/erasure.md).
 */
export async function erase(db: Db, what: Erasing, by: Eraser, now: Date): Promise<Erasure> {
  const hash = await db.write((orm) => hashOf(orm, what.email));
  let counts = nothing;
  for (let passes = 1; ; passes++) {
    const of = { ...(await tracesOf(db, what.email)), hash, label: labelOf(hash), scope: what.scope, now };
    counts = sumOf(counts, await erasePass(db, of, what, by));
    const mayEnd = async (orm: Orm) => passes >= maxPasses || !(await isAnythingLeft(orm, of));
    const erasure = await db.write(async (orm) =>
      (await mayEnd(orm)) ? finish(orm, { target: of, id: what.id, counts }, by) : undefined,
    );
    if (erasure) return erasure;
  }
}

function sumOf(one: ErasureCounts, other: ErasureCounts): ErasureCounts {
  const sum = { ...one };
  for (const kind of erasedKinds) sum[kind] += other[kind];
  return sum;
}

async function erasePass(db: Db, target: Target, what: Erasing, by: Eraser): Promise<ErasureCounts> {
  const { of, counts } = await db.write((orm) => begin(orm, target, what, by));
  const [hasSubscription, hasMessages] = [of.scope.includes("subscription"), of.scope.includes("messages")];
  const rows = {
    messages: hasMessages ? await eraseMessages(db, of) : 0,
    emails: hasSubscription ? await eraseEmails(db, of) : 0,
    webhookCalls: await eraseWebhookCalls(db, of),
    auditEntries: await eraseEntries(db, of),
  };
  if (hasMessages) await eraseAnswers(db, of);
  if (hasSubscription) await eraseErrors(db, of.address);
  if (hasSubscription) await eraseTagNotes(db, of.address);
  return { ...counts, ...rows };
}

async function begin(orm: Orm, target: Target, what: Erasing, by: Eraser) {
  const { now, hash, address } = target;
  const { id, scope, request = null, at = now } = what;
  await holdBroadcasts(orm, target);
  const row = { id, hash, at, by: by.actor, request, scope, counts: nothing };
  const begun = orm.insert(erasures).values(row).onConflictDoNothing().returning({ id: erasures.id });
  if ((await begun.all()).length && by.key) await tellOfErasure(orm, by.key, now);
  if (!scope.includes("subscription")) return { of: target, counts: nothing };
  const subscriber = await withKey(orm, address.key); // perhaps not there yet when the traces were found
  const of = {
    ...target,
    subscriberIds: [...new Set([...target.subscriberIds, ...(subscriber ? [subscriber.id] : [])])],
  };
  const counts = { ...nothing, events: await forgetTexts(orm, of) };
  if (subscriber) {
    await recordEvent(orm, { subscriberId: subscriber.id, kind: "erased" }, { via: by.via, actor: by.actor }, now); // recorded before the subscriber is deleted, so that the day's figures include it
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

async function finish(
  orm: Orm,
  { target: of, id, counts }: { target: Target; id: string; counts: ErasureCounts },
  by: Eraser,
): Promise<Erasure> {
  const { actor, address } = by;
  const { label, now } = of;
  await eraseViews(orm, of.address);
  await eraseTags(orm, of.address);
  await eraseSnippets(orm, of.address, label);
  await eraseSegments(orm, of.address, label);
  await orm.delete(apiBatches).where(mayMention(apiBatches.results, of.address)).run(); // tags may name the address
  await eraseSequences(orm, of.address, label);
  await audit.record(orm, { actor, address, action: "person.erase", targetId: id, target: label }, now);
  return orm.update(erasures).set({ counts, finishedAt: now }).where(eq(erasures.id, id)).returning().get();
}

/** The API key that a program erases with, and whom that is told to. */
type ErasingKey = { id: string; owner: string | undefined };

const keyNotice = "api-key-erasure";

/** Queues an email to the owner that a key erases people, at most once a day for each key. It names nobody. */
async function tellOfErasure(orm: Orm, { id, owner }: ErasingKey, now: Date): Promise<void> {
  if (owner === undefined) return;
  if (await isToldSince(orm, { subjectId: id, about: keyNotice }, new Date(now.getTime() - dayMs))) return;
  const payload = { about: keyNotice, at: now.toISOString() };
  await enqueue(orm, { kind: "notice", recipient: owner, subjectId: id, payload }, now);
}
