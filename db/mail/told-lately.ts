import { and, eq, gt } from "drizzle-orm";
import type { Orm } from "../engine/open";
import { outbox } from "../schema/mail";

/** Whether an email with this payload's `about` was queued about the subject since then. */
export async function isToldSince(
  orm: Orm,
  { subjectId, about }: { subjectId: string; about: string },
  since: Date,
): Promise<boolean> {
  const isRecent = and(eq(outbox.subjectId, subjectId), gt(outbox.createdAt, since));
  const rows = await orm.select({ payload: outbox.payload }).from(outbox).where(isRecent).all();
  return rows.some(({ payload }) => payload.about === about);
}
