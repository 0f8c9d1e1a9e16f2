import { open } from "./dialogs";
import { find, findAll, onHtmx, announce } from "./dom";
import { controlNear, place } from "./rows";

let said = "";

/**
 * Not on a page that responds to an action either: its notice is announced, and the heading says where the user is, unless
 * the notice says what of the page is about it.
 */
const toast = find("#toasts .toast");
if (toast && !find("[autofocus]") && document.activeElement === document.body) focusHeading(toast.dataset.saidBy);

/** In an editor the title stands in its field, and its heading is out of sight: the state beside it has the focus. */
function focusHeading(instead = "") {
  for (const heading of [document.getElementById(instead), find("h1:not(.sr)"), find(".post-line"), find("h1")]) {
    heading?.setAttribute("tabindex", "-1");
    heading?.focus({ preventScroll: true });
    if (heading && document.activeElement === heading) return; // otherwise there is no room for it
  }
}

/* What this page was to focus when it opened is no wish of an answer that comes later. */
for (const spent of findAll("[data-focus]")) spent.removeAttribute("data-focus");

/** Where the caret was. Chromium forgets it when htmx moves the field into the new list, and drops what is typed next. */
let caret: { field: HTMLInputElement; start: number; end: number } | undefined;
onHtmx("before:swap", () => {
  const { activeElement: field } = document;
  caret = undefined;
  if (!(field instanceof HTMLInputElement)) return;
  const { selectionStart: start, selectionEnd: end } = field;
  if (start !== null && end !== null) caret = { field, start, end };
});
onHtmx("after:swap", () => {
  if (caret && caret.field === document.activeElement) caret.field.setSelectionRange(caret.start, caret.end);
});

/**
 * The focus never falls back to the body: it goes to an autofocus element, else to where it was, else to the entry of a
 * conversation or the row around it, else to the heading. People may leave a field for the page.
 */
onHtmx("after:swap", () => {
  const dialog = find<HTMLDialogElement>("#dialog dialog");
  if (dialog && !dialog.open) open(dialog);
  const wanted = find("[data-focus]", dialog ?? document);
  if (wanted) {
    wanted.removeAttribute("data-focus");
    wanted.focus({ preventScroll: wanted.closest("footer, .thread") !== null }); // in sight, or shown by contact.ts
  } else if ((document.activeElement === document.body || !document.activeElement) && !place?.isLeft) {
    const same = place?.id ? document.getElementById(place.id) : null;
    const entry = place?.entry?.isConnected ? place.entry : undefined;
    const target = same ?? entry ?? (place && controlNear(place.row));
    if (target) target.setAttribute("tabindex", target.getAttribute("tabindex") ?? (target === entry ? "-1" : "0"));
    if (target) target.focus();
    else focusHeading();
  }
  const counted = find<HTMLElement>("[data-announce]");
  const result = counted?.innerText.replace(/\s+/g, " ") ?? "";
  const isAsked = place?.id === "q" || counted?.matches("figcaption"); // a search, or another period of a chart
  if (result !== said && isAsked) announce(result);
  said = result;
});

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
