/* What the documentation gains by a script. Without it, everything can be read, chosen and searched all the same. */
import { announce } from "./docs/announce";
import { rememberLanguage } from "./docs/languages";
import { searchWhileTyping } from "./docs/search";

followMovedAnchor();
rememberLanguage();
addCopyButtons();
searchWhileTyping();

/** Puts a button above each example that copies what is shown of it. */
function addCopyButtons(): void {
  for (const block of document.querySelectorAll(".block")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      const code = [...block.querySelectorAll("pre")].find((pre) => pre.checkVisibility());
      await navigator.clipboard.writeText(code?.textContent ?? "");
      announce("Copied");
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), 2_000);
    });
    block.append(button);
  }
}

/**
 * The documentation was a single page once. A link to one of its anchors leads to the start page, whose line of that
 * name links to where it is now.
 */
function followMovedAnchor(): void {
  const follow = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    const link = document.getElementById(id)?.closest("[data-moved] :is(li, h3)")?.querySelector("a");
    if (link) location.replace(link.href);
  };
  addEventListener("hashchange", follow);
  follow();
}
