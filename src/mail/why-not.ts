import type { Db } from "../../db/engine/open";
import * as managers from "../../db/access/managers";
import * as signInLinks from "../../db/access/sign-in-links";
import * as messages from "../../db/contact/messages";
import { countQuarantined } from "../../db/contact/quarantine";
import { erasedRecipient, type Mail } from "../../db/mail/outbox";
import { confirmLinkMs } from "../../db/newsletter/pending";
import * as subscribers from "../../db/newsletter/subscribers";

/** Returns why a queued email should no longer be sent; undefined if it should. */
export async function whyNot(
  db: Db,
  { kind, recipient, subjectId, payload }: Mail,
  now: Date,
): Promise<string | undefined> {
  if (recipient === erasedRecipient) return "The person’s data was erased";
  if (kind === "welcome" || kind === "confirm") {
    const subscriber = await subscribers.byEmail(db, recipient);
    if (subscriber?.state !== "active") return "No longer subscribed";
    if (kind === "confirm" && !subscriber.pendingAt) return "Already confirmed";
    if (kind === "confirm" && isOver(subscriber.pendingAt, now)) return "The link in it has expired";
    if (subscriber.suppressedAt) return "Emails to this address bounced or were marked as spam";
  }
  if (kind === "contact") {
    const message = await messages.byId(db, subjectId ?? "");
    if (!message) return "The message was deleted";
    if (message.spamReason) return "The message is marked as spam";
  }
  if (kind === "sign-in" && !(await managers.byId(db, subjectId ?? ""))) return "The manager was removed";
  if (kind === "invitation" && !(await signInLinks.find(db, payload.hash ?? "", now)))
    return "The invitation was used or withdrawn, or has expired";
  if (kind === "quarantine" && !(await countQuarantined(db))) return "The quarantine is empty";
}

const isOver = (pendingAt: Date | null, now: Date) =>
  pendingAt !== null && now.getTime() - pendingAt.getTime() > confirmLinkMs;
