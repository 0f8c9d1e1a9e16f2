import { render } from "../../../views/jsx/jsx-runtime";
import { headerText } from "../../mail/headers";
import type { Letter } from "./letter";
import { type FieldValues, filled, filledPieces, greetingName, nobody } from "./merge-fields";

/** Whose values are filled into a letter. `name` is null for everyone who may not be addressed by it (D33). */
export type Recipient = { name: string | null; email: string; unsubscribeUrl: string };

type Texts = Pick<Letter, "subject" | "html" | "text">;

/** A preview for no one in particular: its links lead nowhere. */
const anyone: FieldValues = { ...nobody, unsubscribe_url: "#" };

/** Returns one recipient's email, from the frozen letter and these values alone: the same bytes at every attempt. */
export function composeEmail(letter: Texts, recipient: Recipient | undefined) {
  const { subject, html, text } = composePieces(letter, recipient);
  return { subject, html: html.join(""), text: text.join("") };
}

/** The same with texts in pieces: those that all recipients share are the same strings. */
export function composePieces(letter: Texts, recipient: Recipient | undefined) {
  const values: FieldValues = recipient
    ? { name: greetingName(recipient.name), email: recipient.email, unsubscribe_url: recipient.unsubscribeUrl }
    : anyone;
  return {
    subject: headerText(filled(letter.subject, values)),
    html: filledPieces(letter.html, values, render),
    text: filledPieces(letter.text, values),
  };
}
