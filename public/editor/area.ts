import { type Change, tools } from "./text";

export const area = () => document.querySelector<HTMLTextAreaElement>("#content");

/** As if it were typed, so that the browser's undo knows it. */
export function apply({ from, to, insert, start, end }: Change): void {
  const text = area();
  if (!text) return;
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
  const change = tools[tool];
  if (text && change) apply(change({ text: text.value, start: text.selectionStart, end: text.selectionEnd }));
}

/** Instead of what is selected; the caret goes where `|` is. */
export function insert(words: string): void {
  const text = area();
  if (!text) return;
  const { selectionStart: from, selectionEnd: to } = text;
  const caret = from + words.indexOf("|");
  apply({ from, to, insert: words.replace("|", ""), start: caret, end: caret });
}

/** Puts the caret there, in sight. A textarea does not tell where its lines are: a copy of it does. */
export function goTo(offset: number): void {
  const text = area();
  if (!text) return;
  const { font, padding, lineHeight, letterSpacing } = getComputedStyle(text);
  const copy = document.createElement("div");
  copy.textContent = text.value.slice(0, offset);
  Object.assign(copy.style, {
    ...{ position: "absolute", visibility: "hidden", whiteSpace: "pre-wrap", overflowWrap: "break-word" },
    ...{ inlineSize: `${text.clientWidth}px`, font, padding, lineHeight, letterSpacing },
  });
  document.body.append(copy);
  const { offsetHeight } = copy;
  copy.remove();
  text.focus();
  text.setSelectionRange(offset, offset);
  text.scrollTop = offsetHeight - text.clientHeight / 2;
}
