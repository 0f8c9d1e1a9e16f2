import { render } from "../../../views/jsx/jsx-runtime";
import { headerText } from "../../mail/headers";
import type { Letter } from "./letter";
import { type FieldValues, filled, greetingName, nobody } from "./merge-fields";

/** Whose values go into a letter. `name` is null for everyone who may not be greeted by it (D33). */
export type Recipient = { name: string | null; email: string; unsubscribeUrl: string };

/** The preview as seen by nobody: its links lead nowhere. */
const anyone: FieldValues = { ...nobody, unsubscribe_url: "#" };

/** One recipient's email, from the frozen letter and these values alone: the same bytes at every attempt. */
export function composeEmail(letter: Pick<Letter, "subject" | "html" | "text">, recipient: Recipient | undefined) {
  const values: FieldValues = recipient
    ? { name: greetingName(recipient.name), email: recipient.email, unsubscribe_url: recipient.unsubscribeUrl }
    : anyone;
  return {
    subject: headerText(filled(letter.subject, values)),
    html: filled(letter.html, values, render),
    text: filled(letter.text, values),
  };
}
