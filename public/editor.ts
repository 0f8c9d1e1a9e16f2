/*
 * Enhances the post editor with JavaScript: a toolbar, autosaved drafts, a slug that follows the title, images. The
 * preview needs nothing from here, because htmx fetches it. The modules are in public/editor/.
 */
import { onHtmx, targetOf } from "./app/dom";
import { area, goTo, use } from "./editor/area";
import { addressOf, form } from "./editor/copy";
import { beginSaving, draftOnItsWay, move, offer, problem, say, settle, touch } from "./editor/draft";
import { follow } from "./editor/fields";
import "./editor/pictures";
import { show, turnPreview } from "./editor/views";

// ── Writing ─────────────────────────────────────────────────────────────────────────────────────────────────────

const keys: Record<string, string> = { b: "bold", i: "italic", k: "link", "]": "indent", "[": "outdent" };
const buttons: Record<string, string> = { s: "#save", shiftenter: "#publish" };

addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || document.querySelector("dialog[open]")) return;
  const tool = event.target === area() ? keys[event.key.toLowerCase()] : undefined;
  const key = `${event.shiftKey ? "shift" : ""}${event.key.toLowerCase()}`;
  const button = form() && buttons[key];
  const isPreview = key === "shiftp";
  if (!tool && !button && !isPreview) return;
  event.preventDefault();
  if (isPreview) turnPreview();
  else if (tool) use(tool);
  else document.querySelector<HTMLButtonElement>(button ?? "")?.click();
});

const titles = ".words > .field > textarea:not([data-mdx])";

/** Enter in the title, which may wrap, goes on with the text. */
addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.isComposing || !targetOf(event).matches(titles) || !area()) return;
  event.preventDefault();
  area()?.focus();
});

addEventListener("click", (event) => {
  const element = targetOf(event);
  const tool = element.closest<HTMLElement>("[data-tool]");
  if (tool) use(tool.dataset.tool ?? "");
  const place = element.closest<HTMLElement>("[data-caret]");
  if (place) {
    place.closest<HTMLElement>("[popover]")?.hidePopover();
    show("write");
    goTo(Number(place.dataset.caret));
  }
});

/** The toolbar is a single tab stop; arrow keys move within it (ARIA toolbar pattern). */
addEventListener("keydown", (event) => {
  const here = targetOf(event).closest<HTMLElement>("[role=toolbar] button");
  if (!here) return;
  const all = [...document.querySelectorAll<HTMLElement>("[role=toolbar] button")];
  const at = all.indexOf(here);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1 + all.length, Home: 0, End: all.length - 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  const next = all[to % all.length];
  for (const button of all) button.tabIndex = button === next ? 0 : -1;
  next?.focus();
});

// ── Keeping ─────────────────────────────────────────────────────────────────────────────────────────────────────

addEventListener("input", ({ target }) => {
  if (!(target instanceof HTMLElement) || !("form" in target) || target.form !== form()) return;
  follow(target);
  touch();
});

/** Waits for a draft that is being sent: it may create the post, and must not be stored after the save. */
addEventListener(
  "submit",
  (event) => {
    const { target, submitter } = event;
    const post = form();
    const draft = draftOnItsWay();
    if (!draft || target !== post) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    say("Saving…");
    void draft.then(() => post?.requestSubmit(submitter));
  },
  true,
);

/** A new post may have been given a URL since htmx read the form. */
onHtmx("config:request", ({ sourceElement, sourceEvent, request }) => {
  const post = form();
  if (!post || sourceElement !== post || sourceEvent?.submitter?.hasAttribute("formaction")) return;
  request.action = addressOf(post);
  beginSaving();
});
onHtmx("after:request", ({ sourceElement, response }) => {
  const post = form();
  if (!post || addressOf(sourceElement) !== addressOf(post) || response?.status !== 200) return;
  const to = response.headers.get("hx-replace-url");
  if (to) move(post, addressOf(post), to);
  settle();
});

// ── The preview: after a failed request, the previous one stays ───────────────────────────────────────

onHtmx("before:response", ({ sourceElement, response }, event) => {
  if (sourceElement.id !== "preview" || !response || response.status === 200) return;
  event.preventDefault();
  say(problem(response.status));
});
addEventListener(
  "htmx:error",
  (event) => {
    if (targetOf(event).id === "preview") event.stopImmediatePropagation(); // saving will report it
  },
  true,
);
offer();
