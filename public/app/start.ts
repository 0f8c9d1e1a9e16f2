import { find, whenReady } from "./dom";

/**
 * htmx begins in a timeout that a slow machine fires after the page has loaded. It begins now instead, before what was
 * kept until then is done (public/early.ts). A search that the browser restored with the page is sent too.
 */
whenReady(() => {
  // The browser sets the focus only when it paints, and does not if something else got it first
  if (document.activeElement === document.body) find("[autofocus]")?.focus();
  htmx.initialize();
  const field = find<HTMLInputElement>(".filters .input");
  if (field && field.value !== field.defaultValue) field.dispatchEvent(new Event("input", { bubbles: true }));
});

/**
 * Earlier addresses named parts of one long page of Settings: "/dashboard/settings#mail". The part is on another page
 * now, whose link contains its name. Without a script, the link is marked instead.
 */
const link = location.hash
  ? find(`.settings-nav a:has(> span[id="${CSS.escape(location.hash.slice(1))}"])`)
  : undefined;
if (link instanceof HTMLAnchorElement) location.replace(link.href + location.hash);

/** "#at=120" is a place in the text of this page, to which the editor goes as it does for the place's own button. */
const at = /^#at=(\d+)$/.exec(location.hash)?.[1];
if (at)
  addEventListener("load", () => {
    const place = document.createElement("button");
    place.dataset.caret = at;
    document.body.append(place);
    place.click();
    place.remove();
  });
