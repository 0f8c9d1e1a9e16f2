import { history, isolateHistory } from "@codemirror/commands";
import { forceParsing } from "@codemirror/language";
import { EditorState, Transaction } from "@codemirror/state";
import { dropCursor, EditorView, highlightSpecialChars, placeholder } from "@codemirror/view";
import type { Change } from "../text";
import { announce } from "../../app/dom";
import { announced, apply, inOwnParagraph } from "./commands";
import { decorations } from "./decorations";
import { keys } from "./keys";
import { mdxLanguage } from "./language";
import { slashMenu } from "./menu";
import { pasting } from "./paste";
import { belowLastPicture, wholePictures, pictures } from "./pictures";
import { markProblems, type Problem, problemMarks } from "./problems";
import { searchPanel } from "./search-panel";
import { addPictures, forgetting, uploads, uploadsIn } from "./uploads";
import { learn } from "./widgets";

/*
 * The editor over a textarea, which stays the form's field: its value is the text of the editor, so that other scripts
 * need not know of it. The ID goes over to what has the focus.
 */

/** What the toolbar and the preview use of the editor. */
export type MdxField = {
  apply: (change: Change) => void;
  goTo: (offset: number) => void;
  /** Uploads pictures to where the caret is, or beside this point of the window. */
  add: (files: readonly File[], at?: { x: number; y: number }) => void;
  /** The number of pictures that are not in the text yet. */
  uploading: () => number;
  mark: (problems: readonly Problem[]) => void;
};

const areas = new WeakMap<EditorView, HTMLTextAreaElement>();
/** By form and field, while a form is replaced: the undo history, the selection, and what was typed since it was sent. */
const kept = new Map<string, { state: EditorState; sent: string | undefined; top: number }>();
const sent = new WeakMap<EditorView, string>();
const keyOf = (area: HTMLTextAreaElement) => `${area.form?.id} ${area.name}`;
/** Pixels beyond the line of the caret. Where the page scrolls, the bars that stay in sight are in them. */
function scrollMarginsOf(dom: HTMLElement): { top: number; bottom: number } {
  const bar = dom.closest(".writing")?.querySelector<HTMLElement>(".save-bar");
  return bar ? { top: 88, bottom: innerHeight - bar.getBoundingClientRect().top + 40 } : { top: 24, bottom: 72 };
}
const textOf = ({ state }: EditorView) => state.doc.toString();

/** Returns what is selected on the page, which the editor may not have noticed yet. */
function selectedIn(view: EditorView): { from: number; to: number } {
  const { anchorNode, anchorOffset, focusNode, focusOffset } = document.getSelection() ?? {};
  if (!anchorNode || !focusNode || !view.contentDOM.contains(focusNode)) return view.state.selection.main;
  const [from = 0, to = 0] = [view.posAtDOM(anchorNode, anchorOffset), view.posAtDOM(focusNode, focusOffset)].sort(
    (a, b) => a - b,
  );
  return { from, to };
}

/**
 * Puts in what the browser would not, or not as it should: a key that public/early.ts kept; and what replaces a
 * selection, which Chromium gives the style of what was there, and the policy forbids inline styles.
 */
function typeOver(event: InputEvent, view: EditorView): boolean {
  const { data, inputType, isComposing, isTrusted } = event;
  if (inputType !== "insertText" || data === null || isComposing) return false;
  const { from, to } = isTrusted ? selectedIn(view) : view.state.selection.main;
  if (isTrusted && from === to) return false;
  const changes = { from, to, insert: data };
  const selection = { anchor: from + data.length };
  view.dispatch({ changes, selection, userEvent: "input.type", scrollIntoView: true });
  event.preventDefault();
  return true;
}

const invitation = "Write, or type / on a new line for more";
/** A function, because words would be told to screen readers of every text, not only of an empty one. */
function drawInvitation(): HTMLElement {
  const words = document.createElement("span");
  words.textContent = invitation;
  return words;
}

const extensions = [
  history(),
  dropCursor(),
  highlightSpecialChars(),
  placeholder(drawInvitation),
  EditorView.lineWrapping,
  EditorView.scrollMargins.of(({ dom }) => scrollMarginsOf(dom)),
  EditorState.tabSize.of(2),
  mdxLanguage.extension,
  decorations,
  pictures,
  belowLastPicture,
  wholePictures,
  uploads,
  forgetting,
  problemMarks,
  slashMenu,
  searchPanel,
  pasting,
  keys,
  EditorView.contentAttributes.of(({ state }) => ({
    spellcheck: "true",
    autocorrect: "on",
    autocapitalize: "sentences",
    tabindex: "0",
    ...(state.doc.length === 0 && { "aria-placeholder": invitation }),
  })),
  EditorView.domEventHandlers({ beforeinput: typeOver }),
  EditorView.updateListener.of(({ docChanged, transactions, view }) => {
    for (const transaction of transactions) {
      const words = transaction.annotation(announced);
      if (words) announce(words);
    }
    if (docChanged) areas.get(view)?.dispatchEvent(new Event("input", { bubbles: true }));
  }),
];

/** Makes the smallest change that turns the text into another one: a step of its own to undo. */
function replace(view: EditorView, text: string): void {
  const now = textOf(view);
  const next = text.replace(/\r\n?/g, "\n");
  if (now === next) return;
  const shorter = Math.min(now.length, next.length);
  let from = 0;
  while (from < shorter && now[from] === next[from]) from++;
  let end = 0;
  while (end < shorter - from && now.at(-1 - end) === next.at(-1 - end)) end++;
  view.dispatch({
    changes: { from, to: now.length - end, insert: next.slice(from, next.length - end) },
    annotations: [Transaction.userEvent.of("input.restore"), isolateHistory.of("full")],
  });
}

/** The textarea's description, label and error belong to the editor. */
function nameContent(area: HTMLTextAreaElement, { contentDOM }: EditorView): void {
  const error = document.getElementById(`${area.id}-error`);
  if (error) {
    contentDOM.setAttribute("aria-describedby", error.id);
    contentDOM.ariaInvalid = "true";
  } else contentDOM.ariaDescription = "Tab leaves the text. In a list or table, press Escape first.";
  const [label] = area.labels;
  if (label) {
    label.id ||= `${area.id}-label`;
    contentDOM.setAttribute("aria-labelledby", label.id);
    label.addEventListener("click", () => contentDOM.focus());
  }
  contentDOM.id = area.id;
  area.removeAttribute("id");
  const { name } = area;
  area.name = ""; // with an ID of the same name, Firefox forgets the name, and the form's elements lack the text
  area.name = name;
}

/** Scripts read and write the textarea as ever. */
function standIn(area: HTMLTextAreaElement, view: EditorView): void {
  const { main } = view.state.selection;
  const select = (anchor: number, head: number) => view.dispatch({ selection: { anchor, head } });
  if (main.empty && main.head === 0) select(area.selectionStart, area.selectionEnd);
  const store = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value")?.set;
  Object.defineProperties(area, {
    value: { get: () => textOf(view), set: (text: string) => replace(view, text) },
    selectionStart: { get: () => view.state.selection.main.from },
    selectionEnd: { get: () => view.state.selection.main.to },
    setSelectionRange: { value: select },
    focus: { value: () => view.focus() },
  });
  area.form?.addEventListener("submit", () => void sent.set(view, textOf(view)));
  area.form?.addEventListener("formdata", ({ formData }) => formData.set(area.name, textOf(view)));
  // The browser restores it when someone comes back; it takes 100 ms for 200 KB, so not while typing
  addEventListener("pagehide", () => store?.call(area, textOf(view)));
  area.mdx = {
    apply: (change) => apply(view, change.isPicture ? inOwnParagraph(view.state.doc, change) : change),
    goTo(offset) {
      const effects = EditorView.scrollIntoView(offset, { y: "center" });
      view.focus();
      view.dispatch({ selection: { anchor: 0 } }); // CodeMirror puts it nowhere that it believes it to be already
      view.dispatch({ selection: { anchor: offset }, effects });
    },
    add(files, at) {
      if (!at) view.focus(); // the writing goes on once they are chosen
      addPictures(view, files, at ? view.posAtCoords(at, false) : view.state.selection.main.head);
    },
    uploading: () => uploadsIn(view),
    mark: (problems) => markProblems(view, problems),
  };
}

/** About what a large screen shows: decorated later than seen, lines would move. */
const [firstScreen, maxParseMs] = [5_000, 2_000]; // characters, and milliseconds on a slow machine

/** Puts the editor in place of a textarea, with what has been typed there. */
export function mount(area: HTMLTextAreaElement): EditorView {
  const hadFocus = document.activeElement === area;
  learn(area);
  const before = kept.get(keyOf(area));
  kept.delete(keyOf(area));
  const doc = area.value;
  const isSame = before && [before.state.doc.toString(), before.sent].includes(doc);
  const state = isSame ? before.state : EditorState.create({ doc, extensions });
  const view = new EditorView({ state });
  forceParsing(view, Math.min(state.doc.length, firstScreen), maxParseMs);
  areas.set(view, area);
  area.after(view.dom);
  nameContent(area, view);
  standIn(area, view);
  area.hidden = true;
  if (hadFocus) view.focus();
  if (before) view.scrollDOM.scrollTop = before.top;
  return view;
}

/** Keeps what belongs to the editors of forms that are about to be replaced. */
export function keep(view: EditorView): void {
  const area = areas.get(view);
  if (area) kept.set(keyOf(area), { state: view.state, sent: sent.get(view), top: view.scrollDOM.scrollTop });
}
