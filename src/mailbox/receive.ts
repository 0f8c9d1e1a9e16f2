import { type IncomingAnswer, maxTextLength, recordAnswer } from "../../db/contact/conversation";
import type { Db } from "../../db/engine/open";
import { dayMs } from "../../db/lib/time";
import { type SentEmail, sentEmail } from "../../db/mailbox/sent-emails";
import { recordReport, type Report } from "../../db/provider-reports";
import { mailedReportPrefix } from "../../db/suppressions/suppressions";
import { headerText, proofOf } from "../mail/headers";
import { addressIn } from "../mail/resend-events";
import type { Config } from "../platform/config";
import { described, type Log } from "../platform/log";
import { emailAddress } from "../platform/text/email-address";
import { unsubscribeToken } from "../security/links";
import { type MailedReport, meaningFor, reportIn } from "./report";
import { field, innerEmail, type Part, partsOf, readEmail, readFields, textOf, words } from "./mime";

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

/**
 * What a person answered by email. Undefined for what a program sent, such as “I am away”, and for what answers
 * nothing. Whether it belongs to a conversation of ours is decided by its references (db/contact/conversation.ts).
 */
export function answerIn(email: Part): IncomingAnswer | undefined {
  if (isAutomatic(email)) return;
  const [mailId] = idsIn(field(email, "message-id"));
  const references = [...idsIn(field(email, "references")), ...idsIn(field(email, "in-reply-to"))];
  const from = words(field(email, "from"));
  const address = addressIn(from);
  if (!mailId || !references.length || !emailAddress.safeParse(address).success) return;
  const name = headerText(from.replace(/<[^<>]*>\s*$/, "").replaceAll('"', ""), 100);
  return { mailId, references, name: name === address ? "" : name, email: address, text: ownWords(textIn(email)) };
}

/** RFC 3834, and what programs wrote before it. */
const isAutomatic = (email: Part) =>
  (email.fields.has("auto-submitted") && !/^no\b/i.test(field(email, "auto-submitted"))) ||
  /^(bulk|junk|list|auto_reply)\b/i.test(field(email, "precedence")) ||
  ["x-autoreply", "x-autorespond", "x-auto-response-suppress", "list-id"].some((name) => email.fields.has(name)) ||
  /^<>$/.test(field(email, "return-path"));

const maxReadCharacters = 4 * maxTextLength;

function textIn(email: Part): string {
  const parts = partsOf(email).filter((part) => !/^attachment\b/i.test(field(part, "content-disposition")));
  const plain = parts.find(({ type }) => type === "text/plain");
  const html = parts.find(({ type }) => type === "text/html");
  if (plain) return textOf(plain, maxReadCharacters);
  return html ? textOfHtml(textOf(html, maxReadCharacters)) : "";
}

const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

/** The words of an email that has no other text. What it shows is escaped like any text. */
const textOfHtml = (html: string): string =>
  html
    .replace(/<(style|script|title|head)\b[\s\S]*?(<\/\1\s*>|$)/gi, "")
    .replace(/<blockquote\b[\s\S]*$/i, "")
    .replace(/<(br|\/p|\/div|\/li|\/tr|\/h\d)\b[^>]{0,500}>/gi, "\n")
    .replace(/<[^<>]{0,5000}>/g, "")
    .replace(
      /&(#\d{1,7}|#x[\da-f]{1,6}|\w{2,6});/gi,
      (whole, name: string) => entities[name.toLowerCase()] ?? numbered(name) ?? whole,
    );

function numbered(name: string): string | undefined {
  if (!name.startsWith("#")) return;
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "";
}

/** What mail programs put above the email that they quote. */
const separator =
  /^-{2,} ?(original message|ursprüngliche nachricht|message d.origine|mensaje original|mensagem original|oorspronkelijk bericht)/i;
const outlookLine = /^_{20,}$/;
const outlookHeader = /^\*?(from|von|de|van)\*?:/i;
const wrote = "(?:wrote|schrieb|écrit|escribió|escreveu|schreef|geschreven)(?: [^\\n]{0,200})?:";
const attribution = new RegExp(`^(?:On|Am|Le|El|Em|Op) [^\\n]{0,300}${wrote}$`);
/** Programs break it after 78 characters. */
const brokenAttribution = new RegExp(`^((?:On|Am|Le|El|Em|Op) [^\\n]{5,200})\\n([^\\n]{0,200}${wrote})$`, "gm");

/** The text without what it quotes; all of it if there is nothing else. */
function ownWords(text: string): string {
  const lines = text.replace(brokenAttribution, "$1 $2").split("\n");
  const next = (at: number) => lines.slice(at + 1, at + 4).find((line) => line.trim()) ?? "";
  const end = lines.findIndex(
    (line, at) => separator.test(line) || (outlookLine.test(line) && outlookHeader.test(next(at))),
  );
  const own = lines
    .slice(0, end < 0 ? undefined : end)
    .filter((line, at) => !line.startsWith(">") && !(attribution.test(line.trim()) && next(at).startsWith(">")))
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
  return (own || text.trim()).replaceAll(/(?![\n\t])\p{Cc}/gu, "");
}

/* Whose email a report is about: only what was in that email itself proves it, never an address alone. */

/** What names one of our emails, and cannot be guessed by others than its recipient. */
type Proof =
  /** `mac` as in its Message-ID (src/mail/headers.ts). */
  { kind: "recipient"; row: number; mac: string } | { kind: "outbox"; id: string } | { kind: "reply"; mailId: string };

const uuid = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const ofBroadcast = new RegExp(`^b\\.([1-9]\\d{0,14})\\.${uuid}\\.([0-9a-f]{20})@`, "i");
const ofOutbox = new RegExp(`^m\\.(${uuid})@`, "i");
const ofReply = /^r\.[0-9a-f]{32}\.[0-9a-f]{16}@/i;

/** Reads a Message-ID of ours, without angle brackets. */
function proofIn(messageId: string): Proof | undefined {
  const [, row, mac] = ofBroadcast.exec(messageId) ?? [];
  if (row && mac) return { kind: "recipient", row: Number(row), mac: mac.toLowerCase() };
  const [, id] = ofOutbox.exec(messageId) ?? [];
  if (id) return { kind: "outbox", id: id.toLowerCase() };
  return ofReply.test(messageId) ? { kind: "reply", mailId: messageId } : undefined;
}

/** Reads the return path of one of our emails, which `returnPath` wrote (src/mail/smtp/smtp.ts). */
function proofInAddress(address: string, bounceAddress: string): Proof | undefined {
  const [before = "", after = ""] = bounceAddress.toLowerCase().split("{}");
  const lower = address.toLowerCase();
  if (!lower.startsWith(before) || !lower.endsWith(after)) return;
  const token = lower.slice(before.length, lower.length - after.length);
  const [, row, mac] = /^b([1-9]\d{0,14})-([0-9a-f]{20})$/.exec(token) ?? [];
  if (row && mac) return { kind: "recipient", row: Number(row), mac };
  const [, hex] = /^m([0-9a-f]{32})$/.exec(token) ?? [];
  return hex ? { kind: "outbox", id: hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-") } : undefined;
}

const maxProofs = 10;
const maxIdsRead = 100;
const maxProseCharacters = 64 * 2 ** 10;

/** The IDs in a header field, without angle brackets. */
const idsIn = (value: string): string[] =>
  [...value.matchAll(/<([!-;=?-~]{1,250})>/g)].slice(0, maxIdsRead).map(([, id = ""]) => id);

const addressesIn = (value: string): string[] =>
  [...value.matchAll(/[^\s<>,;:"()]{1,64}@[^\s<>,;:"()]{1,255}/g)].slice(0, maxIdsRead).map(([address]) => address);

const envelopeFields = ["delivered-to", "x-original-to", "envelope-to", "x-envelope-to", "to"];

/**
 * What proves which email a report is about, the best first: the address it was sent to, the email that it contains,
 * what it answers, and what its text quotes.
 *
 * @param bounceAddress BOUNCE_ADDRESS
 */
export function proofsOf(email: Part, bounceAddress: string | undefined): Proof[] {
  const recipients = envelopeFields.flatMap((name) => (email.fields.get(name) ?? []).flatMap(addressesIn));
  const answered = [...idsIn(field(email, "in-reply-to")), ...idsIn(field(email, "references")).slice(-1)];
  const proofs = [
    ...(bounceAddress ? recipients.map((address) => proofInAddress(address, bounceAddress)) : []),
    ...[...idsIn(originalId(email)), ...answered, ...quotedIds(email)].map(proofIn),
  ].filter((proof) => proof !== undefined);
  return proofs.slice(0, maxProofs);
}

/** The Message-ID of the email that a report contains, or of its header. */
function originalId(email: Part): string {
  const inner = innerEmail(email);
  if (inner) return field(inner, "message-id");
  const header = partsOf(email).find(({ type }) => /^(text|message)\/rfc822-headers$/.test(type));
  return header ? field({ fields: readFields(textOf(header, maxProseCharacters)) }, "message-id") : "";
}

/** The Message-IDs that the text quotes, as programs do that write no structured report. */
const quotedIds = (email: Part): string[] =>
  partsOf(email)
    .filter(({ type }) => type === "text/plain")
    .slice(0, 2)
    .flatMap((part) =>
      [...textOf(part, maxProseCharacters).matchAll(/^[> \t]{0,10}Message-ID:[ \t]{0,10}<([!-;=?-~]{1,250})>/gim)].map(
        ([, id = ""]) => id,
      ),
    );
