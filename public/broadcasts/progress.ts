/*
 * Follows a broadcast that is being sent while the page is visible, and announces every tenth of it. Without a script the
 * page has a link.
 */
import { follow } from "../follow";

{
  const run = () => document.querySelector<HTMLElement>("#run[data-refresh]");
  let said = run()?.dataset.said;

  follow({
    part: run,
    topicOf: () => "broadcasts",
    urlOf: ({ dataset }) => dataset.refresh,
    swap: "outerHTML",
    everyMs: 2_000,
    isCounting: ({ dataset }) => dataset.counting !== undefined,
  });

  addEventListener("htmx:after:swap", () => {
    const words = run()?.dataset.said ?? document.querySelector<HTMLElement>("#broadcast .badge")?.textContent;
    const region = document.querySelector("#run-said");
    if (!words || words === said || !region) return;
    said = words;
    region.textContent = words;
  });
}
