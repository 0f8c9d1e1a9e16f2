import { find, findAll, targetOf } from "./dom";

/** Choosing what opens in another tab, or is downloaded, ends a menu too: the page is the same afterwards. */
addEventListener("click", (event) => {
  const link = targetOf(event).closest("a[target=_blank], a[download], a[href*='/export.']");
  link?.closest<HTMLElement>(".menu:popover-open")?.hidePopover();
});

/**
 * In an open menu, arrow keys, Home and End move the focus among what it offers, from its button, too. The browser opens it;
 * Escape closes it and gives the focus back. Tab goes through it as through any list.
 */
addEventListener("keydown", (event) => {
  const menu = find(".menu:popover-open");
  const target = targetOf(event);
  const isIn = menu?.contains(target) || (menu && target.getAttribute("popovertarget") === menu.id);
  if (!menu || !isIn || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
  if (target.matches("textarea, select, input:not([type=checkbox])")) return; // where these keys have another meaning
  const items = findAll("a[href], :enabled", menu).filter((item) => item.tabIndex >= 0 && item.offsetParent);
  const at = items.findIndex((item) => item === target);
  const to = { ArrowDown: (at + 1) % items.length, ArrowUp: Math.max(at, 0) - 1, Home: 0, End: -1 }[event.key];
  if (to === undefined || !items.length) return;
  event.preventDefault();
  event.stopImmediatePropagation(); // of the toolbar whose button opened it
  items.at(to)?.focus();
});
