import type { Orm } from "../engine/open";
import * as outbox from "../mail/outbox";
import type { Broadcast } from "./broadcasts";

/** Queues an email to the owner about a broadcast, in the transaction of its cause. */
export async function enqueueNotice(
  orm: Orm,
  {
    about,
    broadcast: { id },
    recipient,
  }: { about: "paused" | "sent"; broadcast: Pick<Broadcast, "id">; recipient: string | undefined },
  now: Date,
): Promise<void> {
  if (recipient) await outbox.enqueue(orm, { kind: "notice", recipient, subjectId: id, payload: { about } }, now);
}
