import { asciiDomain } from "../../db/lib/email-key";
import { sha256 } from "../security/secrets";

/**
 * Makes visitors' text safe for an email header (D33): no control characters, no line or paragraph separators, no
 * bidirectional marks, and nothing that looks like an encoded word (RFC 2047).
 */
export const headerText = (text: string, maxCharacters = 200): string => {
  const clean = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu, " ")
    .replaceAll("=?", "= ?")
    .replace(/\s+/g, " ")
    .trim();
  const characters = [...clean];
  return characters.length > maxCharacters ? `${characters.slice(0, maxCharacters - 1).join("")}…` : clean;
};

/** Whether the text is exactly one address, without anything that a mail server might read as more. */
export const isOneAddress = (text: string): boolean =>
  text.length <= 254 && /^[^\s\p{Cc}\p{Cf}",;:<>()[\]\\@]+@[^\s\p{Cc}\p{Cf}",;:<>()[\]\\@]+$/u.test(text);

/**
 * Returns a mailbox with a name; undefined if the address is not valid. Only letters, digits and a few signs of the
 * name are kept: nothing that separates addresses.
 */
export function mailbox(name: string, email: string): string | undefined {
  if (!isOneAddress(email)) return undefined;
  const plain = headerText(name.replace(/[^\p{L}\p{M}\p{N} .'’_-]+/gu, " "), 80);
  return plain ? `"${plain}" <${email}>` : email;
}

/** Returns the address in "ada@example.com" or "Ada <ada@example.com>". */
export const addressOf = (sender: string): string => /<([^>]+)>$/.exec(sender)?.[1] ?? sender;

/** Returns the name and address in "Ada <ada@example.com>"; without a name, the address is both. */
export function senderOf(sender: string): { name: string; address: string } {
  const address = addressOf(sender);
  const name = sender.slice(0, -address.length - 2).replaceAll('"', "");
  return { name: name.trim() || address, address };
}

/** Returns the domain of "ada@example.com" or "Ada <ada@example.com>", in punycode. */
export const domainOf = (sender: string): string => asciiDomain(/@([^\s<>@]+)>?$/.exec(sender)?.[1] ?? "localhost");

/** Returns "ada@example.com" or "Ada <ada@example.com>" with its domain in punycode, for mail servers. */
export const asciiMailbox = (mailbox: string): string =>
  mailbox.replace(/@([^\s<>@]+)(>?)$/, (whole, domain: string, end: string) => {
    const name = asciiDomain(domain);
    return name ? `@${name}${end}` : whole;
  });

/** Whose email of which broadcast. @property row in `broadcast_recipients` */
type BroadcastEmail = { broadcastId: string; row: number };

/**
 * The Message-ID of a recipient's email, by which delivery reports name it. Its last part is 80 bits that depend on the
 * recipient's token, so that no one can make up a report about an email that another person received.
 */
export const messageIdOf = (email: BroadcastEmail, token: string, domain: string) =>
  `b.${email.row}.${email.broadcastId}.${proofOf(email, token)}@${domain}`;

/** @param token of the recipient's unsubscribe link */
export const proofOf = ({ broadcastId, row }: BroadcastEmail, token: string): string =>
  sha256(`message-id ${broadcastId} ${row} ${token}`).slice(0, 20);
