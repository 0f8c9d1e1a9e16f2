import { syntaxTree } from "@codemirror/language";
import { searchPanelOpen } from "@codemirror/search";
import { type EditorState, type Range, StateEffect } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import type { SyntaxNode, SyntaxNodeRef } from "@lezer/common";
import { fieldWords } from "../merge";
import { pictureLine } from "./commands";
import { Sign, TaskBox } from "./widgets";

/*
 * How the text is decorated: headings in their size, marks hidden where the cursor is not. Nothing here changes the
 * text, except a click on a task.
 */

const hidden = Decoration.replace({});
const mark = (name: string) => Decoration.mark({ class: `md-${name}` });
const line = (name: string) => Decoration.line({ class: `md-${name}` });
/** A screen reader is told what the hidden marks say. */
const heading = (level: number) =>
  Decoration.line({ class: `md-h${Math.min(level, 4)}`, attributes: { role: "heading", "aria-level": `${level}` } });
const sign = (name: string, words: string) => Decoration.replace({ widget: new Sign(name, words) });
const chip = mark("chip");
const rule = line("rule");

const marks: Record<string, Decoration> = {
  StrongEmphasis: mark("strong"),
  Emphasis: mark("em"),
  Strikethrough: mark("strike"),
  InlineCode: mark("code"),
  Component: chip,
  Esm: mark("code"),
  URL: mark("dim"),
  CodeInfo: mark("dim"),
  TableDelimiter: mark("dim"),
  HeaderMark: mark("dim"),
  QuoteMark: mark("dim"),
};
const lines: Record<string, Decoration> = {
  ATXHeading1: heading(1),
  ATXHeading2: heading(2),
  ATXHeading3: heading(3),
  ATXHeading4: heading(4),
  ATXHeading5: heading(5),
  ATXHeading6: heading(6),
  SetextHeading1: heading(1),
  SetextHeading2: heading(2),
  Blockquote: line("quote"),
  FencedCode: line("fence"),
  Table: line("table"),
  ListItem: line("item"),
  Esm: line("fence"),
};

/** What is being decorated: the visible text, and where the selection is. */
type Scene = {
  state: EditorState;
  ranges: Range<Decoration>[];
  /** Whether the selection touches a range, which then shows its marks. */
  isTouched: (from: number, to: number) => boolean;
};

const isLineTouched = ({ state, isTouched }: Scene, { from, to }: SyntaxNodeRef) =>
  isTouched(state.doc.lineAt(from).from, state.doc.lineAt(to).to);

/** Where a mark ends with the space after it. */
const withSpace = ({ state }: Scene, to: number) => (state.sliceDoc(to, to + 1) === " " ? to + 1 : to);

/** Whether the line consists of this picture, which is shown above (pictures.ts): its text is then its caption. */
const isAlone = ({ state }: Scene, { from }: SyntaxNode) => {
  const { from: start, text } = state.doc.lineAt(from);
  return from === start && pictureLine.test(text);
};

/**
 * Hides the marks of emphasis, code and links, unless the selection touches their element; those of a caption, unless
 * something may have been found in them.
 */
function hideInline(scene: Scene, { name, from, to, node }: SyntaxNodeRef): void {
  const { parent } = node;
  if (!parent || from === to || !inlineMarks[name]?.includes(parent.name)) return;
  const isLink = parent.name === "Link" || parent.name === "Image";
  if (isLink && !parent.getChild("URL")) return; // brackets that no definition makes a link
  const isCaption = parent.name === "Image" && isAlone(scene, parent);
  const isShown = (!isCaption || searchPanelOpen(scene.state)) && scene.isTouched(parent.from, parent.to);
  if (!isShown) scene.ranges.push(hidden.range(from, to));
}
const inlineMarks: Record<string, readonly string[]> = {
  EmphasisMark: ["Emphasis", "StrongEmphasis"],
  StrikethroughMark: ["Strikethrough"],
  CodeMark: ["InlineCode"],
  LinkMark: ["Link", "Image"],
  URL: ["Link", "Image"],
  LinkTitle: ["Link", "Image"],
};

/** What elements need besides a class. */
const others: Record<string, (scene: Scene, node: SyntaxNodeRef) => void> = {
  HeaderMark(scene, { from, to, node }) {
    const { parent } = node;
    if (!parent?.name.startsWith("ATX") || isLineTouched(scene, node)) return;
    scene.ranges.push(hidden.range(from, from === parent.from ? withSpace(scene, to) : to));
  },
  QuoteMark(scene, node) {
    if (!isLineTouched(scene, node)) scene.ranges.push(hidden.range(node.from, withSpace(scene, node.to)));
  },
  ListMark(scene, { from, to, node }) {
    const { from: start } = scene.state.doc.lineAt(from);
    if (start < from) scene.ranges.push(indent.range(start, from));
    if (!/^[-*+]$/.test(scene.state.sliceDoc(from, to)) || scene.isTouched(from, to)) return;
    const isTask =
      node.nextSibling?.name === "Task" && !scene.isTouched(node.nextSibling.from, node.nextSibling.from + 3);
    scene.ranges.push(isTask ? hidden.range(from, withSpace(scene, to)) : sign("md-bullet", "•").range(from, to));
  },
  TaskMarker(scene, { from, to }) {
    if (scene.isTouched(from, to)) return;
    const isDone = /x/i.test(scene.state.sliceDoc(from, to));
    scene.ranges.push(Decoration.replace({ widget: new TaskBox(isDone) }).range(from, to));
  },
  HorizontalRule(scene, node) {
    if (isLineTouched(scene, node)) return;
    scene.ranges.push(rule.range(scene.state.doc.lineAt(node.from).from), hidden.range(node.from, node.to));
  },
  Expression(scene, { from, to }) {
    if (scene.isTouched(from, to)) return void scene.ranges.push(chip.range(from, to));
    const words = fieldWords(scene.state.sliceDoc(from, to));
    scene.ranges.push((words ? sign("md-chip md-field", words) : chip).range(from, to));
  },
  Link(scene, { from, node }) {
    const close = node.getChild("URL") && node.getChildren("LinkMark")[1];
    if (close) scene.ranges.push(link.range(from, close.to));
  },
  Image(scene, { node }) {
    const [open, close] = node.getChildren("LinkMark");
    if (!open || !close || !node.getChild("URL")) return;
    const isCaption = isAlone(scene, node);
    if (isCaption) scene.ranges.push(caption.range(scene.state.doc.lineAt(node.from).from));
    else scene.ranges.push(chip.range(node.from, node.to));
    const isEmpty =
      open.to === close.from && !scene.isTouched(close.to, node.to) && !scene.isTouched(node.from, node.from);
    if (isEmpty)
      scene.ranges.push(Decoration.widget({ widget: isCaption ? noCaption : noWords, side: 1 }).range(open.to));
  },
};
const indent = mark("indent");
const link = mark("link");
const caption = line("caption");
const noCaption = new Sign("md-empty", "Alternative text");
const noWords = new Sign("md-empty", "Picture");

/** Gives all visible lines of a block their class. */
function decorateLines({ state, ranges }: Scene, node: SyntaxNodeRef, from: number, to: number): void {
  const decoration = lines[node.name];
  const isNested = node.name === "ListItem" && node.node.parent?.parent?.name === "ListItem";
  if (!decoration || isNested) return;
  for (let at = state.doc.lineAt(Math.max(node.from, from)).from; at <= Math.min(node.to, to);) {
    ranges.push(decoration.range(at));
    const next = state.doc.lineAt(at).to + 1;
    if (next > state.doc.length) return;
    at = next;
  }
}

function decorationsOf({ state, hasFocus, visibleRanges }: EditorView): DecorationSet {
  const isShown = hasFocus || searchPanelOpen(state); // what was found may be in a mark
  const ranges: Range<Decoration>[] = [];
  const isTouched = (from: number, to: number) =>
    isShown && state.selection.ranges.some((selected) => selected.from <= to && selected.to >= from);
  const scene: Scene = { state, ranges, isTouched };
  for (const { from, to } of visibleRanges)
    syntaxTree(state).iterate({
      from,
      to,
      enter(node) {
        decorateLines(scene, node, from, to);
        const decoration = marks[node.name];
        if (decoration && node.from < node.to) ranges.push(decoration.range(node.from, node.to));
        others[node.name]?.(scene, node);
        hideInline(scene, node);
      },
    });
  return Decoration.set(ranges, true);
}

const redecorate = StateEffect.define<null>();
const hasEffect = ({ transactions }: ViewUpdate) =>
  transactions.some(({ effects }) => effects.some((effect) => effect.is(redecorate)));

/** Whether the pointer is down: what the selection touches must not move under it. */
let isPointing = false;
addEventListener("pointerup", () => (isPointing = false));
addEventListener("pointercancel", () => (isPointing = false));

/** Decorates what is visible after each change; not while text is being composed or selected with the pointer. */
export const decorations = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    tree;
    constructor(view: EditorView) {
      this.decorations = decorationsOf(view);
      this.tree = syntaxTree(view.state);
    }
    update(update: ViewUpdate) {
      const { docChanged, viewportChanged, selectionSet, focusChanged, view, state } = update;
      const isParsed = syntaxTree(state) !== this.tree;
      if (!(docChanged || viewportChanged || selectionSet || focusChanged || isParsed || hasEffect(update))) return;
      if (view.composing || (isPointing && !docChanged && !viewportChanged)) {
        this.decorations = this.decorations.map(update.changes);
        return;
      }
      this.decorations = decorationsOf(view);
      this.tree = syntaxTree(state);
    }
  },
  {
    decorations: (plugin) => plugin.decorations,
    eventHandlers: {
      mousedown() {
        isPointing = true;
      },
      mouseup(_, view) {
        isPointing = false;
        setTimeout(() => view.dispatch({ effects: redecorate.of(null) }));
      },
      compositionend(_, view) {
        setTimeout(() => view.dispatch({ effects: redecorate.of(null) }));
      },
    },
  },
);
