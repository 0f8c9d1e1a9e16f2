import type { Context } from "./dom";

/** Buttons of one form may lead to different addresses; htmx knows only the form's own. Downloads are not its business. */
addEventListener("htmx:config:request", (event) => {
  const { ctx } = (event as CustomEvent<{ ctx: Context & { sourceEvent?: SubmitEvent } }>).detail;
  const button = ctx.sourceEvent?.submitter;
  if (!(button instanceof HTMLButtonElement) || !button.hasAttribute("formaction")) return;
  ctx.request.action = button.getAttribute("formaction") ?? "";
  if (!("plain" in button.dataset) || !button.form) return;
  event.preventDefault();
  const { form } = button;
  const own = form.action;
  form.action = button.formAction;
  form.submit();
  form.action = own;
});

/** A double click is one submission; leaving with unsaved words asks first. */
let dirty: HTMLFormElement | undefined;
addEventListener("input", ({ target }) => {
  const form = (target as HTMLElement).closest<HTMLFormElement>("form[data-guard]");
  if (form) dirty = form;
});
addEventListener("submit", ({ target }) => {
  dirty = undefined;
  if ((target as Element).getAttribute("action") === "/dashboard/sign-out") forgetCopies();
});

/** What the editor keeps in this browser is for nobody who sits here next. Where there is no storage there is none. */
function forgetCopies() {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith("postroom ")) localStorage.removeItem(key);
  } catch {}
}

addEventListener("beforeunload", (event) => {
  if (dirty?.isConnected) event.preventDefault();
});
