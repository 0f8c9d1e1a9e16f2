/*
 * What the dashboard does better with JavaScript. Every page works without this file: it opens dialogs, keeps the
 * focus, reads results out, copies, and listens to shortcuts. Served as it is, types removed.
 */
type Context = {
  sourceElement: HTMLElement;
  /** A selector, when the server chose the target. */
  target?: HTMLElement | string;
  request: { action: string; headers: Record<string, string> };
  response?: { status: number; headers: Headers };
  /** How far it has come: "swapped" in the end, unless it failed or led to another page. */
  status?: string;
};
type HtmxEvent = CustomEvent<{ ctx: Context }>;

const find = <T extends Element = HTMLElement>(selector: string, within: ParentNode = document) =>
  within.querySelector<T>(selector);
const findAll = <T extends Element = HTMLElement>(selector: string, within: ParentNode = document) => [
  ...within.querySelectorAll<T>(selector),
];
const onHtmx = (name: string, listener: (context: Context) => void) =>
  addEventListener(`htmx:${name}`, (event) => {
    const { ctx } = (event as HtmxEvent).detail;
    if (ctx) listener(ctx);
  });

// ── The viewer's time zone, so that the server writes times as they are here ────────────────────────────────────

document.cookie = `tz=${Intl.DateTimeFormat().resolvedOptions().timeZone}; path=/dashboard; max-age=31536000; samesite=lax`;

// ── Notices ─────────────────────────────────────────────────────────────────────────────────────────────────────

const toasts = find("#toasts");

/** Good news leaves after six seconds, or ten when it can be undone, but not while somebody is at it. */
function expire(toast: HTMLElement) {
  if (toast.dataset.toast !== "good") return;
  const leave = () => {
    if (toast.matches(":hover, :focus-within")) setTimeout(leave, 2_000);
    else toast.remove();
  };
  setTimeout(leave, find("form", toast) ? 10_000 : 6_000);
}

if (toasts) {
  findAll(".toast", toasts).forEach(expire);
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) for (const node of addedNodes) if (node instanceof HTMLElement) expire(node);
    findAll(".toast", toasts)
      .slice(0, -3)
      .forEach((old) => old.remove());
  }).observe(toasts, { childList: true });
}

/** An error that the server could not put into words itself. */
function complain(text: string) {
  const toast = document.createElement("div");
  toast.className = "toast";
  toast.dataset.toast = "bad";
  toast.role = "alert";
  const words = document.createElement("p");
  words.textContent = text;
  const close = document.createElement("button");
  close.type = "button";
  close.className = "btn sm";
  close.dataset.dismissToast = "";
  close.textContent = "Dismiss";
  toast.append(words, close);
  toasts?.append(toast);
}

/** Read out, not shown. */
function announce(text: string) {
  const line = document.createElement("p");
  line.className = "sr";
  line.textContent = text;
  (find("dialog[open] [role=status]") ?? toasts)?.append(line); // what lies outside a modal dialog is not read out
  setTimeout(() => line.remove(), 4_000);
}

onHtmx("response:error", ({ response }) => {
  if (!response || response.headers.has("HX-Redirect") || [409, 422].includes(response.status)) return;
  const wait = response.headers.get("Retry-After");
  const number = response.headers.get("X-Request-Id");
  if (response.status === 429) complain(`Too many requests. Try again in ${wait} seconds.`);
  else if (response.status === 403) complain("Nothing was changed: this page is too old. Reload it and try again.");
  else complain(`Not saved, nothing was changed. Try again. (${response.status}, ${number})`);
});
addEventListener("htmx:error", () => complain("That did not work. Check your connection and try again."));

// ── Requests and focus ──────────────────────────────────────────────────────────────────────────────────────────

let place: { id: string; row: number } | undefined;
let said = "";

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

const rows = () => findAll("#list tbody tr, #list .rows > *");
const openRow = () => find("#list .rows > [data-open]"); // the one that is shown beside the list

function rememberPlace() {
  const row = document.activeElement?.closest("tbody tr, .rows > *") ?? openRow();
  place = { id: document.activeElement?.id ?? "", row: row ? rows().indexOf(row as HTMLElement) : -1 };
}
onHtmx("before:request", rememberPlace);

/** The first control of the row that is there now, else of the next one that has any, else of one before. */
function controlNear(row: number): HTMLElement | undefined {
  if (row < 0) return undefined;
  const near = [...rows().slice(row), ...rows().slice(0, row).reverse()];
  return near.map((other) => find("a, button, input", other)).find((control) => control !== null);
}

/** Focus never falls to the body: to what asks for it, else where it was, else the same row, else the heading. */
onHtmx("after:swap", () => {
  const dialog = find<HTMLDialogElement>("#dialog dialog");
  if (dialog && !dialog.open) open(dialog);
  const wanted = find("[data-focus]", dialog ?? document);
  if (wanted) {
    wanted.removeAttribute("data-focus");
    wanted.focus();
  } else if (document.activeElement === document.body || !document.activeElement) {
    const same = place?.id ? document.getElementById(place.id) : null;
    const target = same ?? (place && controlNear(place.row)) ?? find("h1");
    target?.setAttribute("tabindex", target.matches("h1") ? "-1" : (target.getAttribute("tabindex") ?? "0"));
    target?.focus();
  }
  const result = find("[data-announce]")?.textContent ?? "";
  if (result !== said && place?.id === "q") announce(result);
  said = result;
});

// ── Dialogs ─────────────────────────────────────────────────────────────────────────────────────────────────────

let opener: HTMLElement | undefined;

function open(dialog: HTMLDialogElement) {
  const others = findAll<HTMLDialogElement>("#dialog dialog").filter((other) => other !== dialog);
  for (const other of others) other.remove();
  const { activeElement } = document;
  if (activeElement instanceof HTMLElement && activeElement !== document.body && !dialog.contains(activeElement)) {
    const menu = activeElement.closest("[popover]"); // it closes now, and nothing in it can have the focus again
    opener = (menu && find(`[popovertarget="${menu.id}"]`)) ?? activeElement;
  }
  if (dialog.dataset.dismiss === "by-button") dialog.setAttribute("closedby", "none");
  dialog.showModal();
  dialog.addEventListener("cancel", (event) => {
    if (dialog.dataset.dismiss === "by-button") event.preventDefault();
  });
  dialog.addEventListener("close", () => {
    const next = find("[data-after]", dialog)?.dataset.after;
    dialog.remove(); // and with it whatever secret it showed
    const target = (next && find(next)) || opener;
    if (target?.isConnected && (next || document.activeElement === document.body)) target.focus();
  });
}

/** What the dialog asked for and another part of the page gets means that it has done its work. Polls go on beside it. */
onHtmx("before:swap", ({ sourceElement, target }) => {
  const dialog = find<HTMLDialogElement>("#dialog dialog[open]");
  const element = typeof target === "string" ? find(target) : target;
  if (!dialog?.contains(sourceElement) || !element || element.closest("#dialog")) return;
  dialog.close(); // gives the focus back to where the dialog was opened
  dialog.remove();
  rememberPlace();
});

addEventListener("pagehide", () =>
  findAll<HTMLInputElement>("input[data-secret]").forEach((input) => (input.value = "")),
);

addEventListener("click", (event) => {
  const target = event.target as HTMLElement;
  const dialog = target.closest("dialog");
  if (target === dialog && dialog.dataset.dismiss !== "by-button") dialog.close();
  if (target.closest("[data-close]") && dialog) {
    event.preventDefault();
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
  const isField = source instanceof HTMLInputElement;
  try {
    await navigator.clipboard.writeText(isField ? source.value : (source.textContent ?? "").trim());
  } catch {
    if (isField) source.select();
    else getSelection()?.selectAllChildren(source);
    announce("Press Ctrl or Command and C to copy");
    label.textContent = "Press Ctrl or ⌘ C";
    return;
  }
  const before = label.textContent;
  label.textContent = "Copied";
  announce("Copied");
  const dialog = button.closest("dialog");
  dialog?.setAttribute("data-dismiss", "freely");
  dialog?.removeAttribute("closedby");
  setTimeout(() => (label.textContent = before), 4_000);
}

// ── Choosing rows ───────────────────────────────────────────────────────────────────────────────────────────────

const picks = () => findAll<HTMLInputElement>("#list input[name=ids]");
let lastPick = -1;

function showPicked() {
  const count = picks().filter(({ checked }) => checked).length;
  const words = find("[data-picked]");
  if (words) words.textContent = `${count} selected`;
}

addEventListener("change", ({ target }) => {
  if (!(target instanceof HTMLInputElement)) return;
  if (target.hasAttribute("data-pick-all")) for (const pick of picks()) pick.checked = target.checked;
  if (target.name === "ids" || target.hasAttribute("data-pick-all")) showPicked();
});

/** Shift chooses everything in between. */
addEventListener("click", (event) => {
  const { target } = event;
  if (!(target instanceof HTMLInputElement) || target.name !== "ids") return;
  const all = picks();
  const here = all.indexOf(target);
  if (event.shiftKey && lastPick >= 0)
    for (const pick of all.slice(Math.min(lastPick, here), Math.max(lastPick, here) + 1)) pick.checked = target.checked;
  lastPick = here;
});

// ── Forms ───────────────────────────────────────────────────────────────────────────────────────────────────────

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

// ── Shortcuts (WCAG 2.1.4: Settings can switch them off) ────────────────────────────────────────────────────────

let wentAt = 0;

const moves: Record<string, (row: HTMLElement | undefined) => void> = {
  j: () => step(1),
  k: () => step(-1),
  x: (row) => row && find<HTMLInputElement>("input[name=ids]", row)?.click(),
  "/": () => find<HTMLInputElement>("#q")?.select(),
  "?": () => {
    const help = find<HTMLDialogElement>("#shortcuts");
    if (help && !help.open) help.showModal();
  },
  g: () => (wentAt = Date.now()),
};

/** To the next row; where one is open beside the list, the next one opens. */
function step(by: number) {
  const all = rows();
  const open = openRow();
  const here = all.findIndex((row) => row.contains(document.activeElement) || (open && row === open));
  const next = all[Math.max(0, Math.min(all.length - 1, here + by))];
  const target = next && find("a, button, input", next);
  if (open && next !== open) target?.click();
  else target?.focus();
}

/** Keys that came while the list was on its way: they mean the rows that will be there, not those that go. */
const early: string[] = [];
const underWay = new Set<Context>();

onHtmx("before:request", (context) => {
  const { id, parentElement } = context.sourceElement;
  if (id !== "list" && parentElement?.closest("#list")) underWay.add(context); // the list's own requests are polls
});
onHtmx("finally:request", (context) => {
  underWay.delete(context);
  const isThere = context.status === "swapped" && context.response && context.response.status < 400;
  if (!isThere) early.length = 0; // what was meant did not come
  while (underWay.size === 0 && early.length > 0) act(early.shift() ?? "");
});

addEventListener("keydown", (event) => {
  const target = event.target as HTMLElement;
  if (event.key === "Escape" && target.id === "q") target.blur();
  if (event.ctrlKey || event.metaKey || event.altKey || event.key.length > 1 || event.key === " ") return;
  if (underWay.size > 0 && hearsShortcuts(target)) {
    event.preventDefault();
    early.push(event.key);
  } else if (act(event.key)) event.preventDefault();
});

const hearsShortcuts = (at: Element | null) =>
  document.documentElement.dataset.shortcuts !== "off" &&
  !at?.closest("textarea, select, dialog, [contenteditable], input:not([type=checkbox])");

/** Does what a key stands for here and now; false when it stands for nothing. */
function act(key: string): boolean {
  if (!hearsShortcuts(document.activeElement)) return false;
  if (Date.now() - wentAt < 1_000 && key !== "g") {
    wentAt = 0;
    const link = find<HTMLAnchorElement>(`.nav a[data-key="${CSS.escape(key)}"]`);
    if (link) location.assign(link.href);
    if (link) return true;
  }
  const button = find(`#list [data-hotkey="${CSS.escape(key)}"]`);
  const move = button ? () => button.click() : moves[key];
  move?.(rows().find((row) => row.contains(document.activeElement)));
  return move !== undefined;
}
