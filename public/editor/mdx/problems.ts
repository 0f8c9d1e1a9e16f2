import { type EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, hoverTooltip, showTooltip, type Tooltip } from "@codemirror/view";

/*
 * What would break the site's build, at its place: underlined, with a dot beside its line, and in words where the caret
 * or the pointer is. The preview finds the problems; until it finds none, they move with the text.
 */

export type Problem = { offset: number; message: string };

const set = StateEffect.define<readonly Problem[]>();
const line = Decoration.line({ class: "md-problem-line" });

/** Underlines the sign at the problem and the word after it. */
function marked({ doc }: EditorState, { offset, message }: Problem) {
  const from = Math.min(offset, doc.length);
  const { from: start, to: end } = doc.lineAt(from);
  const length = /^\S{1,40}/.exec(doc.sliceString(from, end))?.[0].length ?? 0;
  const mark = Decoration.mark({ class: "md-problem", message });
  const ranges = length ? [mark.range(from, from + length)] : [];
  return [line.range(start), ...ranges];
}

const problems = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(decorations, { changes, effects, state }) {
    const next = effects.find((effect) => effect.is(set))?.value;
    if (!next) return decorations.map(changes);
    return Decoration.set(
      next.flatMap((problem) => marked(state, problem)),
      true,
    );
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** The words about the problem at this position. */
function tooltipAt(state: EditorState, at: number): Tooltip | null {
  let tooltip: Tooltip | null = null;
  state.field(problems).between(at, at, (from, _to, { spec }) => {
    if (typeof spec.message === "string")
      tooltip ??= { pos: from, above: true, create: () => said(spec.message), clip: false };
  });
  return tooltip;
}

function said(message: string) {
  const dom = document.createElement("p");
  dom.className = "md-problem-words";
  dom.role = "status";
  dom.textContent = message;
  return { dom };
}

/** A tooltip that is the same stays as it is. */
const atCaret = StateField.define<Tooltip | null>({
  create: () => null,
  update(before, { state }) {
    const after = state.selection.main.empty ? tooltipAt(state, state.selection.main.head) : null;
    return before && after && before.pos === after.pos ? before : after;
  },
  provide: (field) => showTooltip.from(field),
});

export const problemMarks = [problems, atCaret, hoverTooltip(({ state }, at) => tooltipAt(state, at))];

/** Marks these problems instead of those before. */
export const markProblems = (view: EditorView, all: readonly Problem[]) => view.dispatch({ effects: set.of(all) });
