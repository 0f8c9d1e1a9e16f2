import { find } from "./dom";

/** Announces text to screen readers without showing it. */
export function announce(text: string) {
  const line = document.createElement("p");
  line.className = "sr";
  line.textContent = text;
  (find("dialog[open] [role=status]") ?? find("#toasts"))?.append(line); // content outside a modal dialog is not announced
  setTimeout(() => line.remove(), 4_000);
}
