import * as copy from "./copy";

const saveIntervalMs = 10_000; // milliseconds between two saves of a draft
const copyDelayMs = 300; // milliseconds without a key until the copy in this browser is made

export const form = () => document.querySelector<HTMLFormElement>("#post-form");
/** The form's own address: `form.action` would be a field of that name. */
export const addressOf = (post: HTMLFormElement) => post.getAttribute("action") ?? "";

let unsent = false;
let editCount = 0; // how often something was
let savedCount = 0; // what of it the save that is on its way holds
let sending: Promise<void> | undefined;
let waiting: ReturnType<typeof setTimeout> | undefined;

/** In the polite region; a time of minutes changes once a minute, so it is not read out more often. */
export function say(words: string): void {
  const region = document.querySelector("#saved");
  if (region && region.textContent !== words) region.textContent = words;
}

/** On the manager's clock, which may be another than this machine's. */
const clock = () => ({ timeZone: document.querySelector<HTMLInputElement>("#post-form [name=zone]")?.value || "UTC" });

const time = (at: string) =>
  new Date(at).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", ...clock() });

/** Something was typed. */
export function touch(): void {
  unsent = true;
  editCount++;
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    const post = form();
    if (post) copy.keep(addressOf(post), post);
  }, copyDelayMs);
}

/** The draft that is on its way, if one is. */
export const draftOnItsWay = () => sending;

/** The form is on its way as it is now. */
export const beginSaving = () => void (savedCount = editCount);

/** What was typed until then is saved for good. What came after is not. */
export function settle(): void {
  if (editCount !== savedCount) return;
  clearTimeout(waiting);
  unsent = false;
  const post = form();
  if (post) copy.forget(addressOf(post));
}

type Kept = { savedAt: string; action: string; version: number; isBehind: boolean };

/** Sends the whole form as this manager's draft. A new post becomes one that exists, without leaving the page. */
async function save(post: HTMLFormElement): Promise<void> {
  unsent = false;
  const body = new URLSearchParams(copy.fieldsOf(post));
  for (const name of ["_token", "version", "zone"]) body.set(name, String(new FormData(post).get(name) ?? ""));
  const address = addressOf(post);
  const answer = await fetch(`${address}/draft`, { method: "POST", body, headers: { "HX-Request": "true" } });
  if (!answer.ok) {
    unsent = true;
    return say(problem(answer.status));
  }
  const { savedAt, action, version, isBehind } = (await answer.json()) as Kept;
  if (action !== address) move(post, address, action, version);
  say(
    isBehind ? "Somebody else saved this post meanwhile. Saving will show you both." : `Draft saved ${time(savedAt)}`,
  );
}

function move(post: HTMLFormElement, from: string, to: string, version: number): void {
  copy.forget(from);
  copy.keep(to, post);
  post.setAttribute("action", to);
  const field = document.querySelector<HTMLInputElement>("#post-version");
  if (field) field.value = String(version);
  history.replaceState(history.state, "", to);
}

export const problem = (status: number) =>
  status === 401
    ? "You are signed out. What you type is kept in this browser: sign in in another tab."
    : status === 404
      ? "This post is gone. What you type is kept in this browser."
      : "Not saved yet. What you type is kept in this browser.";

setInterval(() => {
  const post = form();
  const isSaving = post?.matches(".htmx-request");
  if (!unsent || sending || isSaving || !post?.hasAttribute("data-autosave")) return;
  sending = save(post)
    .catch(() => {
      unsent = true;
      say("No connection. What you type is kept in this browser.");
    })
    .finally(() => (sending = undefined));
}, saveIntervalMs);

/** Offers what was typed in this browser and never saved; not beside the server's offer, which is the same by ten seconds. */
export function offer(): void {
  const post = form();
  const note = document.querySelector<HTMLElement>("#copy-offer");
  const found = post && copy.differing(addressOf(post), post);
  if (!post || !note || !found || document.querySelector("#draft-offer")) return;
  const when = note.querySelector("[data-when]");
  if (when)
    when.textContent = new Date(found.at).toLocaleString("en-GB", {
      dateStyle: "medium",
      timeStyle: "short",
      ...clock(),
    });
  note.hidden = false;
  note.addEventListener("click", ({ target }) => {
    const choice = (target as Element).closest<HTMLElement>("[data-copy-choice]")?.dataset.copyChoice;
    if (!choice) return;
    if (choice === "restore") restore(post, found.fields);
    else copy.forget(addressOf(post));
    note.hidden = true;
    document.querySelector<HTMLElement>("#content")?.focus();
  });
}

function restore(post: HTMLFormElement, fields: Record<string, string>): void {
  for (const [name, value] of Object.entries(fields)) {
    const field = post.elements.namedItem(name);
    if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) continue;
    field.value = value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

copy.clear();
