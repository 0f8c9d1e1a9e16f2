import { and, desc, eq, gt, isNotNull, isNull, lte, notInArray, sql } from "drizzle-orm";
import { createHash } from "node:crypto";
import { type Db, type Orm, prepared } from "../../engine/open";
import { emailKey } from "../../lib/email-key";
import { dayMs, hourMs } from "../../lib/time";
import * as outbox from "../../mail/outbox";
import { apiKeyCallers, apiKeys } from "../../schema/access";
import { messages } from "../../schema/contact";
import * as managers from "../managers";
import { type ApiKey, isAcceptedKey } from "./api-keys";

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

const quietMs = 7 * dayMs;

/**
 * Queues an email to the owner, and to the manager who made the key, when a key that may name visitors and is not limited
 * to networks is used from a network from which it was not used lately: perhaps someone found it. Not within a day of its first
 * use, while a site is being set up, and at most once a week for each key, because some hosts change their addresses.
 * To be called before the calls are stored, in the same commit.
 *
 * @param owner returns the owner's address
 */
export async function warnOfNewNetworks(
  orm: Orm,
  calls: ReadonlyMap<string, Calls>,
  owner: () => Promise<string | undefined>,
  now: Date,
): Promise<void> {
  const accepted = [...calls.values()].filter(({ outcome }) => outcome === "accepted");
  for (const keyId of [...new Set(accepted.map((call) => call.keyId))].sort()) {
    const networks = await networksOf(orm, keyId);
    const elsewhere = accepted.find((call) => call.keyId === keyId && !networks.has(call.network));
    if (!elsewhere || !networks.size) continue;
    const key = await suspectedKey(orm, keyId, now);
    if (!key || (await isToldLately(orm, keyId, now))) continue;
    const { network, lastAt } = elsewhere;
    const notice = { payload: { about: networkNotice, network, at: lastAt.toISOString() }, at: lastAt };
    await enqueueNotice(orm, key, notice, await owner());
  }
}

const networksOf = async (orm: Orm, keyId: string): Promise<Set<string>> => {
  const isAccepted = and(eq(apiKeyCallers.keyId, keyId), eq(apiKeyCallers.outcome, "accepted"));
  const rows = await orm.selectDistinct({ network: apiKeyCallers.network }).from(apiKeyCallers).where(isAccepted).all();
  return new Set(rows.map(({ network }) => network));
};

async function suspectedKey(orm: Orm, id: string, now: Date): Promise<ApiKey | undefined> {
  const isInUse = lte(apiKeys.firstUsedAt, new Date(now.getTime() - dayMs));
  const isOpen = and(eq(apiKeys.id, id), isAcceptedKey(now), isNull(apiKeys.networks), isInUse);
  const key = await orm.select().from(apiKeys).where(isOpen).get();
  return key?.scopes?.includes("visitors") ? key : undefined;
}

const networkNotice = "api-key-network";
const isToldLately = (orm: Orm, subjectId: string, now: Date): Promise<boolean> =>
  outbox.isToldSince(orm, { subjectId, about: networkNotice }, new Date(now.getTime() - quietMs));

/** To the owner, and to the manager who made the key. */
async function enqueueNotice(
  orm: Orm,
  { id, createdBy }: Pick<ApiKey, "id" | "createdBy">,
  { payload, at }: { payload: Record<string, string>; at: Date },
  owner: string | undefined,
): Promise<void> {
  const maker = await managers.keyMaker(orm, createdBy);
  const recipients = [owner, maker?.email].filter((email) => email !== undefined);
  for (const email of new Map(recipients.map((one) => [emailKey(one), one])).values())
    await outbox.enqueue(orm, { kind: "notice", recipient: email, subjectId: id, payload }, at);
}

/** Networks of visitors, within an hour, that a busy site may have and someone who invents visitors has. */
export const manyNetworks = 500;

const visitorsNotice = "api-key-visitors";

/**
 * Queues an email to the owner, and to the manager who made the key, when a key named visitors from more than so many
 * networks, and at least half of the messages that came by it within an hour went into quarantine: perhaps someone found
 * it and invents visitors. At most once a day for each key.
 *
 * @param keyIds the keys that named so many
 */
export async function warnOfInventedVisitors(
  orm: Orm,
  keyIds: string[],
  owner: () => Promise<string | undefined>,
  now: Date,
): Promise<void> {
  for (const keyId of keyIds.sort()) {
    const key = await orm
      .select()
      .from(apiKeys)
      .where(and(eq(apiKeys.id, keyId), isAcceptedKey(now)))
      .get();
    const isTold = await outbox.isToldSince(
      orm,
      { subjectId: keyId, about: visitorsNotice },
      new Date(now.getTime() - dayMs),
    );
    if (!key || isTold || !(await isHalfInQuarantine(orm, keyId, now))) continue;
    await enqueueNotice(
      orm,
      key,
      { payload: { about: visitorsNotice, at: now.toISOString() }, at: now },
      await owner(),
    );
  }
}

async function isHalfInQuarantine(orm: Orm, keyId: string, now: Date): Promise<boolean> {
  const lately = and(
    isNotNull(messages.apiKeyId), // the condition of the index
    eq(messages.apiKeyId, keyId),
    gt(messages.createdAt, new Date(now.getTime() - hourMs)),
  );
  const row = await orm
    .select({ all: sql<number>`count(*)`, quarantined: sql<number>`count(${messages.quarantinedAt})` })
    .from(messages)
    .where(lately)
    .get();
  return row !== undefined && Number(row.all) > 0 && 2 * Number(row.quarantined) >= Number(row.all);
}
