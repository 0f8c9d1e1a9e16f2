import { composeEmail, type Recipient } from "./compose";
import type { WrittenLetter } from "./letter";

/**
 * An email as a page of its own, for a frame. At night the style sheet applies without asking the screen: a subject
 * cannot contain its beginning, because it is escaped.
 */
export function emailPreview(letter: WrittenLetter, recipient: Recipient | undefined, isNight: boolean): string {
  const { html } = composeEmail(letter, recipient);
  return isNight ? html.replace(/<style>\n@media [^{]+/, "<style>\n@media all ") : html;
}
