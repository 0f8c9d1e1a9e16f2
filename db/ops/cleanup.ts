import { and, isNotNull, lt } from "drizzle-orm";
import * as oneTimeTokens from "../access/one-time-tokens";
import type { Db } from "../engine/open";
import * as idempotency from "../idempotency";
import { deleteInCommits } from "../lib/bulk";
import { dayOf } from "../lib/day";
import { trashRetentionMs } from "../lib/trash";
import { expirePending } from "../newsletter/pending";
import { messages } from "../schema/contact";
import { jobs } from "../schema/jobs";
import { pendingImports } from "../schema/pending-imports";
import { posts } from "../schema/posts";
import { projects } from "../schema/projects";
import { providerEvents } from "../schema/suppressions";
import * as visits from "../visits";
import { addUpDifferences } from "./add-up";
import { isOver } from "./leases";

/** Reports of the email provider are kept as long as the recipients of broadcasts. */
const reportRetentionMs = 400 * 86_400_000;

/**
 * Deletes what has expired: one-time links, idempotency keys after 24 hours (D18), and rows that were in the trash for
 * 30 days (D39), a thousand rows in a commit. Returns how many rows of each were deleted.
 */
export async function cleanUp(db: Db, now: Date) {
  const trash = await emptyTrash(db, new Date(now.getTime() - trashRetentionMs));
  await expirePending(db, now);
  await visits.deleteBefore(db, dayOf(now));
  const isOld = lt(providerEvents.receivedAt, new Date(now.getTime() - reportRetentionMs));
  await deleteInCommits(db, { table: providerEvents, key: [providerEvents.id], where: isOld });
  const isExpired = lt(pendingImports.expiresAt, now);
  await deleteInCommits(db, { table: pendingImports, key: [pendingImports.hash], where: isExpired });
  await deleteInCommits(db, { table: jobs, key: [jobs.name], where: isOver(now) });
  const tokens = await oneTimeTokens.deleteExpired(db, now);
  const idempotencyKeys = await idempotency.deleteOld(db, now);
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
