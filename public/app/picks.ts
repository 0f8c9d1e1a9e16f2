import { find, findAll, onHtmx, announce } from "./dom";

/* Selecting rows. */

const checkboxes = () => findAll<HTMLInputElement>("#list input[name=ids]");
let lastChecked = "";

function showSelection() {
  const all = checkboxes();
  const count = all.filter(({ checked }) => checked).length;
  const words = find("[data-picked]");
  if (words) words.textContent = `${count} selected`;
  const pickAll = find<HTMLInputElement>("#list [data-pick-all]");
  if (!pickAll) return;
  pickAll.checked = count > 0 && count === all.length;
  pickAll.indeterminate = count > 0 && count < all.length;
}

/** Clears the selection. The bar with its actions goes with it, so the focus leaves it. */
export function deselect() {
  const [first, ...others] = checkboxes().filter(({ checked }) => checked);
  if (!first) return;
  if (document.activeElement?.closest(".bulk")) first.focus();
  for (const pick of [first, ...others, ...findAll<HTMLInputElement>("#list [name=all]")]) pick.checked = false;
  showSelection();
  announce("Selection cleared.");
}

addEventListener("change", ({ target }) => {
  if (!(target instanceof HTMLInputElement)) return;
  if (target.hasAttribute("data-pick-all")) for (const pick of checkboxes()) pick.checked = target.checked;
  if (target.name === "ids" || target.hasAttribute("data-pick-all")) showSelection();
  if (target.name === "ids") lastChecked = target.value;
});

/** When a list is searched or sorted, what remains keeps its selection. */
let selected = new Set<string>();
onHtmx("before:swap", ({ request }) => {
  const isKept = request.method === "GET";
  selected = new Set(isKept ? checkboxes().flatMap(({ checked, value }) => (checked ? value : [])) : []);
});

/** The server does not know how many are selected. */
onHtmx("after:swap", () => {
  for (const pick of checkboxes()) if (selected.has(pick.value)) pick.checked = true;
  if (checkboxes().some(({ checked }) => checked)) showSelection();
});

/** Shift selects everything in between. */
addEventListener("click", (event) => {
  const { target } = event;
  if (!(target instanceof HTMLInputElement) || target.name !== "ids") return;
  const all = checkboxes();
  const here = all.indexOf(target);
  const last = all.findIndex(({ value }) => value === lastChecked); // it may have moved, or gone, with its list
  if (event.shiftKey && last >= 0)
    for (const pick of all.slice(Math.min(last, here), Math.max(last, here) + 1)) pick.checked = target.checked;
});
