import { targetOf } from "../app/dom";
import { area } from "./area";

/*
 * What is shown of the editor: the text with one of several panes beside it; on a narrow screen one of them all. What
 * was beside the text last is so again, in this browser.
 */
const write = () => document.querySelector<HTMLElement>(".write");
const isComposer = () => document.querySelector(".composer") !== null;
const key = () => (isComposer() ? "postroom-beside-email" : "postroom-beside");

export function show(view: string): void {
  const section = write();
  if (!section) return;
  section.dataset.shown = view;
  if (view !== "write") section.dataset.beside = view;
  for (const button of document.querySelectorAll<HTMLElement>("button[data-view]")) {
    const current = button.closest("#beside") ? section.dataset.beside : view;
    button.ariaPressed = String(button.dataset.view === current);
  }
}

/** Shows what holds this field. */
const showPlaceOf = (field: Element | null) =>
  show(field?.closest<HTMLElement>("[data-pane]")?.dataset.pane ?? "write");

/** Shows the preview, to be read by keyboard too; from there, returns to the text. */
export function turnPreview(): void {
  const isThere = document.activeElement?.closest("#preview, .stage") != null;
  show(isThere ? "write" : "preview");
  if (isThere) area()?.focus();
  else document.querySelector<HTMLElement>("#preview, .stage input:checked")?.focus();
}

/** Shows what was shown last, unless the server chose what to show because of errors in the form. */
function restore(): void {
  const section = write();
  if (!section || section.dataset.beside) return;
  section.dataset.beside = remembered();
  show("write");
}

function remembered(): string {
  try {
    const view = localStorage.getItem(key());
    if (view) return view;
  } catch {} // without storage, nothing is remembered
  return isComposer() ? "checks" : "preview";
}

addEventListener("click", (event) => {
  const element = targetOf(event);
  const view = element.closest<HTMLElement>("[data-view]")?.dataset.view;
  const width = element.closest<HTMLElement>("[data-width]");
  const section = write();
  if (width && section) {
    section.toggleAttribute("data-wide", width.dataset.width === "desktop");
    for (const button of document.querySelectorAll("[data-width]")) button.ariaPressed = String(button === width);
  }
  if (view) show(view);
  try {
    if (view && view !== "write") localStorage.setItem(key(), view);
  } catch {}
  const field = element.closest<HTMLAnchorElement>(".errors a[href^='#']")?.hash;
  if (field) showPlaceOf(document.querySelector(field));
});
/** The browser finds a mistake, and shows it only where it can be seen. */
addEventListener("invalid", (event) => showPlaceOf(targetOf(event)), true);
addEventListener("htmx:after:swap", restore);
restore();
