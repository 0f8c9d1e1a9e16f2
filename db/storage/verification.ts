import { and, eq, isNotNull, type SQL, sql } from "drizzle-orm";
import { forUpdate } from "../engine/dialects";
import type { Db, Orm } from "../engine/open";
import { emit, insertDelivery } from "../events/webhook-events";
import { folders, uploads } from "../schema/storage";
import { webhookDeliveries as deliveries } from "../schema/webhooks";
import * as capacity from "./nodes/capacity";

/*
 * Uploads that are complete at their node, and that endpoints decide about before anyone sees them (docs/webhooks.md).
 * An upload stays in `completing` until the last endpoint has answered; each answer and what follows from it are one
 * transaction.
 */

/** What an endpoint decided, or what counts as its decision. `by`: its name. */
export type Verdict = { isAccepted: true } | { isAccepted: false; by: string; reason: string };

const checkEveryMs = 60_000;

const isVerifying = (id: string) =>
  and(eq(uploads.id, id), eq(uploads.state, "completing"), isNotNull(uploads.verifyingSince));

/** Worded like the index `deliveries_verifying`. */
export const isQuestion = sql`type = 'upload.verify' and state = 'queued'`;
const isUnanswered = (id: string): SQL | undefined => and(eq(deliveries.subjectId, id), isQuestion);

/** The columns of an upload that waits for an answer; also its next check, should none come. */
export const verifyingColumns = (now: Date) => ({
  verifyingSince: now,
  nextCheckAt: new Date(now.getTime() + checkEveryMs),
});

/** Asks these endpoints about an upload that has just begun to wait. The link to its bytes is added to each call. */
export async function queueQuestions(orm: Orm, id: string, endpoints: string[], now: Date): Promise<void> {
  const { filename, mimeType, size } = uploads;
  const upload = await orm
    .select({ filename, mimeType, size, folderPath: folders.path })
    .from(uploads)
    .innerJoin(folders, eq(folders.id, uploads.folderId))
    .where(eq(uploads.id, id))
    .get();
  if (!upload) return;
  for (const endpointId of endpoints)
    await insertDelivery(orm, { endpointId, type: "upload.verify", data: { id, ...upload } }, now);
}

/** Moves the bytes of an upload that has just become a file, and reports it. */
export async function recordFile(orm: Orm, upload: { id: string; nodeId: string; size: number }, now: Date) {
  const { id, nodeId, size } = upload;
  await capacity.adjustBytes(orm, nodeId, { reserved: -size, used: size });
  await emit(orm, { type: "upload.completed", data: { id, size } }, now);
}

type Waiting = typeof uploads.$inferSelect;

/**
 * What follows from a verdict: a refusal ends the upload, and the last acceptance makes it a file. The question it
 * answers is no longer queued. Returns the upload if it has become a file.
 */
export async function applyVerdict(orm: Orm, id: string, verdict: Verdict, now: Date): Promise<Waiting | undefined> {
  const upload = await orm
    .select()
    .from(uploads)
    .where(forUpdate(isVerifying(id)))
    .get();
  if (!upload) return undefined;
  if (!verdict.isAccepted) return refuse(orm, upload, verdict, now);
  if (await isWaiting(orm, id)) return undefined;
  await orm
    .update(uploads)
    .set({ state: "completed", completedAt: now, received: upload.size })
    .where(isVerifying(id))
    .run();
  await recordFile(orm, upload, now);
  return upload;
}

/** The sweeper then deletes the bytes, which frees their space. The other endpoints need not answer any more. */
async function refuse(orm: Orm, { id, size }: Waiting, { by, reason }: { by: string; reason: string }, now: Date) {
  const outcome = `refused by ${by}${reason && `: ${reason}`}`;
  await orm.update(uploads).set({ state: "aborting", outcome, nextCheckAt: now }).where(isVerifying(id)).run();
  const over = { state: "dead", leaseUntil: null, error: "The file was refused by another endpoint." } as const;
  await orm.update(deliveries).set(over).where(isUnanswered(id)).run();
  await emit(orm, { type: "upload.refused", data: { id, size, reason: reason || null } }, now);
  return undefined;
}

const isWaiting = async (orm: Orm, id: string) =>
  (await orm.select({ id: deliveries.id }).from(deliveries).where(isUnanswered(id)).limit(1).get()) !== undefined;

/** Looks again later. If no endpoint is left that could answer, the upload is refused. */
export const checkVerifying = (db: Db, id: string, now: Date): Promise<void> =>
  db.write(async (orm) => {
    if (await isWaiting(orm, id)) {
      const { nextCheckAt } = verifyingColumns(now);
      await orm.update(uploads).set({ nextCheckAt }).where(isVerifying(id)).run();
    } else
      await applyVerdict(
        orm,
        id,
        { isAccepted: false, by: "Postroom", reason: "no endpoint is left to verify it" },
        now,
      );
  });

/** Returns what a link to the bytes needs; undefined unless the upload is waiting for an answer. */
export const findVerifying = (db: Db, id: string) =>
  db.read((orm) => {
    const { nodeId, objectKey, filename, mimeType } = uploads;
    return orm.select({ nodeId, objectKey, filename, mimeType }).from(uploads).where(isVerifying(id)).get();
  });
