/*
 * Reloads what has data-poll every five seconds while the page is visible and nothing is selected, opened, typed or being
 * asked there. It is no sign of someone being there, so the session ends as if it did not happen.
 */
import { onHtmx, isPoll } from "./app/dom";

{
  const busy =
    "dialog[open], [popover]:popover-open, #list[data-poll] :is(input[name=ids]:checked, tbody details[open], input:focus)";
  const isBusy = () => document.hidden || document.querySelector(busy) !== null;

  setInterval(() => {
    const followed = document.querySelector<HTMLElement>("[data-poll]");
    if (!followed || isBusy()) return;
    const target = `#${followed.id}`;
    void htmx.ajax("GET", followed.dataset.poll ?? "", { source: followed, target, swap: "outerMorph" });
  }, 5_000);

  onHtmx("config:request", (context) => {
    if (isPoll(context)) context.request.headers["X-Purpose"] = "poll";
  });
}
