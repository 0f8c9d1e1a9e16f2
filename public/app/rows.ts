import { find, findAll, onHtmx } from "./dom";

/** Returns the rows of the list, whatever elements they are. */
export const rows = () => findAll("#list tbody tr, #list .rows > *");
/** Returns the link to a row's own page. */
export const linkOf = (row: HTMLElement) => find<HTMLAnchorElement>('a[href]:not([hx-target="#dialog"])', row);
/** Returns the row shown beside the list. */
export const openRow = () => find("#list .rows > [data-open]");

/** Where the focus was before a request. `isLeft`: people have left it since, so it is not put back. */
export let place: { id: string; row: number; entry?: HTMLElement | null | undefined; isLeft?: boolean } | undefined;

export function rememberPlace(at = document.activeElement) {
  const row = at?.closest("tbody tr, .rows > *") ?? openRow();
  const entry = at?.closest<HTMLElement>(".entry");
  place = { id: at?.id ?? "", row: rows().findIndex((other) => other === row), entry };
}
onHtmx("before:request", () => rememberPlace());

/** Leaves a field for the page. */
export function leave(field: HTMLElement) {
  field.blur();
  if (place?.id === field.id) place.isLeft = true;
}

/**
 * Returns the first control of the row now in this place, else of the next row that has one, else of a previous one.
 */
export function controlNear(row: number): HTMLElement | undefined {
  if (row < 0) return undefined;
  const near = [...rows().slice(row), ...rows().slice(0, row).reverse()];
  return near.map((other) => find("a, button, input", other)).find((control) => control !== null);
}

/* From the page of a row to those of its neighbours, in the order of the list that was seen last, and back to that list
 * as it was, with its search. Nothing is kept but its name, where it is and where its rows lead, and that only in this
 * tab until one signs out, which deletes what has this prefix. */

const key = "postroom list";

/** Storage may be switched off, which throws. */
function kept(): string[] {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "[]");
  } catch {
    return [];
  }
}

const [name = "", list = "", ...paths] = kept();
const here = paths.indexOf(location.pathname);
const walk = find(".crumb .walk");

const back = find<HTMLAnchorElement>(".crumb > a");
if (here >= 0 && back) {
  const isOther = list.replace(/\?.*/, "") !== back.pathname; // people are in the list of a broadcast's recipients, too
  const words = find("span", back);
  if (isOther && words) words.textContent = name;
  back.href = list;
}

if (walk && here >= 0 && paths.length > 1 && !find("#list .rows")) {
  walk.hidden = false;
  for (const [rel, to] of [
    ["prev", paths[here - 1]],
    ["next", paths[here + 1]],
  ] as const) {
    const link = find<HTMLAnchorElement>(`[rel=${rel}]`, walk);
    if (to) link?.setAttribute("href", to);
    else if (link) Object.assign(link, { role: "link", ariaDisabled: "true" }); // without an address it is none otherwise
  }
}

/** Goes to the next page of the walk, if this page is in one. */
export const walkOn = (by: number) => find(`.walk:not([hidden]) [rel=${by < 0 ? "prev" : "next"}]`)?.click();

addEventListener("pagehide", () => {
  if (here >= 0) return; // what this page lists itself does not end the walk
  const all = rows().flatMap((row) => linkOf(row)?.pathname ?? []);
  try {
    const name = find("h1")?.textContent ?? "";
    if (all.length) sessionStorage.setItem(key, JSON.stringify([name, location.pathname + location.search, ...all]));
  } catch {} // full, or switched off
});
