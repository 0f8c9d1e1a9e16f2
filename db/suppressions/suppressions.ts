import { and, desc, eq, inArray, isNotNull, isNull, lt, or, sql, type SQL } from "drizzle-orm";
import { createHmac } from "node:crypto";
import { together } from "../async/turns";
import * as audit from "../audit";
import { byEngine } from "../engine/dialects";
import { type Db, type Orm, prepared } from "../engine/open";
import { type Origin, recordEvent } from "../events/subscriber-events";
import { addressKey, ensureAddressKey } from "../installation";
import { auditTarget, changeInCommits, rowsPerCommit, type Selection } from "../lib/bulk";
import { emailKey } from "../lib/email-key";
import { containsIn } from "../lib/fold";
import { countRows, pageOf, type PageRequest } from "../lib/rows";
import { dayMs } from "../lib/time";
import { subscribers } from "../schema/newsletter";
import { erasures, providerEvents, suppressions } from "../schema/suppressions";

/* Addresses that get no email, whoever adds them again; what their owners may lift, `applySuppression` and `liftForOwner`
   say (docs/decisions/suppressions.md). */

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
export async function inForce(orm: Orm, email: string): Promise<Suppression | undefined> {
  const hash = await knownHashOf(orm, email); // without a hash, nothing was ever suppressed
  const suppression = hash === undefined ? undefined : await byHash(orm).get({ hash });
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
 * stays as it is, unless the new one outranks it. Returns whether anything changed. Triggers on `subscribers` do the
 * rest (`db/migrations/snapshot.sql`): counts, the day of the chart, and the end of the person's sequences.
 */
export async function suppress(orm: Orm, what: NewSuppression, by: By, now: Date): Promise<boolean> {
  const { email, reason, eventId = null } = what;
  const detail = what.detail?.slice(0, maxTextLength) ?? null;
  const hash = await hashOf(orm, email);
  const readable = (await isErased(orm, email)) ? { email: null, detail: null } : { email, detail };
  const row = { hash, ...readable, reason, eventId, createdAt: now };
  const before = await byHash(orm).get({ hash });
  const isStronger = !before || before.liftedAt !== null || rank[reason] > rank[before.reason];
  if (isStronger) await upsert(orm, { ...row, by: by.actor ?? by.via });
  const person = await suppressSubscriber(orm, email, now);
  if (person)
    await recordEvent(orm, { subscriberId: person.id, kind: "suppressed" }, { ...by, note: explained(what) }, now);
  else await blockInsertOf(orm)(orm, email, now);
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

const upsert = (orm: Orm, row: typeof suppressions.$inferInsert) => {
  const values = { liftedAt: null, liftedBy: null, note: null, ...row };
  return orm.insert(suppressions).values(values).onConflictDoUpdate({ target: suppressions.hash, set: values }).run();
};

/** Suppresses an erased address of which only the hash is known. */
export async function suppressErased(orm: Orm, hash: string, now: Date): Promise<void> {
  const before = await byHash(orm).get({ hash });
  const unknown = { email: null, detail: null, eventId: null };
  if (!before || before.liftedAt)
    await upsert(orm, { hash, ...unknown, reason: "erased", by: "system", createdAt: now });
}

const suppressSubscriber = (orm: Orm, email: string, now: Date) =>
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
export async function applySuppression(
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
  if (await suppressSubscriber(orm, email, now))
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
const blockInsertOf = byEngine<(orm: Orm, email: string, now: Date) => Promise<void>>({
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

/* Suppressions as managers see and change them. Lifted ones are kept, but not listed. */

export type SuppressionFilter = { q?: string | undefined; reason?: SuppressionReason | undefined };
export type SuppressionSelection = Selection<SuppressionFilter>;
/** A suppression in a list, identified by its hash. */
export type ListedSuppression = Suppression & {
  id: string;
  /** When the provider reported that it removed the address from its own list, which lifts nothing here. */
  removedAt?: Date | undefined;
};

const isInForce = isNull(suppressions.liftedAt);
const newestFirst = [desc(suppressions.createdAt), desc(suppressions.hash)];
const listed = (row: Suppression): ListedSuppression => ({ ...row, id: row.hash });

const matching = ({ q, reason }: SuppressionFilter) =>
  and(isInForce, reason && eq(suppressions.reason, reason), q ? containsIn(suppressions.email, q) : undefined);

const isSelected = (selection: SuppressionSelection): SQL | undefined =>
  "ids" in selection ? and(isInForce, inArray(suppressions.hash, selection.ids)) : matching(selection.matching);

/** Returns one page, newest first. A page past the end is the last page. */
export const list = (db: Db, filter: SuppressionFilter, request: PageRequest) =>
  db.read(async (orm) => {
    const where = matching(filter);
    const inOrder = orm
      .select()
      .from(suppressions)
      .where(where)
      .orderBy(...newestFirst);
    const { rows, ...at } = await pageOf(await countRows(orm, suppressions, where), request, (limit, offset) =>
      inOrder.limit(limit).offset(offset).all(),
    );
    const removed = await removals(orm, rows);
    return { rows: rows.map((row) => ({ ...listed(row), removedAt: removed.get(row.hash) })), ...at };
  });

/** Returns when the provider removed addresses from its own list, after they were suppressed here. */
async function removals(orm: Orm, rows: Suppression[]): Promise<Map<string, Date>> {
  const since = new Map(rows.map(({ hash, createdAt }) => [hash, createdAt]));
  const { hash, type, at } = providerEvents;
  const where = and(inArray(hash, [...since.keys()]), eq(type, "suppression.removed"));
  const reports = await orm.select({ hash, at }).from(providerEvents).where(where).orderBy(at).limit(1_000).all();
  return new Map(
    reports.flatMap((one) => (one.hash && one.at > (since.get(one.hash) ?? one.at) ? [[one.hash, one.at]] : [])),
  );
}

export const count = (db: Db) => db.read((orm) => countRows(orm, suppressions, isInForce));

export const countSelected = (db: Db, selection: SuppressionSelection) =>
  db.read((orm) => countRows(orm, suppressions, and(isSelected(selection), isReadable)));

/**
 * Lifts the selected suppressions, each with its note. Returns how many, and the first of them.
 *
 * @param lifted is passed their addresses
 */
export const liftSelected = (
  db: Db,
  { selection, why, lifted }: { selection: SuppressionSelection; why: string; lifted: Set<string> },
  by: audit.Actor,
  now: Date,
) =>
  changeInCommits(db, async (orm) => {
    const where = and(isSelected(selection), isReadable);
    const rows = await orm.select().from(suppressions).where(where).limit(rowsPerCommit).all();
    const emails = rows.flatMap(({ email }) => email ?? []);
    await together(emails, emailKey, (email) => lift(orm, { email, why }, { via: "manager", actor: by.actor }, now));
    for (const email of emails) lifted.add(email);
    const target = auditTarget(rows.map(listed)[0], rows.length, ({ email }) => email ?? "", { note: why });
    if (rows.length) await audit.record(orm, { ...by, action: "suppression.lift", ...target }, now);
    return rows.map(listed);
  });

/** Lifts the suppression of an address, unless there is none or the person was erased. */
export const liftOne = (db: Db, { email, why }: { email: string; why: string }, by: audit.Actor & By, now: Date) =>
  db.write(async (orm): Promise<"lifted" | "none" | "erased"> => {
    if (await isForgotten(orm, email)) return "erased";
    if (!(await lift(orm, { email, why }, by, now))) return "none";
    await recordOne(orm, { action: "suppression.lift", target: email, details: { note: why } }, by, now);
    return "lifted";
  });

/** Suppresses an address by hand. Returns false if it was already suppressed. */
export const add = (
  db: Db,
  { email, detail }: { email: string; detail: string | undefined },
  by: audit.Actor & By,
  now: Date,
) =>
  db.write(async (orm) => {
    const isAdded = await suppress(orm, { email, reason: "manual", detail }, by, now);
    if (isAdded) await recordOne(orm, { action: "suppression.add", target: email, details: {} }, by, now);
    return isAdded;
  });

const recordOne = (
  orm: Orm,
  {
    action,
    target,
    details,
  }: { action: "suppression.add" | "suppression.lift"; target: string; details: Record<string, string> },
  { actor, address }: audit.Actor,
  now: Date,
) => audit.record(orm, { actor, address, action, target, details }, now);

/**
 * Suppresses many addresses from elsewhere in one commit. Returns how many were not suppressed before.
 *
 * @param record writes the audit entry, in the same transaction
 */
export const addAll = (
  db: Db,
  { rows, by, now }: { rows: Parameters<typeof suppress>[1][]; by: By; now: Date },
  record?: (orm: Orm, added: number) => Promise<void>,
) =>
  db.write(async (orm) => {
    await ensureAddressKey(orm); // by one of them
    const isAdded = await together(
      rows,
      ({ email }) => emailKey(email),
      (row) => suppress(orm, row, by, now),
    );
    const added = isAdded.filter(Boolean).length;
    await record?.(orm, added);
    return added;
  });

/** Yields the selected suppressions, newest first, in pages. Erased addresses are `null`. */
export async function* batches(db: Db, selection: SuppressionSelection): AsyncGenerator<ListedSuppression[]> {
  let last: Suppression | undefined;
  do {
    const page: Suppression[] = await db.read((orm) =>
      orm
        .select()
        .from(suppressions)
        .where(and(isSelected(selection), last && isAfter(last)))
        .orderBy(...newestFirst)
        .limit(rowsPerCommit)
        .all(),
    );
    if (page.length) yield page.map(listed);
    last = page.length === rowsPerCommit ? page.at(-1) : undefined;
  } while (last);
}

const isAfter = ({ createdAt, hash }: Suppression) =>
  or(lt(suppressions.createdAt, createdAt), and(eq(suppressions.createdAt, createdAt), lt(suppressions.hash, hash)));
