/*
 * What a list is asked for, so that no click and no letter is lost on the way (P62). The field a manager types in and the
 * link clicked right after it are both meant, though neither knows of the other: each asks for what it changes, on top
 * of what is on its way already. The newest request takes the place of the one before.
 */
import { type Context, find, findAll, onHtmx } from "./dom";

let pendingRequest: Context | undefined;
/** Something was typed that no request has said yet. */
let hasUnsentInput = false;

const listOf = ({ target }: Context) => (typeof target === "object" && target.id === "list" ? target : undefined);
/** Polls ask for what is shown, whatever is typed meanwhile. */
const isForList = (context: Context) =>
  context.request.method === "GET" && listOf(context) !== undefined && context.sourceElement.id !== "list";

const fields = () => findAll<HTMLInputElement | HTMLSelectElement>(".filters .input");
const queryOf = (url: string) => new URL(url, location.href).searchParams;

addEventListener("input", ({ target }) => {
  if (target instanceof Element && target.closest(".filters")) hasUnsentInput = true;
});

onHtmx("config:request", (context, event) => {
  if (!isForList(context)) return;
  const { request, sourceEvent } = context;
  if (sourceEvent.type === "input" && !hasUnsentInput) return event.preventDefault(); // a click has said it meanwhile
  const asked = new URL(request.action, location.href);
  const said = [...request.body, ...fields().map(({ name, value }) => [name, value] as const)];
  for (const [name, value] of said) asked.searchParams.set(name, String(value));
  asked.search = String(mergedQuery(asked.searchParams));
  request.action = asked.pathname + asked.search;
  request.body = new FormData();
  hasUnsentInput = false;
});

/** What changes beside what is shown, on top of what is on its way. Only a link to a page leads to one but the first. */
function mergedQuery(asked: URLSearchParams): URLSearchParams {
  const shown = queryOf(location.href);
  const next = queryOf(pendingRequest?.request.action ?? location.href);
  const names = new Set([...asked.keys(), ...shown.keys()]);
  const changed = [...names].filter((name) => (asked.get(name) ?? "") !== (shown.get(name) ?? ""));
  for (const name of changed) next.set(name, asked.get(name) ?? "");
  if (changed.length > 0 && !changed.includes("page")) next.delete("page");
  return new URLSearchParams([...next].filter(([, value]) => value !== ""));
}

onHtmx("before:request", (context) => {
  if (!isForList(context)) return;
  pendingRequest?.request.abort();
  pendingRequest = context;
});
onHtmx("finally:request", (context) => {
  if (context === pendingRequest) pendingRequest = undefined;
});

/** Where an action or a poll has exchanged the list meanwhile, the answer goes into the one that is there now. */
onHtmx("after:request", (context) => {
  const list = find("#list");
  if (list && listOf(context)?.isConnected === false) context.target = list;
});

/** What was typed while the list was on its way: the form that would have asked for it has gone with the old list. */
onHtmx("after:swap", () => {
  if (hasUnsentInput) find(".filters .input")?.dispatchEvent(new Event("input", { bubbles: true }));
});
