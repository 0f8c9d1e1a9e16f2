/*
 * The first script of a page, before anything is painted. What is pressed, typed, chosen or dropped before the other
 * scripts are there is kept, and done once they are. Without this file, or if another fails to load, the page does what
 * it does without scripts.
 */
import { release } from "./early/held";
import "./early/clicks";
import "./early/drops";
import "./early/fields";
import "./early/keys";
import { showOffer } from "./editor/offer";

/** The note about unsaved text is there from the first paint, which waits for the palette, the last of the page. */
new MutationObserver((_, observer) => {
  if (!document.querySelector("#palette")) return;
  observer.disconnect();
  showOffer();
}).observe(document, { childList: true, subtree: true });

const page = document.documentElement;
page.dataset.early = ""; // controls that cannot be kept are off meanwhile
try {
  page.dataset.beside = localStorage.getItem("postroom-beside") ?? ""; // what the editor shows, from the first paint
} catch {}

// A listener that is added while the event bubbles runs last: when every deferred script has run, and their listeners
document.addEventListener("DOMContentLoaded", () =>
  addEventListener("DOMContentLoaded", () => {
    delete page.dataset.early;
    release();
  }),
);
