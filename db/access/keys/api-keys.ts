import { and, asc, desc, eq, gt, isNull, or, sql, type SQL } from "drizzle-orm";
import { createHash, randomBytes } from "node:crypto";
import * as audit from "../../audit";
import { type Db, type Orm, prepared } from "../../engine/open";
import { cachedLookup } from "../../engine/versions";
import { fold } from "../../lib/fold";
import { countRows, pageOf, type PageRequest } from "../../lib/rows";
import { mediaTypeOf } from "../../lib/text";
import { apiKeys, type UploadLimits } from "../../schema/access";
import { bitsOf, type Scope } from "../../schema/scopes";

type Ends = { active: boolean; expiresAt: Date | null };

/** Whether a key is accepted: not deactivated, and not expired. */
export const isAccepted = ({ active, expiresAt }: Ends, now: Date) => active && (!expiresAt || expiresAt > now);

/** The same, as a condition. */
export const isAcceptedKey = (now: Date) =>
  and(eq(apiKeys.active, true), or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now)));

export type ApiKey = typeof apiKeys.$inferSelect;

const hashOf = (key: string) => createHash("sha256").update(key).digest("hex");

/** What a key may do, and from where and until when; what is absent is not limited. */
export type KeyLimits = {
  /** Absent: everything that keys could do before there were scopes. */
  scopes?: Scope[] | null | undefined;
  /** CIDRs. */
  networks?: string[] | null | undefined;
  uploadLimits?: UploadLimits | null | undefined;
  expiresAt?: Date | null | undefined;
};
type NewKey = KeyLimits & { prefix: string; name: string; createdBy?: string };

/** The key itself, and its row. */
type GeneratedKey = { key: string; row: ApiKey };

/** Generates a key with 128 random bits. The key itself is only ever in this return value; its hash is stored (D28). */
export const generate = (db: Db, wanted: NewKey, now: Date) => db.write((orm) => insertKey(orm, wanted, now));

/** Like `generate`, for a manager. Returns undefined if an active key already has that name, ignoring case. */
export const generateFor = (db: Db, by: audit.Actor, wanted: Omit<NewKey, "createdBy">, now: Date) =>
  db.write((orm) => generateIn(orm, by, wanted, now));

/** The same, inside the caller's transaction. */
export async function generateIn(
  orm: Orm,
  { actor, address }: audit.Actor,
  wanted: Omit<NewKey, "createdBy">,
  now: Date,
): Promise<GeneratedKey | undefined> {
  const actives = await orm.select({ name: apiKeys.name }).from(apiKeys).where(isAcceptedKey(now)).all();
  if (actives.some(({ name }) => fold(name) === fold(wanted.name))) return;
  const made = await insertKey(orm, { ...wanted, createdBy: actor }, now);
  const target = { targetId: made.row.id, target: made.row.name };
  const details = limitsOnRecord(made.row);
  await audit.record(orm, { actor, address, action: "api-key.create", ...target, details }, now);
  return made;
}

/** The limits of a key, as details of an audit entry. */
const limitsOnRecord = ({ scopes, networks, uploadLimits, expiresAt }: ApiKey): Record<string, string> => ({
  ...(scopes && { scopes: scopes.join(", ") }),
  ...(networks && { networks: networks.join(", ") }),
  ...(uploadLimits?.maxBytes && { maxBytes: String(uploadLimits.maxBytes) }),
  ...(uploadLimits?.mimeTypes && { types: uploadLimits.mimeTypes.join(", ") }),
  ...(uploadLimits?.folder && { folder: uploadLimits.folder }),
  ...(expiresAt && { expires: expiresAt.toISOString() }),
});

/** For use inside another function's transaction. */
export async function insertKey(orm: Orm, { prefix, ...wanted }: NewKey, now: Date): Promise<GeneratedKey> {
  const start = `${prefix}_live_`;
  const key = `${start}${randomBytes(16).toString("hex")}`;
  const secret = { hash: hashOf(key), prefix: start, lastFour: key.slice(-4) };
  const values = { ...wanted, ...secret, createdAt: now };
  return { key, row: await orm.insert(apiKeys).values(values).returning().get() };
}

/** Returns every key, newest first. */
export const list = (db: Db) =>
  db.read((orm) => orm.select().from(apiKeys).orderBy(desc(apiKeys.createdAt), desc(apiKeys.id)).all());

/** Returns the active keys a manager created: someone who is removed may still know them. */
export const createdBy = (orm: Orm, email: string, now: Date) =>
  orm
    .select({ id: apiKeys.id, name: apiKeys.name })
    .from(apiKeys)
    .where(and(eq(apiKeys.createdBy, email), isAcceptedKey(now)))
    .orderBy(apiKeys.createdAt, apiKeys.id)
    .all();

export const hasAny = async (orm: Orm) =>
  (await orm.select({ id: apiKeys.id }).from(apiKeys).limit(1).get()) !== undefined;

/** Returns the active keys not used since `since`, longest idle first. */
export const idleSince = (db: Db, since: Date, now: Date) =>
  db.read((orm) => {
    const lastActivity = sql`coalesce(${apiKeys.lastUsedAt}, ${apiKeys.createdAt})`;
    return orm
      .select({ id: apiKeys.id, name: apiKeys.name })
      .from(apiKeys)
      .where(and(isAcceptedKey(now), sql`${lastActivity} <= ${since.getTime()}`))
      .orderBy(lastActivity, asc(apiKeys.id))
      .all();
  });

export const byId = (db: Db, id: string) =>
  db.read((orm) => orm.select().from(apiKeys).where(eq(apiKeys.id, id)).get());

/**
 * Deactivates the key permanently, effective with the next request. Returns its current row and whether this call
 * changed it; undefined if there is no such key.
 */
export const deactivate = (db: Db, id: string, by: audit.Actor, now: Date) =>
  db.write((orm) => deactivateIn(orm, id, by, now));

/** The same, inside the caller's transaction. */
export async function deactivateIn(
  orm: Orm,
  id: string,
  by: audit.ActorWithDetails,
  now: Date,
): Promise<{ key: ApiKey; isChanged: boolean } | undefined> {
  const changed = await orm
    .update(apiKeys)
    .set({ active: false, deactivatedAt: now })
    .where(and(eq(apiKeys.id, id), eq(apiKeys.active, true)))
    .returning()
    .get();
  if (changed)
    await audit.record(orm, { ...by, action: "api-key.deactivate", targetId: id, target: changed.name }, now);
  const key = changed ?? (await orm.select().from(apiKeys).where(eq(apiKeys.id, id)).get());
  return key && { key, isChanged: changed !== undefined };
}

const { expiresAt, scopes, networks, replacedBy, uploadLimits } = apiKeys;
const activeByHash = prepared((orm) =>
  orm
    .select({ id: apiKeys.id, expiresAt, scopes, networks, replacedBy, uploadLimits })
    .from(apiKeys)
    .where(and(eq(apiKeys.hash, sql.placeholder("hash")), eq(apiKeys.active, true)))
    .prepare(),
);

/** An active key that was presented. */
export type AuthenticatedKey = {
  readonly id: string;
  readonly expiresAt: number;
  /** The bits of its scopes. */
  readonly scopes: number;
  /** CIDRs; null: it is accepted from everywhere. */
  readonly networks: readonly string[] | null;
  readonly uploadLimits: UploadLimits | null;
  readonly isReplaced: boolean;
  /** The time of use in milliseconds, until it has been stored. */
  usedAt: number | undefined;
};

const activeKey = cachedLookup("keys", async (orm, key): Promise<AuthenticatedKey | undefined> => {
  const row = await activeByHash(orm).get({ hash: hashOf(key) });
  return (
    row && {
      id: row.id,
      expiresAt: row.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
      scopes: bitsOf(row.scopes),
      networks: row.networks,
      uploadLimits: row.uploadLimits,
      isReplaced: row.replacedBy !== null,
      usedAt: undefined,
    }
  );
});

/**
 * Returns the active key with this value; undefined for one that is unknown, inactive or expired, effective with the
 * next request (D28).
 *
 * @param at the time in milliseconds
 */
export function authenticate(db: Db, key: string, at: number) {
  const authenticated = activeKey(db, key);
  return authenticated instanceof Promise
    ? authenticated.then((row) => unexpired(row, at))
    : unexpired(authenticated, at);
}

const unexpired = (key: AuthenticatedKey | undefined, at: number) => (key && key.expiresAt > at ? key : undefined);

/** Stores when keys were last used, in the same order in every process. @param uses key ID to time */
export async function recordUses(orm: Orm, uses: Map<string, Date>): Promise<void> {
  for (const [id, at] of [...uses].sort(([a], [b]) => (a < b ? -1 : 1))) await used(orm).run({ id, at: at.getTime() });
}

const used = prepared((orm) =>
  orm
    .update(apiKeys)
    .set({
      lastUsedAt: sql`${sql.placeholder("at")}`,
      firstUsedAt: sql`coalesce(${apiKeys.firstUsedAt}, ${sql.placeholder("at")})`,
    })
    .where(eq(apiKeys.id, sql.placeholder("id")))
    .prepare(),
);

/** A key, and whether it is accepted now. */
export type ListedKey = ApiKey & { isAccepted: boolean };
type KeyFilter = { active?: boolean | undefined };
type KeySort = "created" | "-created" | "used" | "-used";

const orders: Record<KeySort, SQL[]> = {
  created: [asc(apiKeys.createdAt), asc(apiKeys.id)],
  "-created": [desc(apiKeys.createdAt), desc(apiKeys.id)],
  used: [asc(apiKeys.lastUsedAt), asc(apiKeys.id)],
  "-used": [desc(apiKeys.lastUsedAt), desc(apiKeys.id)],
};

/** Returns one page, with inactive keys always last. A page past the end is the last page. */
export const findPage = (db: Db, { active }: KeyFilter, sort: KeySort, request: PageRequest, now: Date) =>
  db.read(async (orm) => {
    const isActive = sql<number>`case when ${isAcceptedKey(now)} then 1 else 0 end`;
    const where = active === undefined ? undefined : sql`${isActive} = ${Number(active)}`;
    const inOrder = orm
      .select()
      .from(apiKeys)
      .where(where)
      .orderBy(desc(isActive), ...orders[sort]);
    const listed = await pageOf(await countRows(orm, apiKeys, where), request, (limit, offset) =>
      inOrder.limit(limit).offset(offset).all(),
    );
    const rows = listed.rows.map((row) => ({ ...row, isAccepted: isAccepted(row, now) }));
    return { ...listed, rows, per: request.per };
  });

/** Counts active and inactive keys. */
export const countKeys = (db: Db, now: Date) =>
  db.read(async (orm) => {
    const active = await countRows(orm, apiKeys, isAcceptedKey(now));
    return { active, inactive: (await countRows(orm, apiKeys, undefined)) - active };
  });

type File = { size?: number; mimeType?: string; folderPath?: string | undefined };

/** Returns what of a file is outside the limits of a key, field by field. */
export function outside(limits: UploadLimits | null, { size, mimeType, folderPath }: File) {
  const { maxBytes, mimeTypes, folder } = limits ?? {};
  const faults: { field: string; message: string }[] = [];
  const fault = (field: string, message: string) => faults.push({ field, message: `${message} with this key` });
  if (size !== undefined && maxBytes !== undefined && size > maxBytes) fault("size", `must be at most ${maxBytes}`);
  if (mimeType !== undefined && mimeTypes && !mimeTypes.some((allowed) => isOfType(mimeType, allowed)))
    fault("mimeType", `must be ${mimeTypes.join(" or ")}`);
  if (folderPath !== undefined && folder && folderPath !== folder && !folderPath.startsWith(`${folder}/`))
    fault("folderPath", `must be ${folder} or a folder inside it`);
  return faults;
}

/** @param allowed a type, or all of a kind: "image/*" */
function isOfType(mimeType: string, allowed: string): boolean {
  const type = mediaTypeOf(mimeType);
  return allowed.endsWith("/*") ? type.startsWith(allowed.slice(0, -1)) : type === allowed;
}
