/*
 * Follows a broadcast that is being sent, every two seconds while the page is visible, and announces every tenth of it.
 * Without a script the page has a link.
 */
const waitMs = 2_000;
const run = () => document.querySelector<HTMLElement>("#run[data-refresh]");
let said = run()?.dataset.said;

setInterval(() => {
  const progress = run();
  if (!progress || document.hidden || document.querySelector("dialog[open]")) return;
  void htmx.ajax("GET", progress.dataset.refresh ?? "", { source: progress, target: "#run", swap: "outerHTML" });
}, waitMs);

addEventListener("htmx:after:swap", () => {
  const words = run()?.dataset.said ?? document.querySelector<HTMLElement>("#broadcast .badge")?.textContent;
  const region = document.querySelector("#run-said");
  if (!words || words === said || !region) return;
  said = words;
  region.textContent = words;
});
