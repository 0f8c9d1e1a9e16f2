import { find, whenReady } from "./dom";

/**
 * htmx begins in a timeout that a slow machine fires after the page has loaded. It begins now instead, before what was
 * kept until then is done (public/early.ts). A search that the browser restored with the page is sent too.
 */
whenReady(() => {
  // The browser sets the focus only when it paints, and does not if something else got it first
  if (document.activeElement === document.body) find("[autofocus]")?.focus();
  htmx.process(document.body);
  const field = find<HTMLInputElement>(".filters .input");
  if (field && field.value !== field.defaultValue) field.dispatchEvent(new Event("input", { bubbles: true }));
});
