import {
  closeSearchPanel,
  findNext,
  findPrevious,
  getSearchQuery,
  openSearchPanel,
  replaceAll,
  replaceNext,
  search,
  SearchQuery,
  searchPanelOpen,
  setSearchQuery,
} from "@codemirror/search";
import { type Command, type EditorView, type KeyBinding, type Panel, runScopeHandlers } from "@codemirror/view";

/* Find and replace, as the other forms of the dashboard look. */

const maxCounted = 1_000;

/** Says how many places there are, and which one is selected. */
function tally({ state }: EditorView): string {
  const query = getSearchQuery(state);
  if (!query.valid) return "";
  const { from, to } = state.selection.main;
  const matches = query.getCursor(state);
  let count = 0;
  let current = 0;
  for (let next = matches.next(); !next.done && count <= maxCounted; next = matches.next()) {
    count++;
    if (next.value.from === from && next.value.to === to) current = count;
  }
  if (count > maxCounted) return `Over ${maxCounted.toLocaleString("en-GB")} matches`;
  if (count === 0) return "No matches";
  if (current) return `${current} of ${count}`;
  return count === 1 ? "1 match" : `${count} matches`;
}

function input(label: string, id: string): HTMLInputElement {
  const field = document.createElement("input");
  field.className = "input";
  field.id = id;
  field.type = "text";
  field.autocomplete = "off";
  field.spellcheck = false;
  field.ariaLabel = label;
  field.placeholder = label;
  return field;
}

function button(name: string, act: () => void): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "btn sm";
  made.textContent = name;
  made.addEventListener("click", act);
  return made;
}

function checkbox(name: string): [label: HTMLLabelElement, box: HTMLInputElement] {
  const box = document.createElement("input");
  box.type = "checkbox";
  const label = document.createElement("label");
  label.append(box, name);
  return [label, box];
}

function row(...parts: HTMLElement[]): HTMLElement {
  const made = document.createElement("div");
  made.append(...parts);
  return made;
}

function commitQuery(view: EditorView, [text, replace, caseSensitive]: [string, string, boolean]): void {
  const query = new SearchQuery({ search: text, replace, caseSensitive, literal: true });
  if (!query.eq(getSearchQuery(view.state))) view.dispatch({ effects: setSearchQuery.of(query) });
}

function createPanel(view: EditorView): Panel {
  const dom = document.createElement("div");
  dom.className = "find-panel";
  dom.role = "search";
  dom.ariaLabel = "Find and replace";
  const find = input("Find", "find-text");
  find.setAttribute("main-field", "true");
  const replace = input("Replace with", "replace-text");
  const [caseLabel, caseBox] = checkbox("Match case");
  const count = document.createElement("p");
  count.className = "hint";
  count.role = "status";
  const show = (query: SearchQuery) => {
    if (query.search !== find.value) find.value = query.search;
    if (query.replace !== replace.value) replace.value = query.replace;
    caseBox.checked = query.caseSensitive;
  };
  const commit = () => commitQuery(view, [find.value, replace.value, caseBox.checked]);
  for (const field of [find, replace, caseBox])
    field.addEventListener("input", (event) => {
      event.stopPropagation(); // nothing of the post has changed
      commit();
    });
  dom.addEventListener("keydown", (event) => {
    const { key, shiftKey, target } = event;
    const isEnter = key === "Enter" && (target === find || target === replace);
    if (isEnter) (target === replace ? replaceNext : shiftKey ? findPrevious : findNext)(view);
    if (isEnter || runScopeHandlers(view, event, "search-panel")) event.preventDefault();
  });
  const close = button("Close", () => closeSearchPanel(view));
  close.classList.add("quiet", "end");
  const [next, previous] = [button("Next", () => findNext(view)), button("Previous", () => findPrevious(view))];
  const [once, all] = [button("Replace", () => replaceNext(view)), button("Replace all", () => replaceAll(view))];
  dom.append(row(find, next, previous, count, close), row(replace, once, all, caseLabel));
  show(getSearchQuery(view.state));
  return {
    dom,
    top: true,
    mount: () => find.select(),
    update({ docChanged, selectionSet, state, startState }) {
      const query = getSearchQuery(state);
      const isChanged = !query.eq(getSearchQuery(startState));
      if (isChanged) show(query);
      if (isChanged || docChanged || selectionSet) count.textContent = tally(view);
    },
  };
}

/** Opens the panel, with the caret in the field for what to put instead. */
const openReplace: Command = (view) => {
  openSearchPanel(view);
  view.dom.querySelector<HTMLInputElement>("#replace-text")?.select();
  return true;
};

const scope = "editor search-panel";

export const searchKeys: readonly KeyBinding[] = [
  { key: "Mod-f", run: openSearchPanel, scope },
  { key: "Mod-Alt-f", run: openReplace, scope },
  { key: "F3", run: findNext, shift: findPrevious, scope, preventDefault: true },
  { key: "Mod-g", run: findNext, shift: findPrevious, scope, preventDefault: true },
  { key: "Escape", run: (view) => searchPanelOpen(view.state) && closeSearchPanel(view), scope },
];

export const searchPanel = search({ createPanel, top: true, literal: true });
