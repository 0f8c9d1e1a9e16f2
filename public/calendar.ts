/*
 * Moves what is scheduled to another day, by dragging it or with the keyboard: M lifts it, arrows choose the day, Enter
 * drops it, Escape puts it back. Without this file, "Change date" does it. The server is called once, after the drop.
 */
import { announce, targetOf } from "./app/dom";

let lifted: HTMLElement | undefined;
let target: HTMLElement | undefined;

const entryOf = (event: Event) => targetOf(event).closest<HTMLElement>("[data-entry]");
const dayOf = (element: Element | null) => element?.closest<HTMLElement>("[data-day]") ?? undefined;
const nameOf = (entry: HTMLElement) => entry.querySelector(".what")?.textContent ?? "";
const isFree = (day: HTMLElement | undefined) => day !== undefined && !("past" in day.dataset);

function aim(day: HTMLElement | undefined): void {
  target?.removeAttribute("data-target");
  target = day;
  target?.setAttribute("data-target", "");
}

function lift(entry: HTMLElement): void {
  lifted = entry;
  entry.dataset.lifted = "";
  aim(dayOf(entry));
}

function end(): void {
  if (lifted) delete lifted.dataset.lifted;
  lifted = undefined;
  aim(undefined);
}

function drop(): void {
  const [entry, day] = [lifted, target];
  const form = document.querySelector<HTMLFormElement>("#move");
  end();
  if (!entry || !day || !form) return;
  if (day === dayOf(entry) || !isFree(day)) return announce("Not moved.");
  const { kind = "", id = "", version = "" } = entry.dataset;
  for (const [name, value] of Object.entries({ kind, id, version, day: day.dataset.day ?? "" })) {
    const field = form.querySelector<HTMLInputElement>(`[name=${name}]`);
    if (field) field.value = value;
  }
  form.requestSubmit();
}

// ── With a pointer ───────────────────────────────────────────────────────────────────────────────────────────────────

addEventListener("dragstart", (event) => {
  const entry = entryOf(event);
  if (!entry || !event.dataTransfer) return;
  event.dataTransfer.setData("text/plain", nameOf(entry));
  event.dataTransfer.effectAllowed = "move";
  lift(entry);
});
addEventListener("dragover", (event) => {
  const day = dayOf(targetOf(event));
  if (!lifted) return;
  if (isFree(day)) event.preventDefault(); // it can be dropped here
  aim(isFree(day) ? day : undefined);
});
addEventListener("drop", (event) => {
  if (!lifted) return;
  event.preventDefault();
  drop();
});
addEventListener("dragend", end);

// ── With keys ────────────────────────────────────────────────────────────────────────────────────────────────────────

const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };

function step(by: number): void {
  const days = [...document.querySelectorAll<HTMLElement>("[data-day]")];
  const day = days[target ? days.indexOf(target) + by : -1];
  if (!isFree(day)) return announce(day ? "That day is in the past." : "That day is in another month.");
  aim(day);
  announce(day?.dataset.words ?? "");
}

/** Returns whether the key was for something lifted, or lifts it. */
function takes(key: string, entry: HTMLElement | null): boolean {
  if (!lifted) {
    if (key !== "m" || !entry) return false;
    lift(entry);
    announce(`Lifted ${nameOf(entry)}. Arrow keys choose the day, Enter drops it, Escape puts it back.`);
    return true;
  }
  const by = steps[key];
  if (by !== undefined) step(by);
  else if (key === "Enter") drop();
  else if (key === "Escape") {
    end();
    announce("Put back.");
  } else return false;
  return true;
}

addEventListener(
  "keydown",
  (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !targetOf(event).closest("#list")) return;
    if (!takes(event.key.length === 1 ? event.key.toLowerCase() : event.key, entryOf(event))) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  },
  true,
);
