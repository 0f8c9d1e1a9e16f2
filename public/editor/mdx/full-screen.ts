import { targetOf } from "../../app/dom";

/* The text alone on the screen. Its button is in the toolbar, and Escape leaves. */

const button = () => document.querySelector<HTMLElement>("#tool-full");

function turn(isFull: boolean): void {
  const control = button();
  document.documentElement.toggleAttribute("data-full", isFull);
  if (control) control.ariaPressed = String(isFull);
}

addEventListener("click", (event) => {
  if (targetOf(event).closest("#tool-full")) turn(button()?.ariaPressed !== "true");
});
/** Whatever is open above the text closes first. */
addEventListener("keydown", ({ key, defaultPrevented }) => {
  if (key === "Escape" && !defaultPrevented && !document.querySelector("dialog[open], :popover-open")) turn(false);
});
