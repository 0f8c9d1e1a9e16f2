import type { Db } from "../../db/engine/open";
import * as managers from "../../db/access/managers";
import * as signInLinks from "../../db/access/sign-in-links";
import { replyToSend } from "../../db/contact/conversation";
import * as messages from "../../db/contact/messages";
import { confirmLinkMs } from "../../db/newsletter/pending";
import { recordLinkMs } from "../../db/newsletter/preferences";
import * as subscribers from "../../db/newsletter/subscribers";
import * as outbox from "../../db/mail/outbox";
import { permanentReasons } from "../../db/mail/rules";
import type { Config } from "../platform/config";
import { described, type Log } from "../platform/log";
import { unsubscribeLink } from "../security/links";
import { domainOf } from "./headers";
import type { ComposedEmail, MailProvider, Outcome, Reason } from "./provider";

/** Returns why a queued email should no longer be sent; undefined if it should. */
export async function whyNot(
  db: Db,
  { kind, recipient, subjectId, payload }: outbox.Mail,
  now: Date,
): Promise<string | undefined> {
  if (recipient === outbox.erasedRecipient) return "The person’s data was erased";
  if (kind === "welcome" || kind === "confirm" || kind === "record") {
    const subscriber = await subscribers.byEmail(db, recipient);
    if (subscriber?.state !== "active") return "No longer subscribed";
    if (kind === "welcome" && subscriber.pendingAt) return "Not confirmed yet";
    if (kind === "welcome" && subscriber.pausedUntil) return "Taking a break";
    if (kind === "confirm" && !subscriber.pendingAt) return "Already confirmed";
    if (kind === "confirm" && isOver(subscriber.pendingAt, now)) return "The link in it has expired";
    if (kind === "record" && now.getTime() - Number(payload.askedAt) > recordLinkMs)
      return "The link in it has expired";
    if (subscriber.suppressedAt) return "Emails to this address bounced or were marked as spam";
  }
  if (kind === "contact") {
    const message = await messages.byId(db, subjectId ?? "");
    if (!message) return "The message was deleted";
    if (message.spamReason) return "The message is marked as spam";
  }
  if (kind === "reply") {
    const written = await replyToSend(db, subjectId ?? "");
    if (!written) return "The message was deleted";
    if (written.message.spamReason) return "The message is marked as spam";
  }
  if (kind === "sign-in" && !(await managers.byId(db, subjectId ?? ""))) return "The manager was removed";
  if (kind === "invitation" && !(await signInLinks.find(db, payload.hash ?? "", now)))
    return "The invitation was used or withdrawn, or has expired";
  if (kind === "quarantine" && !(await messages.countQuarantined(db))) return "The quarantine is empty";
}

const isOver = (pendingAt: Date | null, now: Date) =>
  pendingAt !== null && now.getTime() - pendingAt.getTime() > confirmLinkMs;

/** Writes the email of a row. Returns undefined if what it is about no longer exists. */
export type Compose = (mail: outbox.Mail) => Promise<ComposedEmail | undefined>;

type Sender = {
  config: Config;
  db: Db;
  log: Log;
  now: () => Date;
  compose: Compose;
  provider: MailProvider;
  timeoutMs: number;
  /** Aborted when the service stops. */
  closing: AbortSignal;
};

/** Sends one email of the outbox, or records in its row why not. Returns whether the provider was called. */
export async function deliver(sender: Sender, mail: outbox.Mail): Promise<boolean> {
  const { db, provider, now } = sender;
  const reason = await whyNot(db, mail, now());
  if (reason) await outbox.cancel(db, mail.id, reason);
  else if (provider.name !== "simulated") {
    const outcome = await attempt(sender, mail);
    if (outcome) await settle(sender, mail, outcome);
    return outcome !== undefined;
  } else if (await outbox.simulated(db, mail.id, now())) logSimulated(sender, mail);
  return false;
}

/** Returns undefined if the attempt could last longer than the claim, as after a pause of the process. */
async function attempt(sender: Sender, mail: outbox.Mail): Promise<Outcome | undefined> {
  const { compose, config, log, now, provider, timeoutMs, closing } = sender;
  try {
    const message = await compose(mail);
    if (!message) return { kind: "refused", reason: "invalid", message: "The subscriber or message was deleted" };
    const email = {
      ...message,
      from: config.MAIL_FROM,
      tags: { postroom_m: mail.id },
      messageId: message.messageId ?? `m.${mail.id}@${domainOf(config.MAIL_FROM)}`,
    };
    const claimedUntil = mail.nextAttemptAt.getTime();
    if (now().getTime() + timeoutMs > claimedUntil)
      return void log.warn("claim over", { id: mail.id, kind: mail.kind });
    return await provider.send(email, mail.id, AbortSignal.any([AbortSignal.timeout(timeoutMs), closing]));
  } catch (error) {
    log.error("email not created", { id: mail.id, kind: mail.kind, ...described(error) });
    return { kind: "refused", reason: "unavailable", message: "The email could not be created" };
  }
}

/**
 * Records an outcome. After an unknown one the email is sent again: a second welcome is better than none. A conflict
 * means that an earlier attempt got through although its response was lost, and the content has changed slightly since.
 */
async function settle({ db, log, now }: Sender, mail: outbox.Mail, outcome: Outcome): Promise<void> {
  if (outcome.kind === "accepted") return outbox.sent(db, mail.id, outcome.ids[0] ?? undefined, now());
  if (outcome.kind === "conflict") return outbox.sent(db, mail.id, undefined, now());
  const isRefused = outcome.kind === "refused";
  const failure = {
    error: outcome.message,
    isRefused,
    isPermanent: isRefused && permanent.has(outcome.reason),
    isBounce: isRefused && outcome.reason === "bounced",
    retryAfterSeconds: Math.ceil(((isRefused && outcome.retryAfterMs) || 0) / 1000),
  };
  const state = await outbox.failed(db, mail, failure, now());
  const fields = { id: mail.id, kind: mail.kind, attempt: mail.attempts, state, error: outcome.message };
  log[state === "queued" ? "warn" : "error"]("email not sent", fields);
}

const permanent: ReadonlySet<Reason> = new Set(permanentReasons);

/** Logs the line of spec part 6, as a warning, because someone is waiting for this email in vain. */
function logSimulated({ config, log }: Sender, { id, kind, recipient }: outbox.Mail) {
  const link = kind === "welcome" ? { unsubscribe: unsubscribeLink(config, recipient) } : {};
  log.warn("mail simulated", { id, kind, recipient, ...link });
}
