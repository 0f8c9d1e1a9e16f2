import { and, eq, isNotNull, isNull, sql } from "drizzle-orm";
import { createHmac } from "node:crypto";
import { dayMs } from "../lib/time";
import { type Db, type Orm, prepared } from "../engine/open";
import { addressKey, ensureAddressKey } from "../installation";
import { emailKey } from "../lib/email-key";
import { recordEvent, type Origin } from "../events/subscriber-events";
import { subscribers } from "../schema/newsletter";
import { erasures, suppressions } from "../schema/suppressions";
import { byEngine } from "../engine/dialects";

/* Addresses that get no email, whoever adds them again (docs/decisions/suppressions.md). */

export type Suppression = typeof suppressions.$inferSelect;
export type SuppressionReason = Suppression["reason"];
/** Who suppresses or lifts, for the suppression and the subscriber's events. */
export type By = Pick<Origin, "via" | "actor" | "network" | "userAgent">;

const maxTextLength = 300;

/** Hashes an address under a key of this installation. */
export const hashWith = (key: string, email: string) => createHmac("sha256", key).update(emailKey(email)).digest("hex");
/** Returns the keyed hash of an address, for a write, which creates the key if necessary. */
export const hashOf = async (orm: Orm, email: string) => hashWith(await ensureAddressKey(orm), email);
/** The same for a read. Undefined if no address was ever hashed. */
export async function knownHashOf(orm: Orm, email: string): Promise<string | undefined> {
  const key = await addressKey(orm);
  return key === undefined ? undefined : hashWith(key, email);
}

const byHash = prepared((orm) =>
  orm
    .select()
    .from(suppressions)
    .where(eq(suppressions.hash, sql.placeholder("hash")))
    .prepare(),
);

/** Returns the suppression of an address if it is in force. */
async function inForce(orm: Orm, email: string): Promise<Suppression | undefined> {
  const hash = await knownHashOf(orm, email); // without a hash, nothing was ever suppressed
  const suppression = hash === undefined ? undefined : await byHash(orm).get({ hash: hash });
  return suppression?.liftedAt ? undefined : suppression;
}

/** Condition: the address is readable. If only its hash is known, only the person may bring it back. */
export const isReadable = isNotNull(suppressions.email);
/** Whether the address is suppressed and not readable. */
export const isForgotten = async (orm: Orm, email: string): Promise<boolean> =>
  (await inForce(orm, email))?.email === null;

export const ofAddress = (db: Db, email: string) => db.read((orm) => inForce(orm, email));

type NewSuppression = {
  email: string;
  reason: SuppressionReason;
  detail?: string | null | undefined;
  eventId?: string | undefined;
};

/**
 * Suppresses an address: its row, its subscriber and the event, in the caller's transaction. A suppression in force
 * stays as it is, unless the new one outranks it. Returns whether anything changed.
 */
export async function suppress(orm: Orm, what: NewSuppression, by: By, now: Date): Promise<boolean> {
  const { email, reason, eventId = null } = what;
  const detail = what.detail?.slice(0, maxTextLength) ?? null;
  const hash = await hashOf(orm, email);
  const readable = (await isErased(orm, email)) ? { email: null, detail: null } : { email, detail };
  const row = { hash, ...readable, reason, eventId, createdAt: now };
  const before = await byHash(orm).get({ hash });
  const isStronger = !before || before.liftedAt !== null || rank[reason] > rank[before.reason];
  if (isStronger) await put(orm, { ...row, by: by.actor ?? by.via });
  const person = await mark(orm, email, now);
  if (person)
    await recordEvent(orm, { subscriberId: person.id, kind: "suppressed" }, { ...by, note: explained(what) }, now);
  else await holdUnknown(orm)(orm, email, now);
  return isStronger || person !== undefined;
}

/**
 * Whether what was stored under the address was erased and its owner has not come back: then it is known by its hash
 * alone, whatever reports or imports name it.
 */
export async function isErased(orm: Orm, email: string): Promise<boolean> {
  const hash = await knownHashOf(orm, email);
  if (hash === undefined) return false;
  const isHere = orm.select({ id: erasures.id }).from(erasures).where(eq(erasures.hash, hash)).limit(1);
  if (!(await isHere.get())) return false;
  return !(await orm
    .select({ id: subscribers.id })
    .from(subscribers)
    .where(eq(subscribers.emailKey, emailKey(email)))
    .get());
}

/** A report outranks a decision, and decides who may lift the suppression. */
const rank: Record<SuppressionReason, number> = {
  erased: 0,
  import: 1,
  manual: 1,
  complaint: 2,
  provider: 3,
  bounce: 4,
};

const put = (orm: Orm, row: typeof suppressions.$inferInsert) => {
  const values = { liftedAt: null, liftedBy: null, note: null, ...row };
  return orm.insert(suppressions).values(values).onConflictDoUpdate({ target: suppressions.hash, set: values }).run();
};

/** Suppresses an erased address of which only the hash is known. */
export async function suppressErased(orm: Orm, hash: string, now: Date): Promise<void> {
  const before = await byHash(orm).get({ hash });
  const unknown = { email: null, detail: null, eventId: null };
  if (!before || before.liftedAt) await put(orm, { hash, ...unknown, reason: "erased", by: "system", createdAt: now });
}

const mark = (orm: Orm, email: string, now: Date) =>
  orm
    .update(subscribers)
    .set({ suppressedAt: now, updatedAt: now })
    .where(and(eq(subscribers.emailKey, emailKey(email)), isNull(subscribers.suppressedAt)))
    .returning({ id: subscribers.id })
    .get();

const explained = ({ reason, detail }: Pick<Suppression, "reason"> & { detail?: string | null | undefined }) =>
  detail ? `${reason}: ${detail}` : reason;

/**
 * Applies what is known of an address that was just added or reactivated: however that happened, it stays suppressed.
 * The sign-up form lifts an erased person's own suppression, and an old bounce. Returns whether it is suppressed.
 */
export async function recognize(
  orm: Orm,
  { id, email, suppressedAt }: { id: string; email: string; suppressedAt: Date | null },
  origin: By,
  now: Date,
): Promise<boolean> {
  const suppression = await inForce(orm, email);
  if (!suppression) return suppressedAt !== null;
  if (origin.via === "form" && isOutlived(suppression, now)) {
    await lift(orm, { email, why: "Subscribed again" }, origin, now);
    return false;
  }
  if (await mark(orm, email, now))
    await recordEvent(orm, { subscriberId: id, kind: "suppressed" }, { ...origin, note: explained(suppression) }, now);
  return true;
}

const bounceLifeMs = 180 * dayMs;
const isOutlived = ({ reason, createdAt }: Suppression, now: Date) =>
  reason === "erased" || (reason === "bounce" && createdAt.getTime() <= now.getTime() - bounceLifeMs);

/**
 * The reasons that end when the person subscribes again with the link in their own email, which proves that the address
 * works.
 */
const endedByTheirLink: SuppressionReason[] = ["complaint", "manual", "erased"];
/** What the IDs of reports begin with that came by email: who has an email of this person could have written them. */
export const mailedReportPrefix = "mailbox.";

/** Lifts what a person who has proved to own the address may lift. */
export async function liftForOwner(orm: Orm, email: string, origin: Origin, now: Date): Promise<void> {
  const suppression = await inForce(orm, email);
  if (!suppression) return;
  const { reason, eventId } = suppression;
  if (endedByTheirLink.includes(reason) || eventId?.startsWith(mailedReportPrefix))
    await lift(orm, { email, why: "Subscribed again" }, origin, now);
}

/** Lifts a suppression. Returns it as it was; undefined if there was none in force. */
export async function lift(
  orm: Orm,
  { email, why }: { email: string; why: string },
  by: By,
  now: Date,
): Promise<Suppression | undefined> {
  const suppression = await inForce(orm, email);
  if (!suppression) return;
  const lifted = { liftedAt: now, liftedBy: by.actor ?? by.via, note: why.slice(0, maxTextLength) };
  await orm.update(suppressions).set(lifted).where(eq(suppressions.hash, suppression.hash)).run();
  const person = await orm
    .update(subscribers)
    .set({ suppressedAt: null, updatedAt: now })
    .where(eq(subscribers.emailKey, emailKey(email)))
    .returning({ id: subscribers.id })
    .get();
  if (person) await recordEvent(orm, { subscriberId: person.id, kind: "lifted" }, { ...by, note: lifted.note }, now);
  return suppression;
}

/**
 * Keeps others from adding an address that no subscriber has, until the transaction ends; after that they see what it
 * wrote. On PostgreSQL, a transaction neither sees nor locks a row inserted since it began: only the unique index knows
 * both, and makes one of them retry. That costs only what is rare, such as a suppression, and subscribing nothing.
 */
const holdUnknown = byEngine<(orm: Orm, email: string, now: Date) => Promise<void>>({
  sqlite: async () => {}, // SQLite has only one write transaction at a time
  async postgres(orm, email, now) {
    const [id, key] = [Bun.randomUUIDv7(), emailKey(email)];
    if (await orm.select({ id: subscribers.id }).from(subscribers).where(eq(subscribers.emailKey, key)).get()) return;
    const state = "unsubscribed" as const; // chart data counts only active subscribers
    const row = { id, email, emailKey: key, state, folded: "", createdAt: now, updatedAt: now };
    await orm.insert(subscribers).values(row).run();
    await orm.delete(subscribers).where(eq(subscribers.id, id)).run();
  },
});
