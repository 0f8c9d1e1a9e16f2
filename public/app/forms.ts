import { type Context, destinationOf, find, findAll, onHtmx, targetOf, whenReady } from "./dom";
import { showNotice } from "./notices";

export type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** What people fill in: everything with a name that is not hidden. */
export const controlsOf = (form: HTMLFormElement) =>
  findAll<Control>("input:not([type=hidden]), select, textarea", form).filter(({ name }) => name !== "");

const isPicked = (control: Control): control is HTMLInputElement =>
  control instanceof HTMLInputElement && (control.type === "checkbox" || control.type === "radio");

/** Whether it is not as it came. */
export function isChanged(control: Control): boolean {
  if (control instanceof HTMLSelectElement) {
    const options = [...control.options];
    const initial = options.findLastIndex(({ defaultSelected }) => defaultSelected);
    return control.selectedIndex !== Math.max(0, initial);
  }
  return isPicked(control) ? control.checked !== control.defaultChecked : control.value !== control.defaultValue;
}

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

const signOutPath = "/dashboard/sign-out";
/** The form's own URL: `form.action` would be a field of that name. */
const actionOf = (form: Element) => form.getAttribute("action") ?? "";

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
  if (actionOf(form) !== signOutPath) return;
  forgetCopies();
  addEventListener("pagehide", forgetCopies); // and what is kept as the page is left (public/app/rows.ts)
});

/** Entering a day or a time chooses it: otherwise “Now” would be sent, with the time beside it. */
addEventListener("input", (event) => {
  const id = targetOf(event).getAttribute("data-chooses");
  if (id && !isRefilling) find<HTMLInputElement>(`#${id}`)?.click();
});

/** What was typed in this form has been discarded. */
export function forgetUnsaved(form: HTMLFormElement) {
  if (dirty === form) dirty = undefined;
}

/** Deletes the editor's copies in this browser, which the next user must not see. Without storage there are none. */
function forgetCopies() {
  try {
    indexedDB.deleteDatabase("postroom pictures"); // of public/editor/mdx/uploads.ts
    for (const storage of [localStorage, sessionStorage])
      for (const key of Object.keys(storage)) if (key.startsWith("postroom ")) storage.removeItem(key);
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

/*
 * Where the session has ended, or the password has to be confirmed, what was typed is there again afterwards: in this
 * tab, once, for the same person, on the same page or in the same dialog. Passwords and other secrets are not kept. Texts
 * with an editor and replies have copies of their own. What a form was based on comes with it, so that saving says
 * where someone else saved first.
 */

/** What was filled in: values, and whether boxes are ticked. By name, and boxes by their value too. */
type Filled = {
  action: string;
  isInDialog: boolean;
  entries: [key: string, value: string | boolean][];
  /** Where the form is drawn anew if fields follow from others, as in conditions. */
  redraw: string;
};
type Kept = { manager: string; path: string; dialog: string; forms: Filled[] };

const keptKey = "postroom typed";
const keptForms = "form[method=post]:not(:has([data-mdx], [data-draft]))";
const isSecret = (control: Control) => control.matches("[type=password], [type=file], [data-secret], [readonly]");
const keyOf = (control: Control) => (isPicked(control) ? `${control.name} ${control.value}` : control.name);
/** What was filled in, and what that was based on. */
const fieldsOf = (form: HTMLFormElement) => [
  ...findAll<Control>("input[type=hidden]:not([name^=_])", form).filter(({ name }) => name !== ""),
  ...controlsOf(form),
];
const isInDialog = (form: HTMLFormElement) => form.closest("#dialog") !== null;
const managerHere = () => find("[data-manager]")?.dataset.manager ?? "";

/** Where the dialog came from that is open: it can be opened again, unless it came with what was sent for it. */
let dialogPath = "";
/** Where a dialog would have come from, had one been signed in. It opens afterwards. */
let refusedDialog = "";
const isForDialog = (context: Context) => destinationOf(context)?.closest("#dialog");
onHtmx("before:swap", (context) => {
  if (!isForDialog(context)) return;
  const { sourceElement, request } = context;
  if (request.method === "GET") dialogPath = request.action;
  else if (!sourceElement.closest("#dialog")) dialogPath = "";
});

let refused: HTMLFormElement | undefined;

/** Returns whether there was something to keep. Who signs out leaves nothing for the next one. */
function keepTyped(): boolean {
  if (refused && actionOf(refused) === signOutPath) return false;
  const forms = findAll<HTMLFormElement>(keptForms)
    .filter((form) => form === refused || controlsOf(form).some(isChanged))
    .map((form) => ({
      action: actionOf(form),
      isInDialog: isInDialog(form),
      redraw: find("[hx-post][hx-trigger=change]", form)?.getAttribute("hx-post") ?? "",
      entries: fieldsOf(form)
        .filter((control) => !isSecret(control))
        .map((control): Filled["entries"][number] => [
          keyOf(control),
          isPicked(control) ? control.checked : control.value,
        ]),
    }))
    .filter(({ entries }) => entries.length > 0);
  const dialog = refusedDialog || (find("#dialog dialog[open]") ? dialogPath : "");
  if (forms.length === 0 && !refusedDialog) return false;
  const kept: Kept = { manager: managerHere(), path: location.pathname + location.search, dialog, forms };
  try {
    sessionStorage.setItem(keptKey, JSON.stringify(kept));
    return true;
  } catch {
    return false; // full, or switched off
  }
}

addEventListener("submit", ({ target }) => {
  refused = target instanceof HTMLFormElement ? target : undefined; // if it is
});
addEventListener("pagehide", () => void keepTyped());

/** Whether the page is being left for the sign-in: what else it had requested must not navigate from there again. */
let isLeaving = false;
onHtmx("before:response", ({ response }, event) => {
  if (response?.status !== 401 || !response.headers.has("HX-Redirect")) return;
  if (isLeaving) return event.preventDefault();
  isLeaving = true;
  const stays = ({ defaultPrevented }: Event) => (isLeaving = !defaultPrevented); // of all listeners the last
  addEventListener("beforeunload", stays, { once: true });
});
addEventListener("pageshow", () => {
  isLeaving = false;
  refusedDialog = "";
});
onHtmx("response:error", (context) => {
  const { request, response } = context;
  if (!response?.headers.has("HX-Redirect")) return;
  if (request.method === "GET" && isForDialog(context)) refusedDialog = request.action;
  if (keepTyped()) dirty = undefined;
});

/** What was kept, if the page was left for the sign-in and is there again. Nothing stays kept. */
function takeTyped(): Kept | undefined {
  try {
    const kept: Kept | null = JSON.parse(sessionStorage.getItem(keptKey) ?? "null");
    sessionStorage.removeItem(keptKey);
    const isBack = /^\/dashboard\/(sign-in|confirm)(\/|$)/.test(new URL(document.referrer).pathname);
    const isSame = kept?.manager === managerHere() && kept.path === location.pathname + location.search;
    return isBack && isSame ? kept : undefined;
  } catch {
    return undefined;
  }
}

/** Whether fields are filled in as they were, together with what was chosen. */
let isRefilling = false;

/** Returns the controls that are now as they were. Scripts learn of each as if it had been typed. */
function refill(form: HTMLFormElement, { entries }: Filled): Control[] {
  const left = [...entries];
  const changed = fieldsOf(form).filter((control) => {
    const at = isSecret(control) ? -1 : left.findIndex(([key]) => key === keyOf(control));
    const [, value] = (at >= 0 && left.splice(at, 1)[0]) || [];
    if (value === undefined || value === (isPicked(control) ? control.checked : control.value)) return false;
    if (isPicked(control)) control.checked = value === true;
    else control.value = String(value);
    return control.type !== "hidden";
  });
  isRefilling = true;
  for (const control of changed)
    for (const name of ["input", "change"]) control.dispatchEvent(new Event(name, { bubbles: true }));
  isRefilling = false;
  return changed;
}

/** Draws the form of the dialog with the fields that it had when it was left. */
async function redraw({ action, entries, redraw: url }: Filled): Promise<boolean> {
  const form = findAll<HTMLFormElement>("#dialog form").find((each) => actionOf(each) === action);
  if (!form || !url) return false;
  const sent = document.createElement("form");
  const add = (name: string, value: string) => {
    const input = document.createElement("input");
    Object.assign(input, { type: "hidden", name, value });
    sent.append(input);
  };
  add("_token", find<HTMLInputElement>("[name=_token]", form)?.value ?? "");
  for (const [key, value] of entries) {
    const [name = "", ...rest] = key.split(" ");
    if (value !== false) add(name, value === true ? rest.join(" ") : value);
  }
  form.after(sent);
  await htmx.ajax("POST", url, { source: sent, target: "#dialog" });
  sent.remove();
  return true;
}

whenReady(async () => {
  const kept = takeTyped();
  if (!kept) return;
  if (kept.dialog) await htmx.ajax("GET", kept.dialog, { target: "#dialog" });
  const conditions = kept.dialog ? kept.forms.find(({ isInDialog, redraw }) => isInDialog && redraw) : undefined;
  const isRedrawn = conditions !== undefined && (await redraw(conditions));
  const forms = findAll<HTMLFormElement>(keptForms);
  const changed = kept.forms.flatMap((filled) => {
    const isIt = (form: HTMLFormElement) => actionOf(form) === filled.action && isInDialog(form) === filled.isInDialog;
    const at = forms.findIndex(isIt); // of several, the next one
    const [form] = at >= 0 ? forms.splice(at, 1) : [];
    return form ? refill(form, filled) : [];
  });
  changed[0]?.focus();
  if (changed.length > 0 || isRedrawn) showNotice("What you typed is here again. It is not saved yet.", "good");
});
