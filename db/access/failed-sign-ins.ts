import { and, count, countDistinct, eq, gt } from "drizzle-orm";
import type { Db } from "../engine/open";
import { auditEvents } from "../schema/audit";

/**
 * Counts the failed sign-ins since then by account, and the addresses that they came from. Those at no account of a
 * manager have the account null.
 */
export const failedSignIns = (db: Db, since: Date) =>
  db.read((orm) =>
    orm
      .select({ account: auditEvents.targetId, attempts: count(), addresses: countDistinct(auditEvents.address) })
      .from(auditEvents)
      .where(and(eq(auditEvents.action, "session.refuse"), gt(auditEvents.createdAt, since)))
      .groupBy(auditEvents.targetId)
      .all(),
  );
