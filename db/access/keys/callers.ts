import { and, desc, eq, notInArray, sql } from "drizzle-orm";
import { createHash } from "node:crypto";
import { type Db, type Orm, prepared } from "../../engine/open";
import { apiKeyCallers } from "../../schema/access";

export type Caller = typeof apiKeyCallers.$inferSelect;
/** Calls of one caller with the same outcome. */
export type Calls = Omit<Caller, "id">;

const maxPerKey = 20;

/** What distinguishes callers. */
export const callerId = ({ keyId, network, agent, route, outcome }: Omit<Calls, "calls" | "lastAt">): string =>
  createHash("sha256")
    .update(JSON.stringify([keyId, network, agent, route, outcome]))
    .digest("base64url");

const { placeholder } = sql;

const upsert = prepared((orm) =>
  orm
    .insert(apiKeyCallers)
    .values({
      id: placeholder("id"),
      keyId: placeholder("keyId"),
      network: placeholder("network"),
      agent: placeholder("agent"),
      route: placeholder("route"),
      outcome: placeholder("outcome"),
      calls: placeholder("calls"),
      lastAt: placeholder("lastAt"),
    })
    .onConflictDoUpdate({
      target: apiKeyCallers.id,
      set: { calls: sql`${apiKeyCallers}.calls + excluded.calls`, lastAt: sql`excluded.last_at` },
    })
    .returning({ calls: apiKeyCallers.calls })
    .prepare(),
);

/** Stores who called, in the same order in every process, and keeps the latest callers of each key. */
export async function recordCalls(orm: Orm, calls: Map<string, Calls>): Promise<void> {
  const rows = [...calls].map(([id, row]) => ({ id, ...row })).sort((a, b) => (a.id < b.id ? -1 : 1));
  const keysWithMore = new Set<string>();
  for (const row of rows) {
    const stored = await upsert(orm).get(row);
    if (stored?.calls === row.calls) keysWithMore.add(row.keyId);
  }
  for (const keyId of [...keysWithMore].sort()) {
    const kept = (await latest(orm, keyId)).map(({ id }) => id);
    await orm
      .delete(apiKeyCallers)
      .where(and(eq(apiKeyCallers.keyId, keyId), notInArray(apiKeyCallers.id, kept)))
      .run();
  }
}

/** Returns the latest callers of a key, the last one first. */
export const callersOf = (db: Db, keyId: string): Promise<Caller[]> => db.read((orm) => latest(orm, keyId));

const latest = (orm: Orm, keyId: string) =>
  orm
    .select()
    .from(apiKeyCallers)
    .where(eq(apiKeyCallers.keyId, keyId))
    .orderBy(desc(apiKeyCallers.lastAt), apiKeyCallers.id)
    .limit(maxPerKey)
    .all();
