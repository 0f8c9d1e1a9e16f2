/*
 * Reorders rows by dragging a handle or with the keyboard. Without this file, the buttons of each row do it. The server
 * is called once, after the drop, with the order of the whole group, the row that was moved, and the original order.
 */
import { announce, targetOf } from "./app/dom";

type Lift = { row: HTMLElement; rows: HTMLElement[]; first: number; isDragged: boolean };
let lift: Lift | undefined;
let sent: Lift | undefined;

const siblings = (row: HTMLElement) => [...(row.parentElement?.querySelectorAll<HTMLElement>(":scope > *") ?? [])];
const handleOf = (event: Event) => targetOf(event).closest<HTMLElement>("[data-handle]");
const groupOf = (row: HTMLElement) => row.closest<HTMLElement>(".group")?.dataset;
const idOf = (row: HTMLElement) => row.querySelector<HTMLInputElement>("[name=ids]")?.value ?? "";
const nameOf = ({ row }: Lift) => row.querySelector(".who")?.textContent?.trim() ?? "";

function begin(handle: HTMLElement, isDragged: boolean) {
  const row = handle.closest<HTMLElement>("tr");
  if (!row || lift) return;
  const rows = siblings(row);
  lift = { row, rows, first: Number(groupOf(row)?.first ?? 1), isDragged };
  row.dataset.lifted = "";
  handle.setAttribute("aria-pressed", "true");
}

/**
 * Moves the other rows past this one, which is never removed from the document and so keeps the focus and the
 * pointer.
 */
function place(at: number) {
  if (!lift) return;
  const { row, first } = lift;
  const last = siblings(row).length - 1;
  const [here, there] = [siblings(row).indexOf(row), Math.max(0, Math.min(last, at))];
  if (here === there) return;
  for (let i = here; i < there; i++) row.before(row.nextElementSibling ?? "");
  for (let i = here; i > there; i--) row.after(row.previousElementSibling ?? "");
  announce(`Moved to position ${first + there} of ${groupOf(row)?.of}.`);
}

const putBack = ({ row, rows }: Lift) => {
  const at = rows.indexOf(row);
  row.before(...rows.slice(0, at));
  row.after(...rows.slice(at + 1));
};

function end() {
  const ended = lift;
  lift = undefined;
  if (!ended) return;
  delete ended.row.dataset.lifted;
  ended.row.removeAttribute("style"); // an empty attribute, copied by a swap, would violate the policy
  ended.row.querySelector("[data-handle]")?.removeAttribute("aria-pressed");
  return ended;
}

function cancel() {
  const ended = end();
  if (!ended) return;
  putBack(ended);
  announce(`Cancelled. ${nameOf(ended)} is back in its original position.`);
}

function drop() {
  const ended = end();
  const form = ended?.row.closest("form");
  if (!ended || !form) return;
  const ids = siblings(ended.row).map(idOf);
  if (ids.join() === ended.rows.map(idOf).join()) return announce("Not moved.");
  sent = ended;
  setField(form, "order", ids.join());
  setField(form, "moved", idOf(ended.row));
  form.requestSubmit();
}

function setField(form: HTMLFormElement, name: string, value: string) {
  const field = form.querySelector<HTMLInputElement>(`[name=${name}]`);
  if (field) field.value = value;
}

/** Restores the order known to the server when saving fails. */
function restore() {
  if (sent?.row.isConnected) putBack(sent);
  sent = undefined;
}
addEventListener("htmx:error", restore);
addEventListener("htmx:response:error", restore);
addEventListener("htmx:after:swap", () => {
  sent = undefined;
  if (lift && !lift.row.isConnected) takeOver(lift);
});

/** A row lifted with the keyboard while the list is loading stays lifted in the list that arrives. */
function takeOver({ row, isDragged }: Lift) {
  lift = undefined;
  const handle = document.getElementById(row.querySelector("[data-handle]")?.id ?? "");
  if (!handle || isDragged) return;
  begin(handle, false);
  place(siblings(row).indexOf(row));
}

// ── With a pointer ───────────────────────────────────────────────────────────────────────────────────────────────────

let from = 0;

addEventListener("pointerdown", (event) => {
  const handle = handleOf(event);
  if (!handle || event.button !== 0) return;
  event.preventDefault();
  handle.focus();
  if (lift) return drop();
  begin(handle, true);
  from = event.clientY;
  handle.setPointerCapture(event.pointerId);
});

addEventListener("pointermove", ({ clientY }) => {
  if (!lift?.isDragged) return;
  const { row } = lift;
  row.style.removeProperty("translate");
  const before = row.getBoundingClientRect().top;
  const others = siblings(row).filter((other) => other !== row);
  place(others.filter((other) => middle(other) < clientY).length);
  from += row.getBoundingClientRect().top - before;
  row.style.setProperty("translate", `0 ${clientY - from}px`);
  if (clientY < 60) scrollBy(0, -12);
  else if (clientY > innerHeight - 60) scrollBy(0, 12);
});

const middle = (row: HTMLElement) => {
  const { top, height } = row.getBoundingClientRect();
  return top + height / 2;
};

addEventListener("pointerup", () => lift?.isDragged && drop());
addEventListener("pointercancel", () => lift?.isDragged && cancel());

// ── With keys ─────────────────────────────────────────────────────────────────────────────────────────────────

const keys: Record<string, (at: number) => void> = {
  ArrowUp: (at) => place(at - 1),
  ArrowDown: (at) => place(at + 1),
  Home: () => place(0),
  End: () => place(Number.POSITIVE_INFINITY),
  " ": drop,
  Enter: drop,
  Escape: cancel,
  Tab: cancel,
};

addEventListener("keydown", (event) => {
  const handle = handleOf(event);
  if (!handle && !lift) return;
  if (lift) {
    const act = keys[event.key];
    if (!act) return;
    if (event.key !== "Tab") event.preventDefault();
    act(siblings(lift.row).indexOf(lift.row));
  } else if (handle && (event.key === " " || event.key === "Enter")) {
    event.preventDefault();
    begin(handle, false);
    if (lift) announce(`${nameOf(lift)} picked up. Use the arrow keys to move it, Space to drop, Escape to cancel.`);
  }
});
// Some browsers click a button when the space bar is released
addEventListener("keyup", (event) => event.key === " " && handleOf(event) && event.preventDefault());
