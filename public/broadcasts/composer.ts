/*
 * Enhances the composer of broadcasts, beside editor.ts, which saves the draft: the preview follows what was saved,
 * counters follow what is typed, and a few keys.
 */
import { onHtmx, targetOf, whenReady } from "../app/dom";

const form = () => document.querySelector<HTMLFormElement>("#broadcast-form");

/** Loads the frame that is shown again; the others when they are shown. */
function refreshPreview(): void {
  for (const frame of document.querySelectorAll<HTMLIFrameElement>(".stage iframe")) frame.src = frame.src;
}

/** Saved without leaving the page, so recipients, checks and preview are still those from before. */
addEventListener("kept", () => {
  const action = form()?.getAttribute("action");
  const checks = document.querySelector<HTMLElement>("#checks");
  if (!action || !checks) return;
  refreshPreview();
  whenReady(() => void htmx.ajax("GET", `${action}/verdict`, { source: checks, target: "#checks", swap: "none" }));
});
onHtmx("after:request", ({ sourceElement, response }) => {
  if (sourceElement === form() && response?.status === 200) refreshPreview();
});

addEventListener("input", ({ target }) => {
  if (!(target instanceof HTMLTextAreaElement) || !target.matches("[data-one-line]")) return;
  if (/\n/.test(target.value)) target.value = target.value.replace(/\s*\n\s*/g, " ");
  const counter = document.querySelector<HTMLElement>(`#${target.id}-count`);
  if (!counter) return;
  const { length } = [...target.value];
  counter.textContent = `${length} of ${counter.dataset.of}`;
  counter.classList.toggle("warn", length > Number(counter.dataset.of));
});

addEventListener("keydown", (event) => {
  const target = targetOf(event);
  if (event.key !== "Enter" || document.querySelector("dialog[open]")) return;
  if ((event.ctrlKey || event.metaKey) && form()) {
    event.preventDefault();
    document.querySelector<HTMLButtonElement>("#review")?.click();
  } else if (target.matches("[data-one-line]") && !event.isComposing) {
    event.preventDefault(); // it is one line: Enter goes on
    document.querySelector<HTMLElement>(target.id === "subject" ? "#preheader" : "#content")?.focus();
  }
});
