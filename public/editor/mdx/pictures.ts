import { syntaxTree } from "@codemirror/language";
import { type EditorState, type Range, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view";
import { goOnBelow } from "./commands";
import { Picture } from "./widgets";

/** Images in Storage are shown, others are not: their host would learn who is writing. */
const pictureLine = /^!\[[^\]]*\]\((\/media\/[^\s)]+)(?:\s+"[^"]*")?\)\s*$/;

function picturesIn(state: EditorState, from: number, to: number): Range<Decoration>[] {
  const all: Range<Decoration>[] = [];
  for (let at = from; at <= to;) {
    const { from: start, to: end, text } = state.doc.lineAt(at);
    const [, src] = text.startsWith("![") ? (pictureLine.exec(text) ?? []) : [];
    if (src && !/Code/.test(syntaxTree(state).resolveInner(start, 1).name))
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

/**
 * A click anywhere in the line of a picture goes into its alternative text: what is typed beside it would break the
 * source, which is not in sight.
 */
export const intoCaption = EditorView.domEventHandlers({
  click({ target }, view) {
    const { main } = view.state.selection;
    const caption = target instanceof Element && target.closest(".md-caption");
    if (!caption || !main.empty || caption.textContent.includes("](")) return false;
    const { from, text } = view.state.doc.lineAt(main.head);
    const start = from + "![".length;
    const anchor = Math.max(start, Math.min(from + text.indexOf("]("), main.head));
    if (text.startsWith("![") && anchor !== main.head) view.dispatch({ selection: { anchor } });
    return false;
  },
});
