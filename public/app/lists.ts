/*
 * Builds the requests for a list so that no click and no keystroke is lost. A search being typed and a link clicked
 * right after it both take effect, although neither knows of the other: each request adds its change to the pending
 * request. The newest request replaces the previous one.
 */
import { type Context, find, findAll, isPoll, keep, onHtmx } from "./dom";

let pendingRequest: Context | undefined;
/** Whether text was entered that no request has sent yet. */
let hasUnsentInput = false;

const listOf = ({ target }: Context) => (typeof target === "object" && target.id === "list" ? target : undefined);
/** Polls request what is shown, whatever is being typed. */
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
  if (sourceEvent.type === "input" && !hasUnsentInput) return event.preventDefault(); // a click has sent it in the meantime
  const asked = new URL(request.action, location.href);
  const said = [...request.body, ...fields().map(({ name, value }) => [name, value] as const)];
  for (const [name, value] of said) asked.searchParams.set(name, String(value));
  asked.search = String(mergedQuery(asked.searchParams));
  request.action = asked.pathname + asked.search;
  request.body = new FormData();
  hasUnsentInput = false;
});

/**
 * Returns the changes relative to the current page, on top of the pending request. Only a pagination link leads to a
 * page other than the first.
 */
function mergedQuery(asked: URLSearchParams): URLSearchParams {
  const current = queryOf(location.href);
  const next = queryOf(pendingRequest?.request.action ?? location.href);
  const names = new Set([...asked.keys(), ...current.keys()]);
  const changed = [...names].filter((name) => (asked.get(name) ?? "") !== (current.get(name) ?? ""));
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

/** The request the list waits for. While there is one, the list is marked as busy, unless it is only a poll. */
const awaited = new Set<Context>();
const markBusy = () => awaited.size > 0 && find("#list")?.setAttribute("aria-busy", "true");

onHtmx("before:request", (context) => {
  if (!listOf(context) || isPoll(context)) return;
  awaited.add(context);
  markBusy();
});
onHtmx("finally:request", (context) => {
  awaited.delete(context);
  if (awaited.size === 0) find("#list")?.removeAttribute("aria-busy");
});
onHtmx("after:swap", markBusy);

/** The menu of columns closes, which gives the focus back to its button: the list it is in is replaced. */
onHtmx("before:request", ({ sourceElement }) => sourceElement.closest<HTMLElement>("#menu-columns")?.hidePopover());

/** If an action or a poll has replaced the list in the meantime, the response goes into the current one. */
onHtmx("after:request", (context) => {
  const list = find("#list");
  if (list && listOf(context)?.isConnected === false) context.target = list;
});

/** Sends text entered while the list was loading: the form that would have sent it was replaced with the old list. */
onHtmx("after:swap", () => {
  if (hasUnsentInput) find(".filters .input")?.dispatchEvent(new Event("input", { bubbles: true }));
});

const navs = find(".navs");

/**
 * On a low screen the navigation scrolls: the current page is in sight, and so are the rarer pages when they are
 * unfolded. Not by `scrollIntoView`, after which the first Tab in Chromium goes to what follows it, past the link that
 * skips the navigation.
 */
function bringIntoSight(part: Element | null | undefined) {
  if (!navs || !part) return;
  const [view, { top, bottom }] = [navs.getBoundingClientRect(), part.getBoundingClientRect()];
  navs.scrollTop += Math.max(0, Math.ceil(Math.min(bottom - view.bottom, top - view.top))); // whole pixels in Firefox
}
const page = find(".navs [aria-current]");
bringIntoSight(page?.closest("details"));
bringIntoSight(page);
for (const details of findAll(".navs details")) {
  const isOpen = () => details.matches("[open]");
  details.addEventListener("toggle", () => bringIntoSight(isOpen() ? details : undefined));
  // What a person does, not what the page begins with: on a page of its own it is open
  find("summary", details)?.addEventListener("click", () => keep("rarer-pages", isOpen() ? "folded" : "unfolded"));
}

/** On a phone, filters and the pages of Settings and Storage scroll sideways: the current one is in sight. */
function showCurrent() {
  for (const current of findAll(":is(.segments, .settings-nav, .tabs-nav) [aria-current]")) {
    const row = current.parentElement;
    if (row) row.scrollLeft += current.getBoundingClientRect().left - row.getBoundingClientRect().left - 48;
  }
}
showCurrent();
onHtmx("after:swap", showCurrent);
