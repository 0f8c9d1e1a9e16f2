import { destinationOf, find, findAll, onHtmx, announce, targetOf } from "./dom";
import { rememberPlace } from "./rows";

let opener: HTMLElement | undefined;

/** Loads a dialog from the URL of the link that opens it, so that the links of long lists need no second URL. */
const links = 'a[href][hx-target="#dialog"]:not([hx-get])';
addEventListener("htmx:before:process", (event) => {
  const root = targetOf(event);
  for (const link of [...(root.matches(links) ? [root] : []), ...findAll(links, root)])
    link.setAttribute("hx-get", link.getAttribute("href") ?? "");
});

/** Opens a dialog, replacing the one that is open. */
export function open(dialog: HTMLDialogElement) {
  const others = findAll<HTMLDialogElement>("#dialog dialog").filter((other) => other !== dialog);
  for (const other of others) other.remove();
  const { activeElement } = document;
  if (activeElement instanceof HTMLElement && activeElement !== document.body && !dialog.contains(activeElement)) {
    const menu = activeElement.closest("[popover]"); // it is about to close, and can no longer be given the focus
    opener = (menu && find(`[popovertarget="${menu.id}"]`)) ?? activeElement;
  }
  if (dialog.dataset.dismiss === "by-button") dialog.setAttribute("closedby", "none");
  dialog.showModal();
  dialog.tabIndex = -1;
  if (!find("[autofocus]", dialog)) dialog.focus(); // screen readers tell of it, and Enter does nothing yet
  dialog.scrollTop = 0; // also if its only control is at its end
  dialog.addEventListener("cancel", (event) => {
    if (dialog.dataset.dismiss === "by-button") event.preventDefault();
  });
  dialog.addEventListener("close", () => {
    const next = find("[data-after]", dialog)?.dataset.after;
    dialog.remove(); // and with it any secret it showed
    const back = opener?.isConnected ? opener : document.getElementById(opener?.id ?? ""); // the list may have been replaced
    const target = (next && find(next)) || back;
    // What is in sight stays where it is: a bar that sticks to the window's edge would be scrolled to its place in the text
    if (target && (next || document.activeElement === document.body))
      target.focus({ preventScroll: isInSight(target) });
  });
}

function isInSight(element: HTMLElement): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
}

/**
 * A request from the dialog that updates another part of the page means that the dialog is done. Polls do not count.
 */
onHtmx("before:swap", (context) => {
  const { sourceElement } = context;
  const dialog = find<HTMLDialogElement>("#dialog dialog[open]");
  const element = destinationOf(context);
  if (!dialog?.contains(sourceElement) || !element || element.closest("#dialog")) return;
  dialog.close(); // returns the focus to where the dialog was opened
  dialog.remove();
  const { activeElement } = document;
  rememberPlace(activeElement === document.body ? opener : activeElement); // a menu's link cannot be given the focus
});

/** An error in a dialog disappears with the next request, or with the dialog. */
const forgetErrors = (dialog: Element | null) => dialog && findAll(".toast", dialog).forEach((toast) => toast.remove());
onHtmx("before:request", ({ sourceElement }) => forgetErrors(sourceElement.closest("dialog")));
addEventListener("close", ({ target }) => target instanceof HTMLDialogElement && forgetErrors(target), true);

addEventListener("pagehide", () =>
  findAll<HTMLInputElement>("input[data-secret]").forEach((input) => (input.value = "")),
);

addEventListener("click", (event) => {
  const target = targetOf(event);
  const dialog = target.closest("dialog");
  if (target === dialog && dialog.dataset.dismiss !== "by-button") dialog.close();
  const close = target.closest("[data-close]");
  if (close && dialog) {
    const field = close instanceof HTMLAnchorElement && document.getElementById(close.hash.slice(1));
    if (!field || !field.matches("input, textarea")) event.preventDefault(); // a link to a field gives that the focus
    dialog.close();
  }
  target.closest("[data-dismiss-toast]")?.closest(".toast")?.remove();
  const copy = target.closest<HTMLElement>("[data-copy]");
  if (copy) void copyFrom(copy);
});

async function copyFrom(button: HTMLElement) {
  const source = find(button.dataset.copy ?? "");
  const label = find("[data-label]", button);
  if (!source || !label) return;
  label.dataset.label ||= label.textContent;
  const isField = source instanceof HTMLInputElement;
  try {
    await navigator.clipboard.writeText(isField ? source.value : source.innerText.trim());
  } catch {
    if (isField) source.select();
    else getSelection()?.selectAllChildren(source);
    announce("Press Ctrl or Command and C to copy");
    label.textContent = "Press Ctrl+C or ⌘C";
    return;
  }
  label.textContent = "Copied";
  announce("Copied");
  const dialog = button.closest("dialog");
  dialog?.setAttribute("data-dismiss", "freely");
  dialog?.removeAttribute("closedby");
  setTimeout(() => (label.textContent = label.dataset.label ?? ""), 4_000);
}
