import { EditorState, Prec, StateEffect, StateField, type TransactionSpec } from "@codemirror/state";
import { type Command, EditorView, keymap, showTooltip, type Tooltip } from "@codemirror/view";
import { mergeItems } from "../merge";

/*
 * The menu that opens with "/" at the beginning of a line, a listbox that the text controls: arrows choose, Enter
 * inserts, Escape closes it and leaves the slash.
 */

const image = "#tool-image";

/** What is inserted, before and after the caret. */
type Item = { name: string; words: string; before: string; after?: string; act?: () => void };

const all: readonly Item[] = [
  { name: "Heading", words: "title h2", before: "## " },
  { name: "Subheading", words: "title h3", before: "### " },
  { name: "Bulleted list", words: "unordered ul", before: "- " },
  { name: "Numbered list", words: "ordered ol", before: "1. " },
  { name: "Task list", words: "todo checkbox", before: "- [ ] " },
  { name: "Quote", words: "blockquote", before: "> " },
  { name: "Code block", words: "pre fence", before: "```\n", after: "\n```" },
  { name: "Table", words: "columns rows", before: "| ", after: " |  |\n| --- | --- |\n|  |  |" },
  { name: "Divider", words: "rule line hr", before: "---\n\n" },
  { name: "Link", words: "url", before: "", act: () => press("#tool-link") },
  { name: "Picture", words: "image photo upload", before: "", act: () => press(image) },
  { name: "Merge field", words: "name subscriber", before: "", act: () => press("#tool-field") },
];
const isThere = ({ name }: Item) =>
  name === "Picture" ? exists(image) : name !== "Merge field" || exists("#tool-field[data-tool]");
const exists = (selector: string) => document.querySelector(selector) !== null;
const press = (selector: string) => document.querySelector<HTMLElement>(selector)?.click();

/** Where the slash is, and which item is selected. */
type Menu = { at: number; items: readonly Item[]; selected: number };

const select = StateEffect.define<number>();
const close = StateEffect.define<null>();

const matching = (typed: string) => {
  const wanted = typed.trim().toLowerCase();
  return [...all, ...mergeItems()].filter(
    (item) => isThere(item) && `${item.name} ${item.words}`.toLowerCase().includes(wanted),
  );
};

/** Returns the position of a slash that was just typed at the beginning of a line. */
function opened(state: EditorState): number | undefined {
  const { head } = state.selection.main;
  const line = state.doc.lineAt(head);
  return line.text.trim() === "/" && head === line.to ? head - 1 : undefined;
}

const menu = StateField.define<Menu | null>({
  create: () => null,
  update(open, transaction) {
    const { changes, docChanged, effects, selection, state } = transaction;
    if (effects.some((effect) => effect.is(close))) return null;
    const chosen = effects.find((effect) => effect.is(select));
    if (open && chosen) return { ...open, selected: chosen.value };
    if (!open) {
      const at = docChanged && transaction.isUserEvent("input.type") ? opened(state) : undefined;
      return at === undefined ? null : { at, items: matching(""), selected: 0 };
    }
    if (!docChanged && !selection) return open;
    const at = changes.mapPos(open.at);
    const { head } = state.selection.main;
    if (head <= at || head > state.doc.lineAt(at).to) return null;
    const items = matching(state.sliceDoc(at + 1, head));
    return items.length ? { at, items, selected: 0 } : null;
  },
  provide: (field) => [
    showTooltip.from(field, (open) => open && { pos: open.at, create: tooltip, clip: false }),
    EditorView.contentAttributes.from(field, (open) => ({
      "aria-haspopup": "listbox",
      ...(open && { "aria-controls": "slash-menu", "aria-activedescendant": idOf(open.selected) }),
    })),
  ],
});
const idOf = (index: number) => `slash-menu-${index}`;

function insert(view: EditorView, { at }: Menu, { before, after = "", act }: Item): boolean {
  const change: TransactionSpec = {
    changes: { from: at, to: view.state.selection.main.head, insert: before + after },
    selection: { anchor: at + before.length },
  };
  view.dispatch({ ...change, effects: close.of(null), userEvent: "input.menu", scrollIntoView: true });
  view.focus();
  act?.();
  return true;
}

/** The listbox. It is drawn anew when its items change. */
const tooltip: Tooltip["create"] = (view) => {
  const dom = document.createElement("ul");
  dom.className = "slash-menu";
  dom.id = "slash-menu";
  dom.role = "listbox";
  dom.tabIndex = 0; // it may scroll
  dom.ariaLabel = "Insert";
  let drawn: Menu["items"] = [];
  function draw(open: Menu) {
    drawn = open.items;
    dom.replaceChildren(
      ...open.items.map((item, index) => {
        const option = document.createElement("li");
        option.role = "option";
        option.id = idOf(index);
        option.textContent = item.name;
        option.addEventListener("mousedown", (event) => event.preventDefault()); // the focus stays in the text
        option.addEventListener("click", () => {
          const now = view.state.field(menu);
          if (now) insert(view, now, item);
        });
        return option;
      }),
    );
  }
  const show = (open: Menu) => {
    if (open.items !== drawn) draw(open);
    [...dom.children].forEach((option, index) => (option.ariaSelected = String(index === open.selected)));
  };
  const open = view.state.field(menu);
  if (open) show(open);
  return {
    dom,
    update({ startState, state }) {
      const now = state.field(menu);
      if (!now || now === startState.field(menu)) return;
      show(now);
      dom.children[now.selected]?.scrollIntoView({ block: "nearest" });
    },
  };
};

/** A key that the menu takes while it is open. */
const whileOpen =
  (act: (view: EditorView, open: Menu) => boolean): Command =>
  (view) => {
    const open = view.state.field(menu);
    return open !== null && act(view, open);
  };
const move = (by: number) =>
  whileOpen((view, { items, selected }) => {
    view.dispatch({ effects: select.of((selected + by + items.length) % items.length) });
    return true;
  });
const choose = whileOpen((view, open) => {
  const item = open.items[open.selected];
  return item !== undefined && insert(view, open, item);
});

export const slashMenu = [
  menu,
  Prec.highest(
    keymap.of([
      { key: "ArrowDown", run: move(1) },
      { key: "ArrowUp", run: move(-1) },
      { key: "Enter", run: choose },
      { key: "Tab", run: choose },
      {
        key: "Escape",
        run: whileOpen((view) => {
          view.dispatch({ effects: close.of(null) });
          return true;
        }),
      },
    ]),
  ),
  EditorView.domEventHandlers({
    blur(_, view) {
      if (view.state.field(menu)) setTimeout(() => view.dispatch({ effects: close.of(null) }));
    },
  }),
];
