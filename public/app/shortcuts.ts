import { type Context, find, findAll, isPoll, onHtmx, whenReady } from "./dom";
import { deselect } from "./picks";
import { leave, linkOf, openRow, rows, walkOn } from "./rows";

/* Single-key shortcuts (WCAG 2.1.4: they can be turned off in Settings). */

let wentAt = -Infinity; // when G was pressed

const moves: Record<string, (row: HTMLElement | undefined, at: number) => void> = {
  j: () => step(1),
  k: () => step(-1),
  x: (row) => row && find<HTMLInputElement>("input[name=ids]", row)?.click(),
  "/": () => find<HTMLInputElement>("#q")?.select(),
  "?": () => whenReady(() => void htmx.ajax("GET", "/dashboard/shortcuts", { target: "#dialog" })),
  g: (_, at) => (wentAt = at),
};

/** Moves to the next row; if one is open beside the list, opens the next one. On the page of a row, goes to the next page. */
function step(by: number) {
  const all = rows();
  if (!all.length) return walkOn(by);
  const open = openRow();
  const here = all.findIndex((row) => row.contains(document.activeElement) || (open && row === open));
  const next = all[Math.max(0, Math.min(all.length - 1, here + by))];
  const target = next && (linkOf(next) ?? find("a, button, input", next)); // Enter opens it
  if (open && next !== open) target?.click();
  else target?.focus();
}

/** Keys pressed while the list was loading: they refer to the rows to come, not to the current ones. */
const queuedKeys: KeyboardEvent[] = [];
const underWay = new Set<Context>();

onHtmx("before:request", (context) => {
  if (!isPoll(context) && context.sourceElement.parentElement?.closest("#list")) underWay.add(context);
});
onHtmx("finally:request", (context) => {
  underWay.delete(context);
  const isThere = context.status === "swapped" && context.response && context.response.status < 400;
  if (!isThere) queuedKeys.length = 0; // the expected rows did not arrive
  for (let key; underWay.size === 0 && (key = queuedKeys.shift());) act(key);
});

addEventListener("keydown", (event) => {
  const target = event.target as HTMLElement;
  if (event.key === "Escape") stepBack(target);
  if (event.ctrlKey || event.metaKey || event.altKey || event.key.length > 1 || event.key === " ") return;
  if (underWay.size > 0 && shortcutsEnabled(target)) {
    event.preventDefault();
    queuedKeys.push(event);
  } else if (act(event)) event.preventDefault();
});

/** Escape leaves one thing at a time. Dialogs and menus, which come first, are closed by the browser. */
function stepBack(from: HTMLElement) {
  if (find("dialog[open], :popover-open")) return;
  if (from.id === "q") leave(from);
  else deselect();
}

const shortcutsEnabled = (at: Element | null) =>
  document.documentElement.dataset.shortcuts !== "off" &&
  !at?.closest("textarea, select, dialog, [contenteditable], input:not([type=checkbox])");

/** Performs the action of a key in the current context; returns false if it has none. */
function act({ key, timeStamp }: KeyboardEvent): boolean {
  if (!shortcutsEnabled(document.activeElement)) return false;
  if (timeStamp - wentAt < 1_000 && key !== "g") {
    wentAt = -Infinity;
    const link = find<HTMLAnchorElement>(`.nav a[data-key="${CSS.escape(key)}"]`);
    if (link) location.assign(link.href);
    if (link) return true;
  }
  const row = rows().find((row) => row.contains(document.activeElement));
  const button = controlWith(key, row);
  const move = button ? () => button.click() : moves[key];
  move?.(row, timeStamp);
  return move !== undefined;
}

/** Returns the control that a key stands for: of the selected rows, else of this row, else of the page. */
function controlWith(key: string, row: HTMLElement | undefined): HTMLElement | undefined {
  const all = findAll(`.main [data-hotkey="${CSS.escape(key)}"]`);
  const ofSelection = find("#list input[name=ids]:checked") && all.find((control) => control.closest(".bulk"));
  const isOfPage = (control: HTMLElement) => !control.closest(".bulk, #list tbody");
  return ofSelection ?? all.find((control) => row?.contains(control)) ?? all.find(isOfPage);
}
