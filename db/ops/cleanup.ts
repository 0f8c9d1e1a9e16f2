import { and, eq, isNotNull, lt, not, type SQL, sql } from "drizzle-orm";
import { dayMs, dayOf, trashRetentionMs } from "../lib/time";
import * as oneTimeTokens from "../access/one-time-tokens";
import type { Db, Orm } from "../engine/open";
import * as idempotency from "../idempotency";
import { deleteInCommits } from "../lib/bulk";
import { deleteOldBatches } from "../newsletter/by-key";
import { expirePending } from "../newsletter/pending";
import { messages } from "../schema/contact";
import { jobs, pendingImports } from "../schema/shared";
import { posts } from "../schema/posts";
import { isOfName, subscriberEvents } from "../schema/newsletter";
import { projects } from "../schema/projects";
import { providerEvents } from "../schema/suppressions";
import * as visits from "../visits";
import { isOver } from "./leases";

/** A table of differences: its key, which an index is sorted by, and the columns to add up. */
type Differences = { table: string; key: string[]; sums: string[] };

const tables: Differences[] = [
  { table: "subscriber_counts", key: ["state"], sums: ["count"] },
  {
    table: "subscriber_days",
    key: ["day", "source"],
    sums: ["joined", "imported", "unsubscribed", "suppressed", "deleted", "paused", "added"],
  },
  { table: "audience_counts", key: ["kind", "ref"], sums: ["count"] },
];

/**
 * Adds up the differences that PostgreSQL collects for the same state, or day and source, to one row each, some
 * thousand in a commit. Those added in the meantime stay. On SQLite, triggers keep a single row.
 */
export async function addUpDifferences(db: Db, perCommit = 10_000): Promise<void> {
  if (!db.isShared) return;
  for (const table of tables) {
    let from: unknown[] | undefined;
    do from = await db.write((orm) => addUpSome(orm, table, from, perCommit));
    while (from);
  }
}

/** @param from the key to start from. Returns the key to continue from; undefined if there are no more rows */
async function addUpSome(orm: Orm, of: Differences, from: unknown[] | undefined, max: number) {
  const table = sql.identifier(of.table);
  const [key, sums] = [list(of.key, nameOf), list(of.sums, nameOf)];
  const since = from && sql` where (${key}) >= (${list(from, (value) => sql`${value}`)})`;
  const [last] = await orm.values<[number, ...unknown[]]>(sql`
    with slice as (select ctid as at, ${key} from ${table}${since} order by ${key} limit ${max}),
    counted as (select at, count(*) over (partition by ${key}) as n from slice),
    gone as (
      delete from ${table} where ctid = any (array(select at from counted where n > 1))
      returning ${key}, ${sums}
    ),
    kept as (
      insert into ${table} (${key}, ${sums})
      select ${key}, ${list(of.sums, (name) => sql`sum(${nameOf(name)})`)} from gone group by ${key}
    )
    select (select count(*) from slice), ${key} from slice
    order by ${list(of.key, (name) => sql`${nameOf(name)} desc`)} limit 1`);
  if (!last || last[0] < max) return;
  return last.slice(1);
}

const nameOf = (name: string): SQL => sql`${sql.identifier(name)}`;
const list = <T>(items: T[], of: (item: T) => SQL): SQL => sql.join(items.map(of), sql`, `);

/** Reports of the email provider are kept a little longer than the recipients of broadcasts. */
const reportRetentionMs = 400 * dayMs;

/** Changes of tags and language in a subscriber's history. Its other events prove consent, or whose word a name is, and are kept. */
const changeRetentionMs = 731 * dayMs;

/**
 * Deletes what has expired, in small commits: one-time links, imports that nobody confirmed, idempotency keys and API
 * batches after 24 hours (D18), what was in the trash for 30 days (D39), subscriptions that nobody confirmed
 * (`newsletter/pending.ts`), visitors' hashes each day, referrers after 400 days, reports of the provider, and changes of
 * subscribers. Recipients of broadcasts (`broadcasts/retention.ts`) and deliveries of webhooks (`webhooks/deliveries.ts`)
 * are deleted beside it, by the same clock (`startHousekeeping` in `src/boot/work.ts`); deleted files by
 * `storage/trash.ts`. The audit log and the list of emails are never deleted.
 *
 * @returns how many rows of each were deleted
 */
export async function cleanUp(db: Db, now: Date) {
  const before = (ms: number) => new Date(now.getTime() - ms);
  const trash = await emptyTrash(db, before(trashRetentionMs));
  await expirePending(db, now);
  await visits.deleteBefore(db, dayOf(now));
  await visits.deleteOldReferrers(db, now);
  const isOld = lt(providerEvents.receivedAt, before(reportRetentionMs));
  await deleteInCommits(db, { table: providerEvents, key: [providerEvents.id], where: isOld });
  const isOther = not(sql`coalesce(${isOfName}, false)`);
  const isPast = and(
    eq(subscriberEvents.kind, "changed"),
    lt(subscriberEvents.createdAt, before(changeRetentionMs)),
    isOther,
  );
  await deleteInCommits(db, { table: subscriberEvents, key: [subscriberEvents.id], where: isPast });
  const isExpired = lt(pendingImports.expiresAt, now);
  await deleteInCommits(db, { table: pendingImports, key: [pendingImports.hash], where: isExpired });
  await deleteInCommits(db, { table: jobs, key: [jobs.name], where: isOver(now) });
  const tokens = await oneTimeTokens.deleteExpired(db, now);
  const idempotencyKeys = await idempotency.deleteOld(db, now);
  await deleteOldBatches(db, now);
  await addUpDifferences(db);
  return { tokens, idempotencyKeys, trash };
}

const postsPerCommit = 100; // each with its revisions

async function emptyTrash(db: Db, before: Date): Promise<number> {
  const trashed = <T extends typeof messages | typeof posts | typeof projects>(table: T) => ({
    table,
    key: [table.id],
    where: and(isNotNull(table.deletedAt), lt(table.deletedAt, before)),
  });
  const deleted = await deleteInCommits(db, trashed(messages));
  const others = await deleteInCommits(db, trashed(posts), postsPerCommit);
  return deleted + others + (await deleteInCommits(db, trashed(projects)));
}
