import { find } from "./dom";

/**
 * htmx begins in a timeout that a slow machine fires after the page has loaded. Until then links of dialogs would lead to
 * pages, and what is typed or opened would go unheard, so it begins now; what came before is sent.
 */
addEventListener("DOMContentLoaded", () => {
  // The browser sets the focus only when it paints, and does not if something else got it first
  if (document.activeElement === document.body) find("[autofocus]")?.focus();
  htmx.process(document.body);
  const field = find<HTMLInputElement>(".filters .input");
  if (field && field.value !== field.defaultValue) field.dispatchEvent(new Event("input", { bubbles: true }));
  find("#palette[open] form")?.dispatchEvent(new Event("palette"));
});
