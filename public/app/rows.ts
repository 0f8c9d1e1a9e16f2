import { find, findAll, onHtmx } from "./dom";

/** Returns the rows of the list, whatever elements they are. */
export const rows = () => findAll("#list tbody tr, #list .rows > *");
/** Returns the link to a row's own page. */
export const linkOf = (row: HTMLElement) => find<HTMLAnchorElement>('a[href]:not([hx-target="#dialog"])', row);
/** Returns the row shown beside the list. */
export const openRow = () => find("#list .rows > [data-open]");

/** Where the focus was before a request. */
export let place: { id: string; row: number } | undefined;

export function rememberPlace() {
  const row = document.activeElement?.closest("tbody tr, .rows > *") ?? openRow();
  place = { id: document.activeElement?.id ?? "", row: rows().findIndex((other) => other === row) };
}
onHtmx("before:request", rememberPlace);

/**
 * Returns the first control of the row now in this place, else of the next row that has one, else of a previous one.
 */
export function controlNear(row: number): HTMLElement | undefined {
  if (row < 0) return undefined;
  const near = [...rows().slice(row), ...rows().slice(0, row).reverse()];
  return near.map((other) => find("a, button, input", other)).find((control) => control !== null);
}
