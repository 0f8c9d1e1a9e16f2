import { asc, desc, type SQL, sql } from "drizzle-orm";
import type { Db } from "../../engine/open";
import { countRows, pageOf, type PageRequest } from "../../lib/rows";
import { apiKeys } from "../../schema/access";
import { type ApiKey, isAccepted, isAcceptedKey } from "./api-keys";

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
export const find = (db: Db, { active }: KeyFilter, sort: KeySort, request: PageRequest, now: Date) =>
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
export const counts = (db: Db, now: Date) =>
  db.read(async (orm) => {
    const active = await countRows(orm, apiKeys, isAcceptedKey(now));
    return { active, inactive: (await countRows(orm, apiKeys, undefined)) - active };
  });
