import { desc, eq } from "drizzle-orm";
import type { Db } from "../engine/open";
import { countRows } from "../lib/rows";
import { about } from "../mail/list";
import type { Subscriber } from "../newsletter/subscribers";
import { knownOf as knownAbout, nothingKnown } from "../newsletter/known";
import { messages } from "../schema/contact";
import { erasures } from "../schema/suppressions";
import { knownHashOf, ofAddress } from "../suppressions/suppressions";
import { addressOf } from "./address";
import * as rows from "./rows";
import { type Traces } from "./traces";

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
      subscriber ? rows.firstOf(rows.broadcastsOf(db, subscriber.row), limit) : [],
      subscriber ? rows.countBroadcasts(db, subscriber.row) : { total: 0, delivered: 0 },
      rows.firstOf(rows.emailsOf(db, emailIds), limit),
      rows.firstOf(rows.messagesOf(db, address.key), limit),
      rows.firstOf(rows.conversationOf(db, address.key), 10 * limit),
      db.read((orm) => countRows(orm, messages, eq(messages.emailKey, address.key))),
      rows.firstOf(rows.eventsOf(db, subscriberIds), 10 * limit),
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
