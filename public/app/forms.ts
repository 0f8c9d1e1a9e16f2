import { type Context, onHtmx, targetOf } from "./dom";

/**
 * Buttons of one form may submit to different URLs; htmx knows only the form's own. Downloads are left to the browser.
 */
onHtmx("config:request", (context, event) => {
  const button = context.sourceEvent?.submitter;
  if (!(button instanceof HTMLButtonElement) || !button.hasAttribute("formaction")) return;
  context.request.action = button.getAttribute("formaction") ?? "";
  if (!("plain" in button.dataset) || !button.form) return;
  event.preventDefault();
  const { form } = button;
  const own = form.action;
  form.action = button.formAction;
  form.target = button.formTarget;
  form.submit();
  form.action = own;
  form.target = "";
});

/** Over a slow connection a text is on its way for minutes, so a form waits longer than htmx's minute. */
onHtmx("config:request", ({ request }) => {
  if (request.method !== "GET") request.timeout = 600_000;
});

/** A double click submits once; leaving with unsaved text requires confirmation. */
let dirty: HTMLFormElement | undefined;
let submitted: HTMLFormElement | undefined;
addEventListener("input", (event) => {
  const form = targetOf(event).closest<HTMLFormElement>("form[data-guard]");
  if (form) dirty = form;
});
addEventListener("submit", (event) => {
  if (event.submitter?.hasAttribute("formtarget")) return; // a preview beside the form
  const form = targetOf(event);
  if (form.closest("#palette")) return; // its actions do not save the page
  submitted = dirty;
  dirty = undefined;
  if (form.getAttribute("action") === "/dashboard/sign-out") forgetCopies();
});

/** What was typed in this form has been discarded. */
export function forgetUnsaved(form: HTMLFormElement) {
  if (dirty === form) dirty = undefined;
}

/** Deletes the editor's copies in this browser, which the next user must not see. Without storage there are none. */
function forgetCopies() {
  try {
    indexedDB.deleteDatabase("postroom pictures"); // of public/editor/mdx/uploads.ts
    for (const key of Object.keys(localStorage)) if (key.startsWith("postroom ")) localStorage.removeItem(key);
  } catch {}
}

/** After a failed request, the form still has unsaved text. */
function keepUnsaved({ sourceElement, response }: Context) {
  if (sourceElement === submitted && !response?.headers.has("HX-Redirect")) dirty ??= submitted;
}
onHtmx("response:error", keepUnsaved);
onHtmx("error", keepUnsaved);

addEventListener("beforeunload", (event) => {
  if (dirty?.isConnected && !("autosave" in dirty.dataset)) event.preventDefault(); // public/editor/draft.ts keeps those
});
