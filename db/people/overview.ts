import { count, desc, eq, inArray, or, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Db } from "../engine/open";
import { countRows } from "../lib/rows";
import { about } from "../mail/list";
import { resultColumns } from "../broadcasts/report/recipients";
import { knownOf as knownAbout, nothingKnown } from "../newsletter/by-row";
import type { Subscriber } from "../newsletter/subscribers";
import { auditEvents } from "../schema/audit";
import { broadcastRecipients, broadcasts, recipientStates } from "../schema/broadcasts";
import { messageEntries, messages } from "../schema/contact";
import { outbox } from "../schema/mail";
import { subscriberEvents } from "../schema/newsletter";
import { erasures, providerEvents } from "../schema/suppressions";
import { knownHashOf, ofAddress } from "../suppressions/suppressions";
import { addressOf, type Traces } from "./traces";

/** What a person's page shows: the newest rows of each kind, and how many there are. */
export type Overview = Awaited<ReturnType<typeof overviewOf>>;
type Known = Pick<Traces, "address" | "hash" | "subscriber" | "subscriberIds" | "emailIds">;

/** A subscriber's traces without those that need a scan: emails are found by the subscription. */
export async function knownOf(db: Db, subscriber: Subscriber): Promise<Known> {
  const { id, email } = subscriber;
  const [hash, emails] = await Promise.all([db.read((orm) => knownHashOf(orm, email)), about(db, id)]);
  const emailIds = emails.map((one) => one.id);
  return { address: addressOf(email), hash, subscriber, subscriberIds: [id], emailIds };
}

/** @param limit rows of each kind */
export async function overviewOf(db: Db, person: Known, limit: number) {
  const { address, hash, subscriber, subscriberIds, emailIds } = person;
  const [suppression, received, delivery, emails, written, conversation, messageCount, events, erased, facts] =
    await Promise.all([
      ofAddress(db, address.email),
      subscriber ? firstOf(broadcastsOf(db, subscriber.row), limit) : [],
      subscriber ? countBroadcasts(db, subscriber.row) : nothingReceived,
      firstOf(emailsOf(db, emailIds), limit),
      firstOf(messagesOf(db, address.key), limit),
      firstOf(conversationOf(db, address.key), 10 * limit),
      db.read((orm) => countRows(orm, messages, eq(messages.emailKey, address.key))),
      firstOf(eventsOf(db, subscriberIds), 10 * limit),
      hash === undefined ? [] : erasuresOf(db, hash),
      subscriber ? db.read((orm) => knownAbout(orm, [subscriber.row])) : undefined,
    ]);
  return {
    email: subscriber?.email ?? address.email,
    subscriber,
    profile: facts?.get(subscriber?.row ?? 0) ?? nothingKnown,
    suppression,
    events,
    erased,
    received: { rows: received, ...delivery },
    emails: { rows: emails, total: emailIds.length },
    conversation,
    messages: { rows: written, total: messageCount },
  };
}

const erasuresOf = (db: Db, hash: string) =>
  db.read((orm) =>
    orm.select().from(erasures).where(eq(erasures.hash, hash)).orderBy(desc(erasures.at)).limit(5).all(),
  );

/*
 * What is stored under an address, newest first, a few hundred rows at a time, because someone may have written a lot.
 */

const perRead = 500;

/** Yields pages of a query. @param read returns `limit` rows, starting at `offset` */
async function* paged<Row>(read: (limit: number, offset: number) => Promise<Row[]>): AsyncGenerator<Row[]> {
  for (let offset = 0; ; offset += perRead) {
    const rows = await read(perRead, offset);
    if (rows.length) yield rows;
    if (rows.length < perRead) return;
  }
}

/** Yields the rows with these IDs in slices. @param read returns the rows of a slice */
async function* sliced<Row>(ids: string[], read: (ids: string[]) => Promise<Row[]>): AsyncGenerator<Row[]> {
  for (let at = 0; at < ids.length; at += perRead) yield await read(ids.slice(at, at + perRead));
}

/** Returns the first rows, and reads no more than these. */
async function firstOf<Row>(rows: AsyncGenerator<Row[]>, limit: number): Promise<Row[]> {
  const first: Row[] = [];
  for await (const page of rows) if (first.push(...page) >= limit) break;
  return first.slice(0, limit);
}

const newest = (at: SQLiteColumn, id: SQLiteColumn): SQL[] => [desc(at), desc(id)];

export const eventsOf = (db: Db, subscriberIds: string[]) =>
  paged((limit, offset) =>
    db.read((orm) =>
      orm
        .select()
        .from(subscriberEvents)
        .where(inArray(subscriberEvents.subscriberId, subscriberIds.slice(0, perRead)))
        .orderBy(...newest(subscriberEvents.createdAt, subscriberEvents.id))
        .limit(limit)
        .offset(offset)
        .all(),
    ),
  );

export const messagesOf = (db: Db, emailKey: string) =>
  paged((limit, offset) =>
    db.read((orm) =>
      orm
        .select()
        .from(messages)
        .where(eq(messages.emailKey, emailKey))
        .orderBy(...newest(messages.createdAt, messages.id))
        .limit(limit)
        .offset(offset)
        .all(),
    ),
  );

/** What followed the messages of a person, and what the person answered in conversations with others. */
export const conversationOf = (db: Db, emailKey: string) =>
  paged((limit, offset) =>
    db.read((orm) => {
      const own = orm.select({ id: messages.id }).from(messages).where(eq(messages.emailKey, emailKey));
      return orm
        .select()
        .from(messageEntries)
        .where(or(inArray(messageEntries.messageId, own), eq(messageEntries.emailKey, emailKey)))
        .orderBy(...newest(messageEntries.createdAt, messageEntries.id))
        .limit(limit)
        .offset(offset)
        .all();
    }),
  );

/** IDs are in order of time, so the newest come first here too. */
const newestIds = (ids: string[]) => ids.toSorted().toReversed();

export const emailsOf = (db: Db, ids: string[]) =>
  sliced(newestIds(ids), (some) =>
    db.read((orm) =>
      orm
        .select()
        .from(outbox)
        .where(inArray(outbox.id, some))
        .orderBy(...newest(outbox.createdAt, outbox.id))
        .all(),
    ),
  );

export const entriesOf = (db: Db, ids: string[]) =>
  sliced(newestIds(ids), (some) =>
    db.read((orm) =>
      orm
        .select()
        .from(auditEvents)
        .where(inArray(auditEvents.id, some))
        .orderBy(...newest(auditEvents.createdAt, auditEvents.id))
        .all(),
    ),
  );

export const reportsOf = (db: Db, hash: string) =>
  paged((limit, offset) =>
    db.read((orm) =>
      orm
        .select()
        .from(providerEvents)
        .where(eq(providerEvents.hash, hash))
        .orderBy(...newest(providerEvents.at, providerEvents.id))
        .limit(limit)
        .offset(offset)
        .all(),
    ),
  );

/** The names of broadcast_recipients.state. */
export const recipientStateNames = Object.keys(recipientStates);

const r = broadcastRecipients;
const receivedPage = (db: Db, subscriberRow: number, limit: number, offset: number) =>
  db.read((orm) =>
    orm
      .select({
        ...resultColumns,
        broadcastId: broadcasts.id,
        kind: broadcasts.kind,
        subject: broadcasts.subject,
        startedAt: broadcasts.startedAt,
      })
      .from(r)
      .innerJoin(broadcasts, eq(broadcasts.row, r.broadcastRow))
      .where(eq(r.subscriberRow, subscriberRow))
      .orderBy(desc(broadcasts.startedAt), desc(r.row))
      .limit(limit)
      .offset(offset)
      .all(),
  );

export const broadcastsOf = (db: Db, subscriberRow: number) =>
  paged((limit, offset) => receivedPage(db, subscriberRow, limit, offset));

const step = sql<number | null>`case when ${broadcasts.kind} = 'step' then 1 end`;
const nothingReceived = { total: 0, steps: 0, delivered: 0 };

/** Counts the broadcasts and emails of sequences that someone got, and those that the provider reports as delivered. */
const countBroadcasts = async (db: Db, subscriberRow: number) =>
  (await db.read((orm) =>
    orm
      .select({ total: count(), steps: count(step), delivered: count(r.deliveredAt) })
      .from(r)
      .innerJoin(broadcasts, eq(broadcasts.row, r.broadcastRow))
      .where(eq(r.subscriberRow, subscriberRow))
      .get(),
  )) ?? nothingReceived;
