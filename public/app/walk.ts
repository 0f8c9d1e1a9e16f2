import { find } from "./dom";
import { linkOf, rows } from "./rows";

/* From the page of a row to those of its neighbours, in the order of the list that was seen last. Nothing is kept but
 * where its rows lead, and that only in this tab. */

const key = "walk";

/** Storage may be switched off, which throws. */
function kept(): string[] {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "[]");
  } catch {
    return [];
  }
}

const paths = kept();
const here = paths.indexOf(location.pathname);
const walk = find(".crumb .walk");

if (walk && here >= 0 && !find("#list .rows")) {
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
    if (all.length > 1) sessionStorage.setItem(key, JSON.stringify(all));
  } catch {} // full, or switched off
});
