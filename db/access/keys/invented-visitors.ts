import { and, eq, gt, isNotNull, sql } from "drizzle-orm";
import type { Orm } from "../../engine/open";
import { dayMs, hourMs } from "../../lib/time";
import * as outbox from "../../mail/outbox";
import { apiKeys } from "../../schema/access";
import { messages } from "../../schema/contact";
import { isAcceptedKey } from "./api-keys";
import { enqueueNotice } from "./new-networks";

/** Networks of visitors, within an hour, that a busy site may have and someone who invents visitors has. */
export const manyNetworks = 500;

const about = "api-key-visitors";

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
    const isTold = await outbox.isToldSince(orm, { subjectId: keyId, about }, new Date(now.getTime() - dayMs));
    if (!key || isTold || !(await isHalfInQuarantine(orm, keyId, now))) continue;
    await enqueueNotice(orm, key, { payload: { about, at: now.toISOString() }, at: now }, await owner());
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
