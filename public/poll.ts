/*
 * Asks again for what has data-poll when the service says that it has changed, or else every five seconds, while the page
 * is visible and nothing is selected, opened, typed or being asked there. It is no sign of someone being there, so the
 * session ends as if it did not happen.
 */
import { onHtmx, isPoll } from "./app/dom";
import { follow } from "./follow";

{
  const busy =
    "dialog[open], [popover]:popover-open, #list[data-poll] :is(input[name=ids]:checked, tbody details[open], input:focus)";
  const followed = () => document.querySelector<HTMLElement>("[data-poll]");

  function refresh(): boolean {
    const part = followed();
    if (!part || document.querySelector(busy)) return false;
    const target = `#${part.id}`;
    void htmx.ajax("GET", part.dataset.poll ?? "", { source: part, target, swap: "outerMorph" });
    return true;
  }

  follow({ topic: () => followed()?.dataset.topic, refresh, everyMs: 5_000 });

  onHtmx("config:request", (context) => {
    if (isPoll(context)) context.request.headers["X-Purpose"] = "poll";
  });
}
