import type { Orm } from "../engine/open";
import { dayMs } from "../lib/time";
import * as outbox from "../mail/outbox";

/** The API key that a program erases with, and whom that is told to. */
export type ErasingKey = { id: string; owner: string | undefined };

const about = "api-key-erasure";

/** Queues an email to the owner that a key erases people, at most once a day for each key. It names nobody. */
export async function tellOfErasure(orm: Orm, { id, owner }: ErasingKey, now: Date): Promise<void> {
  if (owner === undefined) return;
  if (await outbox.isToldSince(orm, { subjectId: id, about }, new Date(now.getTime() - dayMs))) return;
  const payload = { about, at: now.toISOString() };
  await outbox.enqueue(orm, { kind: "notice", recipient: owner, subjectId: id, payload }, now);
}
