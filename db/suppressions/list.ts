import { and, desc, eq, inArray, isNull, lt, or, type SQL } from "drizzle-orm";
import * as audit from "../audit";
import { ensureAddressKey } from "../installation";
import type { Db, Orm } from "../engine/open";
import { auditTarget, changeInCommits, rowsPerCommit, type Selection } from "../lib/bulk";
import { together } from "../async/turns";
import { emailKey } from "../lib/email-key";
import { containsIn } from "../lib/fold";
import { countRows, pageOf, type PageRequest } from "../lib/rows";
import { providerEvents, suppressions } from "../schema/suppressions";
import {
  type By,
  isForgotten,
  isReadable,
  lift,
  suppress,
  type Suppression,
  type SuppressionReason,
} from "./suppressions";

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
