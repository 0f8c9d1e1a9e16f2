import { and, desc, sql } from "drizzle-orm";
import { type AuditEvent, type Filters, matching } from "./audit";
import type { Db } from "./engine/open";
import { auditEvents } from "./schema/audit";

/**
 * Yields all matching entries, newest first, in batches, so that memory use does not depend on the length of the log.
 */
export async function* auditBatches(db: Db, filters: Filters, batchSize = 1_000): AsyncGenerator<AuditEvent[]> {
  let last: AuditEvent | undefined;
  do {
    const batch: AuditEvent[] = await db.read((orm) =>
      orm
        .select()
        .from(auditEvents)
        .where(and(matching(filters), last && olderThan(last)))
        .orderBy(desc(auditEvents.createdAt), desc(auditEvents.id))
        .limit(batchSize)
        .all(),
    );
    if (batch.length) yield batch;
    last = batch.length < batchSize ? undefined : batch.at(-1);
  } while (last);
}

const olderThan = ({ createdAt, id }: AuditEvent) =>
  sql`(${auditEvents.createdAt}, ${auditEvents.id}) < (${createdAt.getTime()}, ${id})`;
