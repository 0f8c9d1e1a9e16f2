import { Annotation, type ChangeSpec, type Line, type Text } from "@codemirror/state";
import type { Command, EditorView } from "@codemirror/view";
import type { SyntaxNode } from "@lezer/common";
import { syntaxTree } from "@codemirror/language";
import { type Change, tools } from "../text";

/** What screen readers are told of a change that a key made. */
export const announced = Annotation.define<string>();

/** Makes a change of the toolbar: one step to undo. */
export function apply(view: EditorView, { from, to, insert, start, end }: Change, words?: string): boolean {
  view.focus(); // first: without it a chip is drawn over the caret, and a key that follows at once lands behind it
  view.dispatch({
    changes: { from, to, insert },
    selection: { anchor: start, head: end },
    userEvent: "input.format",
    annotations: words ? [announced.of(words)] : [],
    scrollIntoView: true,
  });
  return true;
}

const toggles = new Set(["bold", "italic", "quote", "list", "tasks", "numbers"]);

/** Returns the command of a toolbar button, whose name is announced with whether the text has it now. */
export const tool =
  (name: string, words: string): Command =>
  (view) => {
    const { from, to } = view.state.selection.main;
    const change = tools[name]?.({ text: view.state.doc.toString(), start: from, end: to });
    if (!change) return false;
    const isOff = toggles.has(name) && (!change.insert || change.insert.length < change.to - change.from);
    return apply(view, change, isOff ? `${words} off` : words);
  };

/** What stands before the words of a list item or quote: indent and `>`, bullet or number, space, box of a task. */
const prefix = /^(\s*(?:> ?)*)(?:(?:([-*+])|(\d{1,9})([.)]))( +)(\[[ xX]\] +)?)?/;

type Item = { whole: string; before: string; bullet: string; number: string; sign: string; gap: string; task: string };

function itemOf(line: string): Item | undefined {
  const [whole = "", before = "", bullet = "", number = "", sign = "", gap = "", task = ""] = prefix.exec(line) ?? [];
  return bullet || number || before.includes(">") ? { whole, before, bullet, number, sign, gap, task } : undefined;
}

const isInCode = (view: EditorView, at: number) => /Code|Esm/.test(syntaxTree(view.state).resolveInner(at, -1).name);

/** The line ends before and after what replaces this range, which give it a paragraph of its own. */
export function lineEndsAround(doc: Text, from: number, to = from): [before: string, after: string] {
  const hasWords = (line: number) => line > 0 && line <= doc.lines && doc.line(line).text.trim() !== "";
  const lineEnds = (beside: string, line: number) => (beside.trim() ? "\n\n" : hasWords(line) ? "\n" : "");
  const [first, last] = [doc.lineAt(from), doc.lineAt(to)];
  return [
    lineEnds(doc.sliceString(first.from, from), first.number - 1),
    lineEnds(doc.sliceString(to, last.to), last.number + 1),
  ];
}

/** Images in Storage are shown, others are not: their host would learn who is writing. */
export const pictureLine = /^!\[[^\]]*\]\((\/media\/[^\s)]+)(?:\s+"[^"]*")?\)\s*$/;

/** Returns this place, or the end of the line if it is a picture, whose source is out of sight. */
export function besidePicture(doc: Text, at: number): number {
  const { text, to } = doc.lineAt(at);
  return pictureLine.test(text) ? to : at;
}

/** The same change, which gives what it inserts a paragraph of its own, below a picture that it would be put into. */
export function inOwnParagraph(doc: Text, change: Change): Change {
  const { insert, start, end } = change;
  const from = besidePicture(doc, change.from);
  const to = Math.max(from, change.to);
  const [before, after] = lineEndsAround(doc, from, to);
  const by = before.length + from - change.from;
  return { from, to, insert: before + insert + after, start: start + by, end: end + by };
}

/** Begins a paragraph behind what ends here. */
export const goOnBelow = (view: EditorView, at: number): boolean =>
  apply(view, { from: at, to: at, insert: "\n\n", start: at + 2, end: at + 2 });

/** Enter in the text of a picture goes on below it; at its beginning, where there is a text, above it. */
export const leavePicture: Command = (view) => {
  const { from, to } = view.state.selection.main;
  let node: SyntaxNode | null = syntaxTree(view.state).resolveInner(from, -1);
  while (node && node.name !== "Image") node = node.parent;
  if (!node?.getChild("URL") || from <= node.from || to > node.to) return false;
  const line = view.state.doc.lineAt(node.from);
  const isAbove = from === to && from === line.from + 2 && line.text[2] !== "]" && pictureLine.test(line.text);
  if (!isAbove) return goOnBelow(view, node.to);
  return apply(view, { from: line.from, to: line.from, insert: "\n\n", start: line.from, end: line.from });
};

/**
 * Enter in a paragraph or a heading begins a paragraph, since Markdown reads what follows on the next line as part of the
 * same one. Pressed twice, as by who knows that, it does so once.
 */
export const beginParagraph: Command = (view) => {
  const { doc, selection } = view.state;
  const { from, to } = selection.main;
  let block = syntaxTree(view.state).resolveInner(from, -1);
  while (block.parent?.parent) block = block.parent;
  if (!block.parent) return /^\n\n\n?$/.test(doc.sliceString(from - 2, to + 1));
  // A row of a table, what a tag contains or a line that is to be broken here goes on
  return (
    /^(Para|ATX)/.test(block.name) &&
    !/^[|<{]|( {2}|\\)$/.test(doc.sliceString(block.from, from)) &&
    apply(view, { from, to, insert: "\n\n", start: from + 2, end: from + 2 })
  );
};

/** Enter in a list or quote continues it; on an empty item it ends it. */
export const continueList: Command = (view) => {
  const { state } = view;
  const { from, to } = state.selection.main;
  const line = state.doc.lineAt(from);
  const item = itemOf(line.text);
  if (!item || from < line.from + item.whole.length || isInCode(view, line.from + item.whole.length)) return false;
  if (line.text.trimEnd().length <= item.whole.trimEnd().length) {
    const isNested = /^ {2}/.test(item.before);
    // A line that followed directly would belong to the item
    const changes = isNested ? { from: line.from, to: line.from + 2 } : { from: line.from, to: line.to, insert: "\n" };
    const selection = isNested ? undefined : { anchor: line.from + 1 };
    const annotations = announced.of(isNested ? "Outdented" : item.gap ? "End of the list" : "End of the quote");
    view.dispatch({ changes, selection, annotations, userEvent: "input.list", scrollIntoView: true });
    return true;
  }
  const next = item.bullet || (item.number && Number(item.number) + 1 + item.sign);
  const insert = `\n${item.before}${next}${item.gap}${item.task && "[ ] "}`;
  const changes = { from, to, insert };
  const annotations = announced.of(item.task ? "Task" : item.bullet ? "Bullet" : next || "Quote");
  const selection = { anchor: from + insert.length };
  view.dispatch({ changes, selection, annotations, userEvent: "input", scrollIntoView: true });
  return true;
};

/** Tab indents list items, by the width of their bullet or number. */
const shiftItems =
  (isDeeper: boolean): Command =>
  ({ state, dispatch }) => {
    const changes: ChangeSpec[] = [];
    const { from, to } = state.selection.main;
    for (let at = state.doc.lineAt(from).from; at <= to; at = state.doc.lineAt(at).to + 1) {
      const { text } = state.doc.lineAt(at);
      const item = itemOf(text);
      if (!item?.gap) return false;
      const width = item.bullet.length + item.number.length + item.sign.length + item.gap.length;
      const present = Math.min(width, text.search(/[^ ]|$/));
      if (isDeeper) changes.push({ from: at, insert: " ".repeat(width) });
      else if (present) changes.push({ from: at, to: at + present });
    }
    if (!changes.length) return true;
    const annotations = announced.of(isDeeper ? "Indented" : "Outdented");
    dispatch(state.update({ changes, annotations, userEvent: isDeeper ? "input.indent" : "delete.dedent" }));
    return true;
  };
export const indentItems = shiftItems(true);
export const outdentItems = shiftItems(false);

/** Tab in a table goes to the next cell, and from the last one to a new row; Shift-Tab goes back, at last out of it. */
const moveInTable =
  (by: number): Command =>
  (view) => {
    const { doc, selection } = view.state;
    const { head } = selection.main;
    const textOf = (line: number) => (line > 0 && line <= doc.lines ? doc.line(line).text : "");
    const isRow = (line: number) => /^ *\|/.test(textOf(line));
    let line = doc.lineAt(head).number;
    if (!isRow(line) || isInCode(view, head)) return false;
    while (isRow(line - 1)) line--;
    const dashes = line + 1;
    const delimiters = textOf(dashes);
    if (!/^ *\|[ :|]*-[ :|-]*$/.test(delimiters)) return false;
    const cells = [];
    for (; isRow(line); line++) if (line !== dashes) cells.push(...cellsOf(doc.line(line)));
    const next = cells[cells.findLastIndex(({ start }) => start <= head) + by];
    if (next) return apply(view, { from: head, to: head, insert: "", ...next });
    if (by < 0) return false;
    const at = doc.line(line - 1).to;
    const start = at + delimiters.indexOf("|") + 3;
    const insert = `\n${delimiters.replace(/(?<=\|)[^|]+(?=\|)/g, "  ")}`;
    return apply(view, { from: at, to: at, insert, start, end: start }, "New row");
  };
export const nextCell = moveInTable(1);
export const previousCell = moveInTable(-1);

/** Returns where the words of each cell of a row begin and end. */
const cellsOf = ({ from, text }: Line) =>
  [...text.matchAll(/(\|\s?)((?:\\.|[^\\|])*?)\s*(?=\|)/g)].map(({ 1: before = "", 2: words = "", index }) => {
    const start = from + index + before.length;
    return { start, end: start + words.length };
  });

/** Ticks the task of the line, or unticks it. */
export const tick: Command = ({ state, dispatch }) => {
  const line = state.doc.lineAt(state.selection.main.head);
  const item = itemOf(line.text);
  if (!item?.task) return false;
  const from = line.from + item.whole.length - item.task.length + 1;
  const isDone = item.task[1] === " ";
  dispatch(
    state.update({
      changes: { from, to: from + 1, insert: isDone ? "x" : " " },
      annotations: announced.of(isDone ? "Done" : "Not done"),
      userEvent: "input.task",
    }),
  );
  return true;
};
