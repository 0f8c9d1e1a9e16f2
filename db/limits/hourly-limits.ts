import { and, asc, between, desc, ne, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { clockSlackMs, hourMs } from "../lib/time";
import { type Db, type Orm, prepared } from "../engine/open";
import { broadcastBatches } from "../schema/broadcasts";
import { messages } from "../schema/contact";
import { outbox } from "../schema/mail";
import { subscriberEvents } from "../schema/newsletter";
import { limitsReached } from "../schema/settings";
import { lockedSettingValue, settingValue } from "../setting-value";

/**
 * Limits per hour: settings and their defaults. 0 turns a limit off. All except the last limit what strangers can cause
 * (docs/decisions/limits.md).
 */
export const hourlyLimits = {
  emailsToStrangersPerHour: 300, // further emails wait in the outbox
  messagesPerHourBeforeQuarantine: 600, // further messages are stored as quarantined
  newSubscribersPerHour: 0, // further subscribers are rejected
  storedMessagesPerHour: 0, // further messages are rejected
  broadcastEmailsPerHour: 0, // of all broadcasts; further emails are sent later
};
export type HourlyLimit = keyof typeof hourlyLimits;

/** Counting reads as many index entries as the limit allows, so the limit itself is limited. */
export const maxHourlyLimit = 10_000;

const { placeholder } = sql;

export const isHourlyLimit = (key: string): key is HourlyLimit => Object.hasOwn(hourlyLimits, key);

/** Parses a limit; undefined if the text is not a valid one. */
export function parseHourlyLimit(text: string): number | undefined {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  return value <= maxHourlyLimit ? value : undefined;
}

/** Returns the limit in force; 0 if it is off. */
export const hourlyLimit = async (orm: Orm, limit: HourlyLimit): Promise<number> =>
  parseHourlyLimit((await settingValue(orm, limit)) ?? "") ?? hourlyLimits[limit];

/**
 * The same, under a lock until the transaction ends, so that no one else counts against the limit: for guarded
 * transactions (docs/decisions/postgres.md). A limit that is off by default has a row only if it is on.
 */
export const lockedHourlyLimit = async (orm: Orm, limit: HourlyLimit): Promise<number> =>
  parseHourlyLimit((await lockedSettingValue(orm, limit)) ?? "") ?? hourlyLimits[limit];

/**
 * Adds up the newest rows in a window, at most `max` of them. The condition is worded like that of the index, which is
 * all that is read.
 *
 * @param amount how much a row counts, at least 1
 */
const newest = (table: SQLiteTable, at: SQLiteColumn, condition?: SQL, amount: SQL | SQLiteColumn = sql`1`) =>
  prepared((orm) => {
    const rows = orm
      .select({ at: sql<number>`${at}`.as("at"), amount: sql<number>`${amount}`.as("amount") })
      .from(table)
      .where(and(condition, between(at, placeholder("from"), placeholder("until"))))
      .orderBy(desc(at))
      .limit(placeholder("max"))
      .as("newest");
    return orm
      .select({ n: sql`coalesce(sum(${rows.amount}), 0)`.mapWith(Number), oldest: sql<number>`min(${rows.at})` })
      .from(rows)
      .prepare();
  });

const countInWindow = {
  emailsToStrangersPerHour: newest(outbox, outbox.admittedAt),
  messagesPerHourBeforeQuarantine: newest(messages, messages.createdAt, sql`honeypot = 0`),
  newSubscribersPerHour: newest(subscriberEvents, subscriberEvents.createdAt, sql`kind = 'subscribed'`),
  storedMessagesPerHour: newest(messages, messages.createdAt),
  broadcastEmailsPerHour: newest(
    broadcastBatches,
    broadcastBatches.admittedAt,
    ne(broadcastBatches.state, "split"), // its halves count
    broadcastBatches.count,
  ),
} satisfies Record<HourlyLimit, ReturnType<typeof newest>>;

/** Whether what happened then counts towards a limit now. */
export const isInHour = (at: Date, now: Date): boolean =>
  at.getTime() > now.getTime() - hourMs && at.getTime() <= now.getTime() + clockSlackMs;

/**
 * Returns how much of a limit is left now, and when it opens again if nothing is. Counts the rows themselves, inside
 * the transaction that adds one, and in a guarded one under a lock, so it is exact across restarts and for any number
 * of concurrent requests, also those of processes whose clocks are ahead.
 */
export async function allowance(orm: Orm, limit: HourlyLimit, now: Date): Promise<{ left: number; opensAt: Date }> {
  const max = await hourlyLimit(orm, limit);
  if (max === 0) return { left: Number.POSITIVE_INFINITY, opensAt: now };
  const window = { from: now.getTime() - hourMs + 1, until: now.getTime() + clockSlackMs, max };
  const { n, oldest } = (await countInWindow[limit](orm).get(window)) ?? { n: 0, oldest: now.getTime() };
  return { left: max - n, opensAt: new Date((oldest ?? now.getTime()) + hourMs) };
}

/** Records for the overview that a limit was reached. */
export const noteReached = async (orm: Orm, limit: HourlyLimit, now: Date): Promise<void> =>
  void (await orm
    .insert(limitsReached)
    .values({ key: limit, reachedAt: now })
    .onConflictDoUpdate({ target: limitsReached.key, set: { reachedAt: now } })
    .run());

/** Returns when a limit is no longer reached; undefined if it is not now. */
export async function fullUntil(orm: Orm, limit: HourlyLimit, now: Date): Promise<Date | undefined> {
  const { left, opensAt } = await allowance(orm, limit, now);
  if (left > 0) return undefined;
  await noteReached(orm, limit, now);
  return opensAt;
}

/** Returns the limits reached within this time before now, each with its value and the last time it was reached. */
export async function reachedWithin(orm: Orm, milliseconds: number, now: Date) {
  const rows = await orm
    .select()
    .from(limitsReached)
    .where(between(limitsReached.reachedAt, new Date(now.getTime() - milliseconds), now))
    .orderBy(asc(limitsReached.key))
    .all();
  const reached: { limit: HourlyLimit; reachedAt: Date; max: number }[] = [];
  for (const { key, reachedAt } of rows)
    if (isHourlyLimit(key)) reached.push({ limit: key, reachedAt, max: await hourlyLimit(orm, key) });
  return reached;
}

export const recentlyReached = (db: Db, milliseconds: number, now: Date) =>
  db.read((orm) => reachedWithin(orm, milliseconds, now));
