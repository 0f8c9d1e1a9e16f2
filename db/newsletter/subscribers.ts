import { and, eq, inArray, ne, or, type SQL, sql } from "drizzle-orm";
import { forUpdate } from "../engine/dialects";
import { type Db, type Orm, prepared } from "../engine/open";
import { emailKey } from "../lib/email-key";
import { foldAll } from "../lib/fold";
import { hasId, lockInOrder } from "../lib/rows";
import { lockedHourlyLimit, fullUntil } from "../limits/hourly-limits";
import * as outbox from "../mail/outbox";
import { mayWelcome } from "../mail/caps";
import { broadcastRecipients, broadcasts } from "../schema/broadcasts";
import { isConfirmedByThem, subscriberEvents, subscribers } from "../schema/newsletter";
import { markScanner, recordEvent, recordEvents, type Origin } from "../events/subscriber-events";
import { liftForOwner, applySuppression } from "../suppressions/suppressions";
import { detailColumn, type Details, detailsOf, eachDetail, laterDetails } from "./details";
import { resume } from "./pause";
import { copyFields } from "./fields";
import { confirmAll, ensureLink, isDoubleOptIn } from "./pending";
import { enterAsNew } from "./sequence-entry";
import { changeTopics, copyTopics, defaultTopics, topicsNamed } from "./topics";

export type Subscriber = typeof subscribers.$inferSelect;

/** `topics`: by their slugs; without it, those that are the default. Unknown ones are ignored. */
export type NewSubscriber = { email: string; topics?: string[] | undefined } & Details;

/** Guarded: the first statement locks the subscribers' rows (docs/decisions/postgres.md). */
export const guarded = { guarded: true } as const;

/**
 * Makes the address active: inserts a row, or reactivates an unsubscribed one. `changed` is false if it was already
 * active. Under a hard cap on new subscribers, nothing may happen; `opensAt` then says when the visitor may try again.
 * The welcome email is queued in the same transaction, at most one in 24 hours and three in 30 days per mailbox (D13).
 * With double opt-in, a visitor is pending instead, and gets the confirmation link. Someone who is pending and asks
 * again in the form gets another one, within its own caps (`mayConfirm`). A suppressed person becomes active and still
 * gets no email, except that the form lifts an erasure and a bounce of half a year ago (`applySuppression`). Spellings
 * of one address are one subscriber (`emailKey`), and addresses of one mailbox are several that share these emails
 * (`mailboxKey`).
 */
export const subscribe = (db: Db, input: NewSubscriber, origin: Origin, now: Date, terms: Terms = {}) =>
  db.write((orm) => subscribeIn(orm, input, origin, now, terms), guarded);

type Terms = {
  welcome?: boolean;
  /** Does not reactivate unsubscribed people. */
  onlyNew?: boolean;
  /** The hard cap refuses known addresses too, so that it does not tell which are known. */
  capsKnown?: boolean;
  /** How they agreed, as the site’s program says. */
  consent?: Consent;
  /** The person gets the topics of this one, and none that this one left; the fields and the time zone, too. */
  like?: Subscriber | undefined;
};

export type Consent = { how: string; at: Date; url?: string | undefined };

/** The same, inside the caller's guarded transaction. */
export async function subscribeIn(orm: Orm, input: NewSubscriber, origin: Origin, now: Date, terms: Terms = {}) {
  const { welcome = true, onlyNew = false, capsKnown = false, consent, like } = terms;
  const opensAt = origin.via === "form" ? await closedUntil(orm, input.email, capsKnown, now) : undefined;
  if (opensAt) return { changed: false as const, opensAt, confirmation: undefined };
  const isPending = namedByOthers.has(origin.via) && (await isDoubleOptIn(orm));
  const person = like ? { ...input, timeZone: like.timeZone } : input;
  const row = await upsert(orm, person, { isPending, onlyNew }, now);
  if (!row) return { changed: false as const, opensAt, confirmation: await askAgain(orm, input.email, origin, now) };
  const kind = row.createdAt.getTime() === now.getTime() && !row.unsubscribedAt ? "subscribed" : "reactivated";
  if (consent) await keepConsent(orm, row, consent, now);
  const texts = { source: input.source, note: consent?.how };
  await recordEvent(orm, { subscriberId: row.id, kind }, { ...origin, ...texts }, now);
  if (like) await copyKnown(orm, like, row);
  else await chooseTopics(orm, row, input.topics);
  const isSuppressed = await applySuppression(orm, row, origin, now);
  const confirmation = isPending
    ? await askToConfirm(orm, { ...row, suppressedAt: isSuppressed ? now : null }, origin, now)
    : undefined;
  if (!isPending && welcome && !isSuppressed && (await mayWelcome(orm, row, now))) {
    const email = { kind: "welcome" as const, recipient: row.email, subjectId: row.id, payload: {} };
    await outbox.enqueue(orm, { ...email, isByProgram: origin.via === "api" }, now);
  }
  if (kind === "subscribed" && !isPending) await enterAsNew(orm, { rows: [row.row], isConfirmed: false }, now);
  return { changed: true as const, subscriber: row, opensAt, confirmation, isSuppressed };
}

/** Before anything begins, because conditions may ask for it. */
async function copyKnown(orm: Orm, from: Subscriber, person: Subscriber): Promise<void> {
  await copyTopics(orm, from, person);
  await copyFields(orm, from, person);
}

/** Ways in which anyone can type anyone’s address. */
const namedByOthers: ReadonlySet<Origin["via"]> = new Set(["form", "api"]);

const keepConsent = (orm: Orm, { row }: Subscriber, { how, at, url }: Consent, now: Date) =>
  orm
    .update(subscribers)
    .set({ consentNote: how, consentAt: at, consentUrl: url ?? null, updatedAt: now })
    .where(eq(subscribers.row, row))
    .run();

/** What people name when they subscribe is their choice; a topic that is merely the default does not undo it. */
async function chooseTopics(orm: Orm, person: Subscriber, slugs: string[] | undefined): Promise<void> {
  const add = slugs ? await topicsNamed(orm, slugs) : await defaultTopics(orm);
  if (add.length) await changeTopics(orm, [{ person, add, remove: [] }], slugs !== undefined);
}

/** A visitor who subscribes again while the address is pending gets another link. */
async function askAgain(orm: Orm, email: string, origin: Origin, now: Date): Promise<Confirmation | undefined> {
  const person = origin.via === "form" ? await withKey(orm, emailKey(email)) : undefined;
  return person?.pendingAt ? askToConfirm(orm, person, origin, now) : undefined;
}

/** Whether someone who is pending was sent a link that works, or the caps allow none at the moment. */
type Confirmation = "sent" | "capped";
const askToConfirm = async (...of: Parameters<typeof ensureLink>): Promise<Confirmation> =>
  (await ensureLink(...of)) ? "sent" : "capped";

/** Returns when new addresses are accepted again; undefined if they are accepted now, or a known one always is. */
const closedUntil = async (orm: Orm, email: string, capsKnown: boolean, now: Date): Promise<Date | undefined> =>
  (await lockedHourlyLimit(orm, "newSubscribersPerHour")) && (capsKnown || !(await withKey(orm, emailKey(email))))
    ? fullUntil(orm, "newSubscribersPerHour", now)
    : undefined;

const { placeholder } = sql;

/** Who comes back may have said it now. */
const saidNow = Object.fromEntries(
  laterDetails.map((name) => [
    name,
    sql`coalesce(${subscribers[name]}, excluded.${sql.identifier(detailColumn(name))})`,
  ]),
);

const upsertRow = prepared((orm) =>
  orm
    .insert(subscribers)
    .values({
      id: placeholder("id"),
      email: placeholder("email"),
      emailKey: placeholder("key"),
      ...eachDetail(sql.placeholder),
      folded: placeholder("folded"),
      pendingAt: sql`${placeholder("pendingAt")}`, // Drizzle cannot encode a nullable date
      createdAt: placeholder("now"),
      updatedAt: placeholder("now"),
    })
    .onConflictDoUpdate({
      target: subscribers.emailKey,
      set: {
        state: "active",
        pendingAt: sql`excluded.pending_at`,
        pausedUntil: null, // who comes back wants email now
        updatedAt: sql`excluded.updated_at`,
        ...saidNow,
      },
      setWhere: sql`${ne(subscribers.state, "active")} and ${placeholder("onlyNew")} = 0`,
    })
    .returning()
    .prepare(),
);

/** Returns the row that this call inserted or reactivated; undefined if the address was already active. */
function upsert(
  orm: Orm,
  { email, topics: _, ...details }: NewSubscriber,
  { isPending, onlyNew }: { isPending: boolean; onlyNew: boolean },
  now: Date,
): Promise<Subscriber | undefined> {
  const key = emailKey(email);
  const given = {
    onlyNew: Number(onlyNew),
    email,
    key,
    ...detailsOf(details),
    pendingAt: isPending ? now.getTime() : null,
  };
  return upsertRow(orm).get({ ...given, id: Bun.randomUUIDv7(), folded: foldAll(email, key, details.name), now });
}

export type UnsubscribeResult =
  { outcome: "unsubscribed" | "already"; subscriber: Subscriber } | { outcome: "unknown" };

/**
 * Unsubscribes the address. Repeating it is not an error.
 *
 * @param recipient the row of the broadcast's email whose link was used, which is counted if that email was this
 * subscriber's
 */
export const unsubscribe = (db: Db, email: string, origin: Origin, now: Date, recipient?: number) =>
  db.write(async (orm): Promise<UnsubscribeResult> => {
    await lockBroadcastOf(orm, recipient);
    const key = emailKey(email);
    const left = await leaveIn(orm, key, origin, now);
    if (left?.wasActive && recipient) await countUnsubscribed(orm, { recipient, person: left.person }, now);
    if (left && origin.via === "link") await markScanner(orm, origin.network, now);
    if (left?.wasActive) return { outcome: "unsubscribed", subscriber: left.person };
    const subscriber = left?.person ?? (await withKey(orm, key));
    return subscriber ? { outcome: "already", subscriber } : { outcome: "unknown" };
  }, guarded);

/** The same inside the caller's guarded transaction. Returns the subscriber if they were active. */
export async function unsubscribeIn(orm: Orm, key: string, origin: Origin, now: Date): Promise<Subscriber | undefined> {
  const left = await leaveIn(orm, key, origin, now);
  return left?.wasActive ? left.person : undefined;
}

/**
 * Unsubscribes someone who is active. Whoever a manager or a mail scanner has unsubscribed, and leaves now, is
 * unsubscribed once more: undoing that must not bring back someone who really left.
 */
async function leaveIn(orm: Orm, key: string, origin: Origin, now: Date) {
  const set = { state: "unsubscribed" as const, unsubscribedAt: now, updatedAt: now };
  const leaving = (where: SQL) =>
    orm
      .update(subscribers)
      .set(set)
      .where(and(eq(subscribers.emailKey, key), where))
      .returning()
      .get();
  let left = await leaving(eq(subscribers.state, "active"));
  const wasActive = left !== undefined;
  if (!left) {
    const current = await lockWithKey(orm, key);
    if (current?.state === "active") return leaveIn(orm, key, origin, now); // they were just brought back
    if (current && (await mayBeUndone(orm, current))) left = await leaving(eq(subscribers.id, current.id));
  }
  if (!left) return undefined;
  await recordEvent(orm, { subscriberId: left.id, kind: "unsubscribed" }, origin, now);
  return { person: left, wasActive };
}

/** Whether the last unsubscribe was a manager's or a mail scanner's, which can be undone. */
export async function mayBeUndone(orm: Orm, { id, unsubscribedAt }: Subscriber): Promise<boolean> {
  if (!unsubscribedAt) return false;
  const { subscriberId, kind, createdAt, via, probableScanner } = subscriberEvents;
  const wasUndoable = or(eq(via, "manager"), eq(probableScanner, true));
  const event = await orm
    .select({ id: subscriberEvents.id })
    .from(subscriberEvents)
    .where(and(eq(subscriberId, id), eq(kind, "unsubscribed"), eq(createdAt, unsubscribedAt), wasUndoable))
    .get();
  return event !== undefined;
}

/** Locks the broadcast of a link's email before the person, as reports about it and erasures do. */
export async function lockBroadcastOf(orm: Orm, recipient: number | undefined): Promise<void> {
  if (!recipient) return;
  const { row, broadcastRow } = broadcastRecipients;
  const its = orm.select({ row: broadcastRow }).from(broadcastRecipients).where(eq(row, recipient));
  await lockInOrder(orm, broadcasts, inArray(broadcasts.row, its));
}

/** Counts someone who left by the link of a broadcast's email, if that email was theirs. Its broadcast is locked. */
export async function countUnsubscribed(
  orm: Orm,
  { recipient, person }: { recipient: number; person: Pick<Subscriber, "row"> },
  now: Date,
): Promise<void> {
  const isOne = isTheirs(recipient, person);
  await orm.update(broadcastRecipients).set({ unsubscribedAt: now }).where(isOne).run();
}

const isTheirs = (recipient: number, { row }: Pick<Subscriber, "row">) =>
  and(eq(broadcastRecipients.row, recipient), eq(broadcastRecipients.subscriberRow, row));

/**
 * Whether a broadcast's email to this active subscriber was accepted since then. Without a report, it has only just
 * been handed over.
 */
export const hasJustReceived = (db: Db, email: string, recipient: number, since: Date) =>
  db.read(async (orm) => {
    const subscriber = await withKey(orm, emailKey(email));
    if (subscriber?.state !== "active") return false;
    const receipt = await orm
      .select({ acceptedAt: broadcastRecipients.acceptedAt })
      .from(broadcastRecipients)
      .where(isTheirs(recipient, subscriber))
      .get();
    return Boolean(receipt && (!receipt.acceptedAt || receipt.acceptedAt > since));
  });

/**
 * Subscribes the owner of an unsubscribe link again. Returns undefined if the address is no longer on the list at all.
 */
export const subscribeAgain = (db: Db, email: string, origin: Origin, now: Date) =>
  db.write(async (orm) => {
    const key = emailKey(email);
    const subscriber = await withKey(orm, key);
    if (subscriber) await bringBack(orm, subscriber, origin, now);
    return withKey(orm, key);
  });

/** The same, in the caller's transaction. */
export async function bringBack(orm: Orm, subscriber: Subscriber, origin: Origin, now: Date): Promise<void> {
  const { id, email, state, pausedUntil, pendingAt } = subscriber;
  if (state === "unsubscribed") await activate(orm, [id], "reactivated", origin, now);
  if (pausedUntil) await resume(orm, [id], origin, now);
  if (pendingAt) await confirmAll(orm, [id], origin, now); // the link proves the address
  await liftForOwner(orm, email, origin, now);
}

const find = (condition: SQL) => prepared((orm) => orm.select().from(subscribers).where(condition).prepare());
const isKey = eq(subscribers.emailKey, placeholder("key"));
const [byKey, byKeyLocked] = [find(isKey), find(forUpdate(isKey))];
/** Returns the subscriber with this canonical address, for use inside another function's transaction. */
export const withKey = (orm: Orm, key: string): Promise<Subscriber | undefined> => byKey(orm).get({ key });
/** The same, under a lock until the transaction ends, for guarded ones. */
export const lockWithKey = (orm: Orm, key: string): Promise<Subscriber | undefined> => byKeyLocked(orm).get({ key });
export const byEmail = (db: Db, email: string) => db.read((orm) => withKey(orm, emailKey(email)));

/** Reactivates unsubscribed subscribers and records how. Address, name and source are kept. */
export async function activate(
  orm: Orm,
  ids: string[],
  kind: "reactivated" | "restored",
  origin: Origin & Pick<NewSubscriber, "source"> & { note?: string | null },
  now: Date,
): Promise<void> {
  await orm.update(subscribers).set({ state: "active", updatedAt: now }).where(hasId(subscribers.id, ids)).run();
  await recordEvents(orm, { ids, kind }, origin, now);
}

/** Returns the name of a subscriber who has confirmed the address; null for everyone else. */
export const confirmedName = (db: Db, email: string): Promise<string | null> =>
  db.read(async (orm) => {
    const name = sql<string | null>`case when ${isConfirmedByThem} then name end`;
    const key = emailKey(email);
    return (await orm.select({ name }).from(subscribers).where(eq(subscribers.emailKey, key)).get())?.name ?? null;
  });
