import { announce } from "./announce";

/** Puts a button above each example that copies what is shown of it. */
export function addCopyButtons(): void {
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
