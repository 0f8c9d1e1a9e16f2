/*
 * Asks again for what has data-poll when the service says that it has changed, or else every five seconds, while the page
 * is visible and nothing is selected, opened, typed or being asked there. It is no sign of someone being there, so the
 * session ends as if it did not happen.
 */
import { onHtmx, isPoll } from "./app/dom";
import { follow } from "./follow";

follow({
  part: () => document.querySelector<HTMLElement>("[data-poll]"),
  topicOf: ({ dataset }) => dataset.topic,
  urlOf: ({ dataset }) => dataset.poll,
  swap: "outerMorph",
  busy: "#list[data-poll] :is(input[name=ids]:checked, tbody details[open], input:focus, select:focus, textarea:focus)",
  everyMs: 5_000,
});

onHtmx("config:request", (context) => {
  if (isPoll(context)) context.request.headers["X-Purpose"] = "poll";
});
