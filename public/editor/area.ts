import { type Change, toolNamed } from "./text";

export const area = () => document.querySelector<HTMLTextAreaElement>("textarea[data-mdx]");

/** Inserts text as if typed, so that the browser's undo includes it. */
export function apply(change: Change, text = area()): void {
  if (!text) return;
  if (text.mdx) return text.mdx.apply(change);
  const { from, to, insert, start, end } = change;
  text.focus();
  text.setSelectionRange(from, to);
  if (!document.execCommand(insert ? "insertText" : "delete", false, insert)) {
    text.setRangeText(insert, from, to);
    text.dispatchEvent(new Event("input", { bubbles: true }));
  }
  text.setSelectionRange(start, end);
}

export function use(tool: string): void {
  const text = area();
  const change = toolNamed(tool);
  if (text && change) apply(change({ text: text.value, start: text.selectionStart, end: text.selectionEnd }));
}

/** Replaces the selection by a picture, of which both are as Markdown has them; the caret goes behind the `alt`. */
export function insertPicture(field: HTMLTextAreaElement, alt: string, address: string): void {
  const { selectionStart: from, selectionEnd: to } = field;
  const at = from + "![".length + alt.length;
  apply({ from, to, insert: `![${alt}](${address})`, start: at, end: at, isPicture: true }, field);
}

/**
 * Moves the caret and scrolls it into view. A textarea does not report where its lines are, so a copy of it is
 * measured, and gone before anything is drawn.
 */
export function goTo(offset: number): void {
  const text = area();
  if (!text) return;
  if (text.mdx) return text.mdx.goTo(offset);
  const { id, className, value } = text;
  const copy = Object.assign(document.createElement("textarea"), { id, className, value: value.slice(0, offset) });
  copy.style.cssText = "min-block-size: 0; block-size: 0";
  text.after(copy);
  const { scrollHeight } = copy;
  copy.remove();
  text.focus();
  text.setSelectionRange(offset, offset);
  text.scrollTop = scrollHeight - text.clientHeight / 2;
}
