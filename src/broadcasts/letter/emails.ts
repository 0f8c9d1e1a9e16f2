import type { BroadcastLetter } from "../../../db/broadcasts/broadcasts";
import type { FrozenRecipient } from "../../../db/schema/broadcasts";
import type { Email } from "../../mail/provider";
import { composePieces } from "./compose";
import { broadcastHeaders, domainOf, type Envelope, leaveLink } from "./headers";
import type { Letter } from "./letter";

/** `broadcast_letters.letter`: everything that an email is written from, except its recipient. */
type FrozenLetter = Pick<Letter, "subject" | "html" | "text"> & { envelope: Envelope };

/** Returns what `confirm` stores of a letter. */
export const frozen = (
  { subject, html, text, page, bytes }: Letter,
  envelope: Envelope,
): Pick<BroadcastLetter, "letter" | "page" | "bytes"> => ({
  letter: { subject, html, text, envelope } satisfies FrozenLetter,
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
  return recipients.map(([row, email, name, token]) => {
    const reader = { email, token };
    return {
      from: envelope.from,
      to: email,
      ...(envelope.replyTo && { replyTo: envelope.replyTo }),
      ...composePieces(letter, { name, email, unsubscribeUrl: leaveLink(envelope, reader, row) }),
      headers: broadcastHeaders(envelope, reader, broadcastId),
      tags: { postroom_b: broadcastId, postroom_r: String(row) },
      messageId: `b.${row}.${broadcastId}@${domainOf(envelope.siteUrl)}`,
    };
  });
}

function isFrozenLetter(letter: unknown): letter is FrozenLetter {
  if (typeof letter !== "object" || letter === null) return false;
  const isText = (name: string) => Array.isArray((letter as Record<string, unknown>)[name]);
  return ["subject", "html", "text"].every(isText) && "envelope" in letter;
}
