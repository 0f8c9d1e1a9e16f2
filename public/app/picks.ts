import { find, findAll, onHtmx } from "./dom";

/* Choosing rows. */

const picks = () => findAll<HTMLInputElement>("#list input[name=ids]");
let lastPick = -1;

function showPicked() {
  const count = picks().filter(({ checked }) => checked).length;
  const words = find("[data-picked]");
  if (words) words.textContent = `${count} selected`;
}

addEventListener("change", ({ target }) => {
  if (!(target instanceof HTMLInputElement)) return;
  if (target.hasAttribute("data-pick-all")) for (const pick of picks()) pick.checked = target.checked;
  if (target.name === "ids" || target.hasAttribute("data-pick-all")) showPicked();
});

/** A list that is searched or sorted keeps what is chosen and unfolded of the rows that are still there (P62). */
let chosen = new Set<string>();
let unfolded: string[] = [];
onHtmx("before:swap", ({ request }) => {
  const isKept = request.method === "GET";
  chosen = new Set(isKept ? picks().flatMap(({ checked, value }) => (checked ? value : [])) : []);
  unfolded = isKept ? findAll("#list tr:has(details[open])").map(({ id }) => id) : [];
});

/** It does not know how many that are. */
onHtmx("after:swap", () => {
  for (const pick of picks()) if (chosen.has(pick.value)) pick.checked = true;
  for (const id of unfolded) find<HTMLDetailsElement>(`#${CSS.escape(id)} details`)?.setAttribute("open", "");
  if (picks().some(({ checked }) => checked)) showPicked();
});

/** Shift chooses everything in between. */
addEventListener("click", (event) => {
  const { target } = event;
  if (!(target instanceof HTMLInputElement) || target.name !== "ids") return;
  const all = picks();
  const here = all.indexOf(target);
  if (event.shiftKey && lastPick >= 0)
    for (const pick of all.slice(Math.min(lastPick, here), Math.max(lastPick, here) + 1)) pick.checked = target.checked;
  lastPick = here;
});
