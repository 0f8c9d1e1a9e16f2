import { render } from "../../../views/jsx/jsx-runtime";
import type { Field, FieldValue } from "../../../db/newsletter/field-values";
import type { WantedValues } from "../../../db/newsletter/fields";
import { type Language, languages } from "../../../db/settings/rules";
import { type Translator, translator } from "../../../views/languages/translator";
import { headerText, messageIdOf } from "../../mail/headers";
import { type EmailReader, linkToLeave, preferencesUrl } from "../../security/links";
import type { Letter } from "./letter";
import { type FieldValues, filled, filledPieces, greetingName, nobody, type Segment } from "./merge-fields";
import type { BroadcastLetter } from "../../../db/broadcasts/broadcasts";
import type { FrozenRecipient } from "../../../db/schema/broadcasts";
import type { Email } from "../../mail/provider";

/** Whose values are filled into a letter. `name` is null for everyone who may not be addressed by it (D33). */
export type Recipient = {
  name: string | null;
  email: string;
  unsubscribeUrl: string;
  preferencesUrl: string;
  /** Leaves the topic of the broadcast alone. */
  leaveTopicUrl?: string | undefined;
  /** Absent: the site's. */
  language?: string | null | undefined;
  /** The values of the site's fields, by their keys, as they are written. */
  own?: Record<string, string> | undefined;
};

/** Letters that were frozen by earlier versions have one language. */
type Texts = Pick<Letter, "subject" | "html" | "text"> & Partial<Pick<Letter, "own" | "frames">>;

/** A preview for no one in particular: its links lead nowhere. */
const anyone: FieldValues = { ...nobody, unsubscribe_url: "#", preferences_url: "#", leave_topic_url: "#" };

/** Returns one recipient's email, from the frozen letter and these values alone: the same bytes at every attempt. */
export function composeEmail(letter: Texts, recipient: Recipient | undefined) {
  const { subject, html, text } = composePieces(letter, recipient);
  return { subject, html: html.join(""), text: text.join("") };
}

/** The same with texts in pieces: those that all recipients share are the same strings. */
function composePieces(letter: Texts, recipient: Recipient | undefined) {
  const values: FieldValues = recipient
    ? {
        name: greetingName(recipient.name),
        email: recipient.email,
        unsubscribe_url: recipient.unsubscribeUrl,
        preferences_url: recipient.preferencesUrl,
        leave_topic_url: recipient.leaveTopicUrl ?? recipient.unsubscribeUrl,
        own: recipient.own,
      }
    : anyone;
  return {
    subject: headerText(filled(letter.subject, values)),
    html: filledPieces(partIn(letter, "html", recipient?.language), values, render),
    text: filledPieces(partIn(letter, "text", recipient?.language), values),
  };
}

/** A part of the email in a language: the text as it was written, with what is around it in that language. */
function partIn(letter: Texts, part: "html" | "text", language: string | null | undefined): Segment[] {
  const around = languages.flatMap((one) => (one === language ? (letter.frames?.[one]?.[part] ?? []) : []))[0];
  const own = letter.own?.[part];
  return around && own ? [...around.before, ...letter[part].slice(own.from, own.to), ...around.after] : letter[part];
}

/** The headers of a broadcast, frozen with its letter. */
export type Envelope = {
  /** The whole sender, in the format of MAIL_FROM. */
  from: string;
  replyTo?: string | undefined;
  siteTitle: string;
  /** BASE_URL */
  siteUrl: string;
  /** Whether the archive lists it. */
  isListed: boolean;
  /** The topic it goes to, by its name in links. */
  topic?: string | undefined;
};

/**
 * The headers of every email of a broadcast: how to unsubscribe (RFC 2369, RFC 8058), which list it belongs to (RFC
 * 2919), that it was sent automatically (RFC 3834), and what it is counted under (Feedback-ID).
 */
function broadcastHeaders(
  { siteTitle, siteUrl, isListed, topic }: Omit<Envelope, "from">,
  reader: EmailReader,
  broadcastId: string,
): Record<string, string> {
  return {
    "List-Unsubscribe": `<${linkToLeave("unsubscribe", siteUrl, reader, topic)}>`,
    ...(siteUrl.startsWith("https:") && { "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" }), // RFC 8058 requires https
    "List-Id": listId(siteTitle, siteUrl, topic),
    ...(isListed && { "List-Archive": `<${siteUrl}/newsletter>` }),
    "Auto-Submitted": "auto-generated",
    "X-Auto-Response-Suppress": "OOF",
    "Feedback-ID": `${shortId(broadcastId)}:newsletter:postroom`,
  };
}

/** Includes the name only if it is ASCII: many programs show an encoded one undecoded in this header. */
function listId(title: string, siteUrl: string, topic: string | undefined): string {
  const list = topic ? `${domainOf(`http://${topic}`)}.newsletter` : "newsletter"; // in ASCII, as a domain name is
  const id = `<${list}.${domainOf(siteUrl)}>`;
  const name = headerText(title, 80).replaceAll(/["\\]/g, "");
  return /^[ !#-~]+$/.test(name) ? `"${name}" ${id}` : id;
}

/** Returns the host if it is a domain name: an IPv6 address is not. */
const domainOf = (siteUrl: string) => new URL(siteUrl).hostname.replace(/^\[.*\]$/, "localhost");

/** The random end of a UUIDv7, under which providers count complaints. */
const shortId = (id: string) => id.replaceAll("-", "").slice(-12);

/** `broadcast_letters.letter`: everything that an email is written from, except its recipient. */
type FrozenLetter = Texts & { envelope: Envelope; keys?: string[]; language?: Language };

/** Returns what `confirm` stores of a letter. */
export const frozen = (
  { subject, html, text, own, frames, page, bytes, keys, language }: Letter,
  envelope: Envelope,
): Pick<BroadcastLetter, "letter" | "page" | "bytes"> => ({
  letter: { subject, html, text, own, frames, envelope, keys, language } satisfies FrozenLetter,
  page,
  bytes,
});

/**
 * Writes the emails of a batch from frozen data alone: no setting, clock or secret is read, so that a retry has the
 * same bytes.
 *
 * @throws if `letter` is not a frozen letter
 */
export function writeEmails(letter: unknown, recipients: FrozenRecipient[], broadcastId: string): Email[] {
  if (!isFrozenLetter(letter)) throw new TypeError("This is no letter");
  const { envelope } = letter;
  return recipients.map(([row, email, name, token, language, own]) => {
    const reader = { email, token, row };
    return {
      from: envelope.from,
      to: email,
      ...(envelope.replyTo && { replyTo: envelope.replyTo }),
      ...composePieces(letter, { name, email, language, own, ...linksOf(envelope, reader) }),
      headers: broadcastHeaders(envelope, reader, broadcastId),
      tags: { postroom_b: broadcastId, postroom_r: String(row) },
      messageId: messageIdOf({ broadcastId, row }, token, domainOf(envelope.siteUrl)),
    };
  });
}

/** The site's fields that a frozen letter uses, and how their values are written: in the language of its text. */
export function valuesIn(letter: unknown): WantedValues | undefined {
  if (!isFrozenLetter(letter) || !letter.keys?.length) return undefined;
  const t = translator(letter.language ?? "en");
  return { keys: letter.keys, written: (type, value) => writtenValue(t, type, value) };
}

function writtenValue(t: Translator, type: Field["type"], value: FieldValue): string {
  if (typeof value === "boolean") return t(value ? "value.yes" : "value.no");
  if (typeof value === "number") return t.number(value);
  return type === "date" ? t.date(new Date(value), { day: "numeric", month: "long", year: "numeric" }) : value;
}

const linksOf = (envelope: Envelope, reader: EmailReader) => ({
  unsubscribeUrl: linkToLeave("leave", envelope.siteUrl, reader),
  preferencesUrl: preferencesUrl(envelope.siteUrl, reader),
  ...(envelope.topic && { leaveTopicUrl: linkToLeave("leave", envelope.siteUrl, reader, envelope.topic) }),
});

function isFrozenLetter(letter: unknown): letter is FrozenLetter {
  if (typeof letter !== "object" || letter === null) return false;
  const fields = new Map<string, unknown>(Object.entries(letter));
  const isText = (name: string) => Array.isArray(fields.get(name));
  return ["subject", "html", "text"].every(isText) && fields.has("envelope");
}
