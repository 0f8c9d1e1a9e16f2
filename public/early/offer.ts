import { showOffer } from "../editor/offer";

/** The note about unsaved text is there from the first paint, which waits for the palette, the last of the page. */
new MutationObserver((_, observer) => {
  if (!document.querySelector("#palette")) return;
  observer.disconnect();
  showOffer();
}).observe(document, { childList: true, subtree: true });
