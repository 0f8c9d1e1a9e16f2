import { targetOf } from "../app/dom";
import { area } from "./area";
import * as copy from "./copy";
import { addressOf, clock, form, showOffer } from "./copy";

const saveIntervalMs = 10_000; // how often a draft is saved
const pauseMs = 1_000; // time without a keystroke until a form is saved whose preview shows what is saved
const copyDelayMs = 300; // time without a keystroke until the copy in this browser is written
const outlivingLength = 30_000; // of a draft that is sent while the page is left: a browser takes 64 KB of these in all
const timeoutMs = 600_000; // until a draft that is being sent counts as lost: a slow connection takes minutes

let unsent = false;
let editCount = 0; // number of edits
let savedCount = 0; // number of edits included in the save in progress
let sending: Promise<void> | undefined;
let waiting: ReturnType<typeof setTimeout> | undefined;
let pausing: ReturnType<typeof setTimeout> | undefined;

/** Shows text in the polite live region. The minutes change once a minute, so it is not announced more often. */
export function say(words: string): void {
  const region = document.querySelector("#saved");
  if (region && region.textContent !== words) region.textContent = words;
}

const time = (at: string) => new Date(at).toLocaleTimeString("en-GB", { timeStyle: "short", ...clock() });

/** Records an edit. */
export function touch(): void {
  unsent = true;
  editCount++;
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    const post = form();
    if (post) copy.keep(addressOf(post), post);
  }, copyDelayMs);
  clearTimeout(pausing);
  if (form()?.dataset.autosave === "soon") pausing = setTimeout(saveNow, pauseMs);
}

/** Returns the draft being sent, if any. */
export const draftOnItsWay = () => sending;

/** Records that the form is being saved as it is now. */
export const beginSaving = () => void (savedCount = editCount);

/** Marks the edits up to that moment as saved; later ones are not. */
export function settle(): void {
  if (editCount !== savedCount) return;
  clearTimeout(waiting);
  unsent = false;
  const post = form();
  if (post) copy.forget(addressOf(post));
}

type Kept = { savedAt: string; action: string; version: number; isBehind: boolean };

/** Sends the whole form as this manager's draft; a short one also arrives if the page is left meanwhile. */
function send(post: HTMLFormElement): { answer: Promise<Response>; outlives: boolean } {
  const fields = new URLSearchParams(copy.fieldsOf(post));
  for (const name of ["_token", "version", "zone"]) fields.set(name, String(new FormData(post).get(name) ?? ""));
  const body = fields.toString();
  const outlives = body.length <= outlivingLength;
  const headers = { "HX-Request": "true", "content-type": "application/x-www-form-urlencoded" };
  const signal = AbortSignal.timeout(timeoutMs);
  const answer = fetch(`${addressOf(post)}/draft`, { method: "POST", body, headers, signal, keepalive: outlives });
  return { answer, outlives };
}

/** Saves the form as a draft. A new post is created by this, without leaving the page. */
async function save(post: HTMLFormElement): Promise<void> {
  unsent = false;
  const address = addressOf(post);
  const answer = await send(post).answer;
  if (!answer.ok) {
    unsent = true;
    if (answer.status === 401) dispatchEvent(new Event("signed-out"));
    return say(problem(answer.status));
  }
  const { savedAt, action, version, isBehind } = (await answer.json()) as Kept;
  if (action !== address) {
    move(post, address, action);
    document.querySelector("#post-line .badge")?.replaceChildren("Draft");
  }
  const field = post.querySelector<HTMLInputElement>("[name=version]");
  if (field) field.value = String(version);
  say(
    isBehind
      ? `Someone else has saved this ${nounOf(post)}. When you save, you can compare both versions.`
      : `Draft saved ${time(savedAt)}`,
  );
  post.dispatchEvent(new Event("kept", { bubbles: true }));
}

/** "post" or "broadcast" */
const nounOf = (form: HTMLFormElement | null) => form?.ariaLabel?.toLowerCase() ?? "draft";

/** A new post has got its own URL. */
export function move(post: HTMLFormElement, from: string, to: string): void {
  copy.forget(from);
  copy.keep(to, post);
  post.setAttribute("action", to);
  history.replaceState(history.state, "", to);
}

export const problem = (status: number) =>
  status === 401
    ? "You are signed out. Your text is kept in this browser. Sign in again in another tab."
    : status === 404
      ? `This ${nounOf(form())} has been deleted. Your text is kept in this browser.`
      : "Not saved yet. Your text is kept in this browser.";

/** Some forms are only kept in this browser until they are saved. */
const isAutosaved = ({ dataset }: HTMLFormElement) => (dataset.autosave ?? "browser") !== "browser";

/** Saves what was typed, unless a save is under way. */
function saveNow(): void {
  const post = form();
  if (!unsent || sending || !post || post.matches(".htmx-request") || !isAutosaved(post)) return;
  sending = save(post)
    .catch(() => {
      unsent = true;
      say("No connection. Your text is kept in this browser.");
    })
    .finally(() => (sending = undefined));
}

setInterval(saveNow, saveIntervalMs);

let isSigningOut = false;
addEventListener("submit", (event) => {
  isSigningOut = targetOf(event).getAttribute("action") === "/dashboard/sign-out";
});

/**
 * No one is asked whether to leave: the text is sent, and kept in this browser in case it does not arrive. A new post is
 * only kept, because its next draft would make another one; after signing out only what was sent is left.
 */
addEventListener("beforeunload", (event) => {
  const post = form();
  if (!unsent || !post?.hasAttribute("data-autosave")) return;
  const isKept = !isSigningOut && copy.keep(addressOf(post), post);
  const isSent = isAutosaved(post) && !addressOf(post).endsWith("/new") && sendLast(post);
  if (!isKept && !isSent) event.preventDefault();
});

function sendLast(post: HTMLFormElement): boolean {
  const { answer, outlives } = send(post);
  answer.catch(() => undefined);
  return outlives;
}

/** Lets unsaved text from this browser be restored or discarded. */
export function offer(): void {
  const post = form();
  const note = document.querySelector<HTMLElement>("#copy-offer");
  const unsaved = showOffer();
  if (!post || !note || !unsaved) return;
  note.addEventListener("click", (event) => {
    const choice = targetOf(event).closest<HTMLElement>("[data-copy-choice]")?.dataset.copyChoice;
    if (!choice) return;
    if (choice === "restore") restore(post, unsaved.fields);
    else copy.forget(addressOf(post));
    note.hidden = true;
    area()?.focus();
  });
}

function restore(post: HTMLFormElement, fields: Record<string, string>): void {
  for (const [name, value] of Object.entries(fields)) {
    const field = post.elements.namedItem(name);
    if (!(field instanceof HTMLElement && "value" in field)) continue;
    field.value = value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

copy.clear();
