import { dayMs } from "../../db/lib/time";
import { type IncomingAnswer, recordAnswer } from "../../db/contact/conversation";
import type { Db } from "../../db/engine/open";
import { type SentEmail, sentEmail } from "../../db/mailbox/sent-emails";
import { recordReport, type Report } from "../../db/provider-reports";
import { mailedReportPrefix } from "../../db/suppressions/suppressions";
import { proofOf } from "../broadcasts/letter/message-id";
import type { Config } from "../platform/config";
import { described, type Log } from "../platform/log";
import { unsubscribeToken } from "../security/links/unsubscribe";
import { answerIn } from "./answer";
import type { MailedReport } from "./failure";
import { readEmail } from "./mime";
import { type Proof, proofsOf } from "./proof";
import { meaningFor, reportIn } from "./report";

type Needs = { config: Config; db: Db; log: Log; now: () => Date };
/** What an email was: a report or an answer that is ours, or something that is left alone. */
type Received = "report" | "answer" | "other";

/**
 * How long after an email a report on it counts. Servers give up after five days. A complaint may come later, and
 * stops no one who could not use the unsubscribe link of the same email.
 */
const reportableMs = { failed: 7 * dayMs, complained: 30 * dayMs };

/** Does what follows from an email that came back, once. */
export async function receive(needs: Needs, bytes: Uint8Array): Promise<Received> {
  const { report, proofs, answer } = understood(needs, bytes);
  if (report) return (await receiveReport(needs, report, proofs)) ? "report" : "other";
  const stored = answer && (await recordAnswer(needs.db, answer, needs.now()));
  return stored?.outcome === "stored" || stored?.outcome === "repeated" ? "answer" : "other";
}

type Understood = { report?: MailedReport | undefined; proofs: Proof[]; answer?: IncomingAnswer | undefined };

/** An email that we cannot read must not keep us from reading the next one. */
function understood({ config, log }: Pick<Needs, "config" | "log">, bytes: Uint8Array): Understood {
  try {
    const email = readEmail(bytes);
    const report = reportIn(email);
    return report
      ? { report, proofs: proofsOf(email, config.BOUNCE_ADDRESS) }
      : { proofs: [], answer: answerIn(email) };
  } catch (error) {
    log.error("email not understood", described(error));
    return { proofs: [] };
  }
}

async function receiveReport({ config, db, now }: Needs, mailed: MailedReport, proofs: Proof[]): Promise<boolean> {
  for (const proof of proofs) {
    const sent = await sentEmail(db, proof);
    if (!sent || !isProven(config, proof, sent)) continue;
    const report = reportOn(sent, mailed, now());
    if (report) await recordReport(db, report, now());
    return report !== undefined;
  }
  return false;
}

function isProven(config: Config, proof: Proof, { email, recipient }: SentEmail): boolean {
  if (proof.kind !== "recipient") return true; // the IDs of other emails are random
  const secrets = [config.APP_SECRET, ...config.APP_SECRET_PREVIOUS];
  const proves = (APP_SECRET: string) =>
    recipient !== undefined && proofOf(recipient, unsubscribeToken({ APP_SECRET }, email)) === proof.mac;
  return secrets.some(proves);
}

/**
 * The ID is made of the email, not of the report: however many come, each kind counts once, and a suppression that was
 * lifted stays so when the mailbox is read anew.
 */
function reportOn(sent: SentEmail, mailed: MailedReport, now: Date): Report | undefined {
  const age = now.getTime() - sent.sentAt.getTime();
  const meaning = age <= reportableMs[mailed.kind] ? meaningFor(mailed, sent.email) : undefined;
  if (!meaning) return;
  const { email, recipient, outboxId } = sent;
  const type = `${mailedReportPrefix}${meaning.kind}`;
  return {
    id: `${type}/${recipient ? `${recipient.broadcastId}/${recipient.row}` : outboxId}`,
    type,
    ...meaning,
    at: now,
    sentAt: mailed.sentAt ?? new Date(0), // without its date, a report does not say which attempt it is about
    email,
    recipient,
    outboxId,
  };
}
