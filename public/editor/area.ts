import { type Change, toolNamed } from "./text";

export const area = () => document.querySelector<HTMLTextAreaElement>("textarea[name=content]");

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

/** Replaces the selection; the caret goes to the last `|`. */
export function insert(field: HTMLTextAreaElement, words: string): void {
  const { selectionStart: from, selectionEnd: to } = field;
  const at = words.lastIndexOf("|");
  const text = words.slice(0, at) + words.slice(at + 1);
  apply({ from, to, insert: text, start: from + at, end: from + at }, field);
}

/**
 * Moves the caret and scrolls it into view. A textarea does not report where its lines are, so a copy of it is
 * measured.
 */
export function goTo(offset: number): void {
  const text = area();
  if (!text) return;
  if (text.mdx) return text.mdx.goTo(offset);
  const { font, padding, lineHeight, letterSpacing } = getComputedStyle(text);
  const copy = document.createElement("div");
  copy.textContent = text.value.slice(0, offset);
  Object.assign(copy.style, {
    position: "absolute",
    visibility: "hidden",
    whiteSpace: "pre-wrap",
    overflowWrap: "break-word",
    inlineSize: `${text.clientWidth}px`,
    font,
    padding,
    lineHeight,
    letterSpacing,
  });
  document.body.append(copy);
  const { offsetHeight } = copy;
  copy.remove();
  text.focus();
  text.setSelectionRange(offset, offset);
  text.scrollTop = offsetHeight - text.clientHeight / 2;
}
