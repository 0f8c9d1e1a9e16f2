/*
 * The form of a link, in place of brackets to be filled in. What is selected in the text is its text or, if it is one, its
 * address.
 */
import { find, targetOf } from "../app/dom";
import { apply, area } from "./area";

const words = () => find<HTMLInputElement>("#link-words");
const address = () => find<HTMLInputElement>("#link-address");
const form = "menu-link";

addEventListener(
  "beforetoggle",
  (event) => {
    const [text, first, second] = [area(), words(), address()];
    if (targetOf(event).id !== form || event.newState !== "open" || !text || !first || !second) return;
    const selected = text.value.slice(text.selectionStart, text.selectionEnd);
    const isAddress = /^(https?:\/\/|mailto:|\/)\S+$/.test(selected);
    first.value = isAddress ? "" : selected.replace(/\s+/g, " ");
    second.value = isAddress ? selected : "";
    second.toggleAttribute("autofocus", first.value !== ""); // the browser focuses the first that has it
    first.toggleAttribute("autofocus", first.value === "");
  },
  true, // it does not bubble
);

/** A host has no scheme when people write it. Spaces and brackets would end the address. */
function completed(typed: string): string {
  const isWhole = /^([a-z][\w+.-]*:|[/#{])/i.test(typed);
  const isEmail = /^[^/]+@[^/]+$/.test(typed); // unlike "social.example/@ada"
  const whole = isWhole ? typed : isEmail ? `mailto:${typed}` : `https://${typed}`;
  return whole.replace(/[\s()<>]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
}

function insertLink(): void {
  const text = area();
  const typed = address()?.value.trim() ?? "";
  if (!text || !typed) return address()?.focus();
  const { selectionStart: from, selectionEnd: to } = text;
  const label = (words()?.value.trim() || typed).replace(/[[\]]/g, String.raw`\$&`);
  const insert = `[${label}](${completed(typed)})`;
  find(`#${form}`)?.hidePopover();
  apply({ from, to, insert, start: from + insert.length, end: from + insert.length }, text);
}

addEventListener("click", (event) => {
  if (targetOf(event).closest("#insert-link")) insertLink();
});

addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.isComposing || !targetOf(event).matches(`#${form} input`)) return;
  event.preventDefault();
  insertLink();
});
