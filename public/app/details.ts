import { findAll, onHtmx } from "./dom";

/* What is expanded stays expanded when the part of the page around it is replaced. */

/** Details are found again by the nearest element with an ID, and their number in it. */
type Place = { owner: string; number: number };

const ownerOf = (details: Element) => details.closest("[id]");
const detailsOf = (owner: Element) =>
  [owner, ...findAll("details", owner)].filter((each) => each.matches("details") && ownerOf(each) === owner);

let expanded: Place[] = [];
onHtmx("before:swap", () => {
  expanded = findAll("details[open]:not(dialog *)").flatMap((details) => {
    const owner = ownerOf(details);
    return owner ? [{ owner: owner.id, number: detailsOf(owner).indexOf(details) }] : [];
  });
});

onHtmx("after:swap", () => {
  for (const { owner, number } of expanded) {
    const now = document.getElementById(owner);
    if (now) detailsOf(now)[number]?.setAttribute("open", "");
  }
});
