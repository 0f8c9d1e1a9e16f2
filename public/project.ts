/* The card beside the form of a project follows what is typed. Images from elsewhere are not shown, as in the editor. */
import { find, targetOf } from "./app/dom";

addEventListener("input", (event) => {
  const field = targetOf(event);
  if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) return;
  const { name, value } = field;
  const part = field.closest("#project-form") && find(`#project-card [data-of="${CSS.escape(name)}"]`);
  if (part instanceof HTMLImageElement) {
    part.hidden = !value.startsWith("/media/");
    if (!part.hidden) part.src = /[?#]/.test(value) ? value : `${value}?w=1600`;
  } else if (part) part.textContent = value.trim() || (part.dataset.none ?? "");
});
