import { and, gt, isNull, lte, or, sql } from "drizzle-orm";
import type { Db, Orm } from "../../engine/open";
import * as outbox from "../../mail/outbox";
import { apiKeys } from "../../schema/access";
import { isAcceptedKey } from "./api-keys";
import { emailKey } from "../../lib/email-key";
import { dayMs } from "../../lib/time";
import * as managers from "../managers";

/** Days before a key expires, the last warning first, so that a service that was off sends only that one. */
const warnings = [3, 14];

/**
 * Queues an email to the owner, and to the manager who made it, for each key that expires within 14 days, and another within 3 days, in the commit that
 * marks the key as warned. A key that was made for a shorter time gets no warning about the longer one, and one that
 * was replaced none at all.
 */
export const warnOfExpiry = (db: Db, recipient: string, now: Date): Promise<void> =>
  db.write(async (orm) => {
    for (const days of warnings)
      for (const { id, createdBy } of await markWarned(orm, days, now)) {
        await warn(orm, { id, recipient, now });
        const maker = await managers.keyMaker(orm, createdBy);
        if (maker && maker.emailKey !== emailKey(recipient)) await warn(orm, { id, recipient: maker.email, now });
      }
  });

/** Marks the keys that expire within so many days and were not warned of it. Returns them by ID. */
async function markWarned(orm: Orm, days: number, now: Date) {
  const isDue = and(
    isAcceptedKey(now),
    isNull(apiKeys.replacedBy),
    lte(apiKeys.expiresAt, new Date(now.getTime() + days * dayMs)),
    gt(apiKeys.expiresAt, sql`${apiKeys.createdAt} + ${days * dayMs}`),
    or(isNull(apiKeys.warnedDays), gt(apiKeys.warnedDays, days)),
  );
  const marked = orm
    .update(apiKeys)
    .set({ warnedDays: days })
    .where(isDue)
    .returning({ id: apiKeys.id, createdBy: apiKeys.createdBy });
  return (await marked.all()).sort((a, b) => (a.id < b.id ? -1 : 1));
}

const warn = (orm: Orm, { id, recipient, now }: { id: string; recipient: string; now: Date }) =>
  outbox.enqueue(orm, { kind: "notice", recipient, subjectId: id, payload: { about: "api-key" } }, now);
