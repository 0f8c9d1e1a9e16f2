/*
 * The command palette: a combobox over a list box whose options are links and buttons. The server finds; this opens it,
 * moves the selection, and remembers which pages this browser has opened.
 */
import { type Context, find, findAll, onHtmx, announce, targetOf } from "./dom";

const palette = find<HTMLDialogElement>("#palette");
const form = palette && find<HTMLFormElement>("form", palette);
const field = palette && find<HTMLInputElement>("#palette-q", palette);

const options = () => findAll("#palette [role=option]");
const selected = () => find("#palette [aria-selected=true]");

/** Time without a keystroke until the number of results is announced. The response takes some of it. */
const announceDelayMs = 350;
let announcing: number | undefined;
/** Whether the results are of what is typed. */
let isCurrent = false;
/** Enter was pressed before these results arrived. */
let isAwaited: KeyboardEvent | undefined;

/** Paths only, no names. Signing out deletes them, like everything under this prefix. */
const store = `postroom recent ${find("[data-manager]")?.dataset.manager}`;
const maxRemembered = 10;

function recent(): string[] {
  try {
    return (localStorage.getItem(store) ?? "").split(" ").filter(Boolean);
  } catch {
    return [];
  }
}

function remember() {
  const { pathname } = location;
  if (pathname.split("/").length < 4) return; // a list
  try {
    localStorage.setItem(store, [...new Set([pathname, ...recent()])].slice(0, maxRemembered).join(" "));
  } catch {}
}
remember();

function open() {
  if (!palette || !form || !field) return;
  remember(); // htmx may have led elsewhere since
  const here = location.pathname;
  field.value = "";
  const others = recent().filter((path) => path !== here);
  const recentField = find<HTMLInputElement>("[name=recent]", form);
  if (recentField) recentField.value = others.join(" ");
  palette.showModal();
  request("palette");
}

function request(event: "input" | "palette") {
  isCurrent = false;
  isAwaited = undefined;
  (event === "input" ? field : form)?.dispatchEvent(new Event(event, { bubbles: true }));
}

function select(option: HTMLElement | undefined) {
  selected()?.setAttribute("aria-selected", "false");
  option?.setAttribute("aria-selected", "true");
  option?.scrollIntoView({ block: "nearest" });
  field?.setAttribute("aria-activedescendant", option?.id ?? "");
}

function choose(event: KeyboardEvent) {
  const option = selected();
  if (!isCurrent) isAwaited = event;
  else if (option instanceof HTMLAnchorElement && (event.ctrlKey || event.metaKey))
    window.open(option.href, "_blank", "noopener");
  else option?.click();
}

const keys: Record<string, (event: KeyboardEvent) => void> = {
  ArrowDown: () => step(1),
  ArrowUp: () => step(-1),
  Home: () => select(options()[0]),
  End: () => select(options().at(-1)),
  Enter: choose,
};

function step(by: number) {
  const all = options();
  const at = all.findIndex((option) => option === selected());
  select(all.at((at + by) % all.length));
}

field?.addEventListener("keydown", (event) => {
  if (event.isComposing) return;
  const act = event.key === "Escape" && field.value ? clear : keys[event.key];
  if (act) event.preventDefault();
  act?.(event);
});

function clear() {
  if (field) field.value = "";
  request("input");
}

field?.addEventListener("input", () => {
  isCurrent = false;
  isAwaited = undefined;
});

onHtmx("after:swap", ({ sourceElement }) => {
  if (sourceElement !== form || !field) return;
  const list = find("#palette-list");
  const query = list?.dataset.q ?? "";
  field.setAttribute("aria-expanded", String(options().length > 0));
  select(options()[0]);
  isCurrent = query === field.value.trim();
  clearTimeout(announcing);
  announcing = setTimeout(() => palette?.open && announce(list?.dataset.said ?? ""), announceDelayMs);
  if (isCurrent && isAwaited) choose(isAwaited);
});

/** If the request fails, the form leads to the page with the same results. */
const submit = ({ sourceElement }: Context) => sourceElement === form && isAwaited && form?.submit();
onHtmx("response:error", submit);
onHtmx("error", submit);

addEventListener("click", (event) => {
  const link = targetOf(event).closest("[data-palette]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  open();
});

/** In a text this key makes a link. */
const isLinkKey = (target: Element) =>
  target.closest(".cm-content") !== null || (target.id === "content" && find("[role=toolbar]") !== null);

addEventListener("keydown", (event) => {
  const isKey = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
  if (!isKey || isLinkKey(targetOf(event))) return;
  event.preventDefault();
  if (palette?.open) palette.close();
  else if (!find("dialog[open]")) open();
});
