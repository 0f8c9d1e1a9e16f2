import { and, eq, notInArray, or, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { domainToUnicode } from "node:url";
import type { Db, Orm } from "../engine/open";
import { emailKey } from "../lib/email-key";
import { contains, containsIn } from "../lib/fold";
import { windowsOf } from "../lib/rows";
import { type Subscriber, withKey } from "../newsletter/subscribers";
import { managers } from "../schema/access";
import { auditEvents } from "../schema/audit";
import { messages } from "../schema/contact";
import { outbox } from "../schema/mail";
import type { ErasureScope } from "../schema/suppressions";
import { knownHashOf } from "../suppressions/suppressions";

/** What is stored under an address. */
export type Traces = {
  address: Address;
  /** The keyed hash of the address, as in suppressions, provider reports and erasures. */
  hash: string | undefined;
  subscriber: Subscriber | undefined;
  /** The subscriber, and deleted ones with this address. */
  subscriberIds: string[];
  messageIds: string[];
  /** Emails to the person, except those to a manager. */
  emailIds: string[];
  /** Entries that mention the address. */
  auditIds: string[];
  /** Whether a manager has this address; that account is not included. */
  isManager: boolean;
};

/** What is being erased, as the steps need it. */
export type Target = Traces & { hash: string; label: string; scope: ErasureScope; now: Date };

const isAboutSubscriber = (kind: string) => ["welcome", "confirm", "record"].includes(kind);

/** Emails to managers about their work. */
const toManagers = ["contact", "quarantine", "sign-in", "notice", "invitation"] as const;

/**
 * Finds what is stored under an address, even if it was never on the list. Emails and the audit log have no index for
 * this and are read in windows: maintaining one would cost every email, for pages that are rarely opened.
 */
export async function tracesOf(db: Db, email: string): Promise<Traces> {
  const address = addressOf(email);
  const hash = await db.read((orm) => knownHashOf(orm, email));
  const subscriber = await db.read((orm) => withKey(orm, address.key));
  const emails = await emailsTo(db, address);
  const isManager = await db.read(async (orm) => Boolean(await managerWith(orm, address)));
  const entries = await entriesNaming(db, address, isManager);
  const subjects = [
    subscriber?.id,
    ...emails.map(({ subscriberId }) => subscriberId),
    ...entries.flatMap(subscribersIn),
  ];
  return {
    address,
    hash,
    subscriber,
    isManager,
    subscriberIds: [...new Set(subjects.filter((id) => id !== undefined))],
    messageIds: await messagesOf(db, address),
    emailIds: emails.map(({ id }) => id),
    auditIds: entries.map(({ id }) => id),
  };
}

const managerWith = (orm: Orm, { key }: Address) =>
  orm.select({ id: managers.id }).from(managers).where(eq(managers.emailKey, key)).get();

/** Entries that are not about a manager's own account. */
const aboutPeople = /^(subscriber|message|suppression|mail|broadcast|person)\./;

const messagesOf = (db: Db, { key }: Address) =>
  db.read(async (orm) =>
    (await orm.select({ id: messages.id }).from(messages).where(eq(messages.emailKey, key)).all()).map(({ id }) => id),
  );

export const isToThem = ({ key }: Address) =>
  and(eq(outbox.recipientKey, key), notInArray(outbox.kind, [...toManagers]));

async function emailsTo(db: Db, address: Address): Promise<{ id: string; subscriberId: string | undefined }[]> {
  const emails: { id: string; subscriberId: string | undefined }[] = [];
  for await (const window of windowsOf(db, outbox, outbox.id))
    for (const { id, kind, subjectId } of await db.read((orm) =>
      orm
        .select()
        .from(outbox)
        .where(and(window, isToThem(address)))
        .all(),
    ))
      emails.push({
        id,
        subscriberId: isAboutSubscriber(kind) ? (subjectId ?? undefined) : undefined,
      });
  return emails;
}

type Entry = Pick<typeof auditEvents.$inferSelect, "id" | "action" | "target" | "targetId" | "details">;

async function entriesNaming(db: Db, address: Address, isManager: boolean): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const window of windowsOf(db, auditEvents, auditEvents.id))
    entries.push(...(await db.read((orm) => entriesIn(orm, window, address, isManager))));
  return entries;
}

/** The entries of a window that name the address and are about the person it belongs to. */
export async function entriesIn(orm: Orm, window: SQL | undefined, address: Address, isManager: boolean) {
  const mayBe = await orm
    .select()
    .from(auditEvents)
    .where(and(window, mayName(address)))
    .all();
  return mayBe.filter((entry) => names(entry, address) && (!isManager || aboutPeople.test(entry.action)));
}

const mayName = (address: Address) =>
  or(mayMentionFolded(auditEvents.folded, address), mayMention(auditEvents.details, address));

const names = ({ target, details }: Entry, address: Address) =>
  [target ?? "", ...Object.values(details)].some((text) => mentions(text, address));

/** A deleted subscriber is known from the audit entry about it. */
const subscribersIn = ({ action, targetId }: Entry) =>
  action.startsWith("subscriber.") && targetId !== null ? [targetId] : [];

/** An address, with the ways it may be spelled in a text. */
export type Address = { key: string; email: string; forms: string[] };

export function addressOf(email: string): Address {
  const key = emailKey(email);
  const cut = key.lastIndexOf("@") + 1;
  const typed = email.trim();
  const forms = new Set([key, typed, typed.toLowerCase()]);
  const domain = domainToUnicode(key.slice(cut)); // empty for invalid punycode
  if (domain) forms.add(key.slice(0, cut) + domain);
  return { key, email: typed, forms: [...forms] };
}

/** Condition: the column may mention the address. `mentions` decides. */
export const mayMention = (column: SQLiteColumn, { forms }: Address): SQL | undefined =>
  or(...forms.map((form) => containsIn(column, form)));

/** The same for a column that is folded for searching. */
const mayMentionFolded = (column: SQLiteColumn, { forms }: Address): SQL | undefined =>
  or(...forms.map((form) => sql`${column} like ${contains(form)} escape '\\'`));

/** Matches whole addresses only: "ada@a.example" is not in "nevada@a.example". In doubt, it counts as the address. */
const wholly = ({ forms }: Address) =>
  new RegExp(
    `(?<![\\p{L}\\p{N}.+_-])(?:${forms.map(RegExp.escape).join("|")})(?!-?[\\p{L}\\p{N}]|\\.[\\p{L}\\p{N}])`,
    "giu",
  );

export const mentions = (text: string, address: Address): boolean => wholly(address).test(text);

/** Returns the text with the address replaced. */
export const without = (text: string, address: Address, instead: string): string =>
  text.replace(wholly(address), instead.replaceAll("$", "$$$$"));

export const mentionsAddress = (text: string, email: string): boolean => mentions(text, addressOf(email));
