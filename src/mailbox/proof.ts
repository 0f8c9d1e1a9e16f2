import { field, innerEmail, type Part, partsOf, readFields, textOf } from "./mime";

/* Whose email a report is about: only what was in that email itself proves it, never an address alone (A36). */

/** What names one of our emails, and cannot be guessed by others than its recipient. */
export type Proof =
  /** `mac` as in its Message-ID (src/broadcasts/letter/message-id.ts). */
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

/** Reads the return path of one of our emails, which `returnPath` wrote (src/mail/smtp/return-path.ts). */
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
export const idsIn = (value: string): string[] =>
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
