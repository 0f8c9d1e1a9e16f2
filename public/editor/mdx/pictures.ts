import { syntaxTree } from "@codemirror/language";
import {
  EditorSelection,
  EditorState,
  type Range,
  type SelectionRange,
  StateField,
  Transaction,
} from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view";
import { goOnBelow, pictureLine } from "./commands";
import { Picture } from "./widgets";

const isCode = (state: EditorState, at: number) => /Code/.test(syntaxTree(state).resolveInner(at, 1).name);

function picturesIn(state: EditorState, from: number, to: number): Range<Decoration>[] {
  const all: Range<Decoration>[] = [];
  for (let at = from; at <= to;) {
    const { from: start, to: end, text } = state.doc.lineAt(at);
    const [, src] = pictureLine.exec(text) ?? [];
    if (src && !isCode(state, start))
      all.push(Decoration.widget({ widget: new Picture(src), block: true, side: -1 }).range(start));
    at = end + 1;
  }
  return all;
}

/** The pictures of the whole text, so that their heights are known before they are seen. */
export const pictures = StateField.define<DecorationSet>({
  create: (state) => Decoration.set(picturesIn(state, 0, state.doc.length), true),
  update(decorations, { docChanged, changes, state }) {
    if (!docChanged) return decorations;
    let mapped = decorations.map(changes);
    changes.iterChangedRanges((_from, _to, from, to) => {
      const filterFrom = state.doc.lineAt(from).from;
      const filterTo = state.doc.lineAt(to).to;
      const add = picturesIn(state, filterFrom, filterTo);
      mapped = mapped.update({ filterFrom, filterTo, filter: () => false, add, sort: true });
    });
    return mapped;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** A click below a picture that ends the text begins a paragraph: behind its source, words would become part of its line. */
export const belowLastPicture = EditorView.domEventHandlers({
  mousedown(event, view) {
    const { doc } = view.state;
    const end = view.coordsAtPos(doc.length);
    if (!end || event.button || event.clientY <= end.bottom || !pictureLine.test(doc.line(doc.lines).text))
      return false;
    event.preventDefault();
    return goOnBelow(view, doc.length);
  },
});

/** The line of a picture. Of its source only the alternative text is in sight: from `start` to `end`. */
type PictureLine = { from: number; to: number; start: number; end: number };

/** The picture that is the line at this place. In a text to come, what is code is asked of the present one. */
function pictureAt(state: EditorState, at: number, changes?: Transaction): PictureLine | undefined {
  const { from, to, text } = (changes?.newDoc ?? state.doc).lineAt(at);
  if (!pictureLine.test(text)) return undefined;
  if (isCode(state, changes ? changes.changes.invertedDesc.mapPos(from, -1) : from)) return undefined;
  return { from, to, start: from + "![".length, end: from + text.indexOf("](") };
}
const within = ({ start, end }: PictureLine, at: number) => Math.max(start, Math.min(end, at));

type Edit = { from: number; to: number; insert: string };
/** What ends the line, or the brackets around the text, would end the picture. */
const asCaption = (text: string) =>
  text
    .replace(/\s*[\n\\]\s*/g, " ")
    .replaceAll("[", "(")
    .replaceAll("]", ")");

/** Returns what of an edit leaves pictures whole, or removes them as a whole: in parts it reaches only their text. */
function sparing({ startState: state }: Transaction, edit: Edit): Edit[] {
  const { from, to, insert } = edit;
  const isBelow = insert ? insert.startsWith("\n") : to === state.doc.lineAt(to).to;
  const isAbove = insert ? insert.endsWith("\n") : from === state.doc.lineAt(from).from;
  const brokenAt = (at: number) => {
    const picture = pictureAt(state, at);
    const isWhole = picture && from <= picture.from && to >= picture.to;
    if (!picture || isWhole || (isAbove && to === picture.from)) return undefined;
    return isBelow && from > picture.end && !state.sliceDoc(from, picture.to).trim() ? undefined : picture;
  };
  const [first, last] = [brokenAt(from), brokenAt(to)];
  if (!first && !last) return [edit];
  if (first && last?.from === first.from) {
    const isWhole = first.start === first.end && !insert; // its text is empty already
    if (isWhole) return [{ from: first.from, to: first.to, insert }];
    const own = { from: within(first, from), to: within(first, to), insert: asCaption(insert) };
    return [own.from === from && own.to === to && own.insert === insert ? edit : own];
  }
  const edits: Edit[] = [];
  if (first) edits.push({ from: within(first, from), to: first.end, insert: asCaption(insert) });
  const [start, end] = [first ? first.to + 1 : from, last ? last.from - 1 : to];
  if (start <= end) edits.push({ from: start, to: end, insert: first ? "" : insert });
  if (last) edits.push({ from: last.start, to: within(last, to), insert: "" });
  return edits;
}

/** What is typed, deleted or moved by hand; not what an upload or the search puts in. */
const byHand = /^(input(?!\.(picture|re))|delete|move)/; // nor what restores a text

/** Returns the transaction, with what leaves pictures whole of what it changes. */
function spare(transaction: Transaction): Transaction {
  const { startState, scrollIntoView } = transaction;
  const userEvent = transaction.annotation(Transaction.userEvent) ?? "";
  if (!byHand.test(userEvent)) return transaction;
  const all: Edit[] = [];
  let isSame = true;
  transaction.changes.iterChangedRanges((from, to, start, end) => {
    const edit = { from, to, insert: transaction.newDoc.sliceString(start, end) };
    const edits = sparing(transaction, edit);
    isSame &&= edits[0] === edit;
    all.push(...edits.filter((each) => each.insert || each.from < each.to));
  });
  if (isSame) return transaction;
  if (userEvent === "input.format") return startState.update({}); // a heading or a link is no alternative text
  const [caret] = all;
  const changes = startState.changes(all);
  const selection = caret && { anchor: changes.mapPos(caret.from, -1) + caret.insert.length };
  return startState.update({ changes, selection, scrollIntoView, userEvent, filter: false });
}

/** Returns where a selection goes that would begin or end out of sight, in the source of a picture. */
function inSight(transaction: Transaction, range: SelectionRange): SelectionRange {
  const { startState, newDoc, docChanged } = transaction;
  const { head, anchor, empty } = range;
  const picture = pictureAt(startState, head, transaction);
  if (!picture) return range;
  const { from, to } = picture;
  const isOfLines = Math.min(anchor, head) <= from && Math.max(anchor, head) >= to; // the picture as a whole
  if (!empty && (isOfLines || anchor < from || anchor > to)) return range;
  let place = within(picture, head);
  const before = startState.selection.main.head;
  const isStep = !docChanged && Math.abs(head - before) === 1;
  const beyond = head > place ? to + 1 : from - 1;
  if (isStep && head !== place && before === place && beyond >= 0 && beyond <= newDoc.length) place = beyond;
  return EditorSelection.range(empty ? place : within(picture, anchor), place, range.goalColumn);
}

/**
 * Whatever moves the caret, it stays out of a picture's hidden source, and what is typed or deleted goes into its
 * alternative text or removes the picture as a whole: in the source, it would make plain text of it.
 */
export const wholePictures = EditorState.transactionFilter.of((transaction) => {
  const next = spare(transaction);
  if (next.isUserEvent("select.search") || !(next.selection || next.docChanged)) return next;
  const { ranges, mainIndex } = next.newSelection;
  const selection = EditorSelection.create(
    ranges.map((range) => inSight(next, range)),
    mainIndex,
  );
  return selection.eq(next.newSelection) ? next : [next, { selection, sequential: true }];
});
