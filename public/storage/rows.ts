import { pick } from "./chosen";
import { cancel, pause, resume, uploads } from "./queue";
import type { Upload } from "./upload";
import { bytes, faceOf, files, pace, percentOf } from "./words";

/*
 * The rows of the page and their buttons. They are redrawn when an upload changes, and twice a second while any is in
 * progress; only what has changed is touched, so the focus stays.
 */
const find = <T extends Element = HTMLElement>(selector: string, within: ParentNode = document) =>
  within.querySelector<T>(selector);

const section = find("[data-uploads]");
const template = find<HTMLTemplateElement>("template[data-row]");
const drawn = new Map<Upload, HTMLElement>();

/** Keeps other bars at the bottom edge above the uploads. */
if (section)
  new ResizeObserver(() => document.documentElement.style.setProperty("--dock", `${section.offsetHeight}px`)).observe(
    section,
  );

let ticking: ReturnType<typeof setInterval> | undefined;

export function draw(upload: Upload): void {
  if (upload.state === "cancelled") drop(upload);
  else paint(drawn.get(upload) ?? add(upload), upload);
  drawSection();
  if (upload.isActive) batch.add(upload);
  if (ticking) return;
  last = Date.now();
  ticking = setInterval(tick, 500);
  setTimeout(tick); // once all selected files are in the list
}

function add(upload: Upload): HTMLElement {
  const row = template?.content.firstElementChild?.cloneNode(true) as HTMLElement;
  const { name, folder, size } = upload;
  write(row, "[data-name]", name);
  write(row, "[data-place]", `/${folder} · ${bytes(size)}`);
  find("progress", row)?.setAttribute("aria-label", `Progress of ${name}`);
  find("[data-go]", row)?.addEventListener("click", () => void go(upload));
  find("[data-cancel]", row)?.addEventListener("click", () => void giveUp(upload));
  drawn.set(upload, row);
  find("[data-rows]")?.append(row);
  return row;
}

function paint(row: HTMLElement, upload: Upload): void {
  const { badge, tone, line, button } = faceOf(upload);
  const { name, state, size, sent } = upload;
  row.dataset.state = state;
  write(row, "[data-badge]", badge);
  const label = find("[data-badge]", row);
  if (label) label.className = `badge ${tone}`;
  write(row, "[data-line]", line);
  const progress = find<HTMLProgressElement>("progress", row);
  if (progress && upload.isUnknown) progress.removeAttribute("value");
  else if (progress) progress.value = state === "done" ? 100 : percentOf(sent, size);
  const [main, other] = [find<HTMLButtonElement>("[data-go]", row), find("[data-cancel]", row)];
  if (!main || !other) return;
  write(row, "[data-go]", button);
  main.setAttribute("aria-label", `${button} ${name}`);
  other.setAttribute("aria-label", state === "done" ? `Remove ${name} from the list` : `Cancel the upload of ${name}`);
  if (!button && document.activeElement === main) other.focus();
  main.hidden = !button;
}

function write(within: ParentNode, selector: string, text: string): void {
  const element = find(selector, within);
  if (element && element.textContent !== text) element.textContent = text;
}

/** Removes the row and moves the focus, if it was there, to the row that takes its place. */
function drop(upload: Upload): void {
  const row = drawn.get(upload);
  const hadFocus = row?.contains(document.activeElement);
  const next = row?.nextElementSibling ?? row?.previousElementSibling;
  row?.remove();
  drawn.delete(upload);
  drawSection();
  if (!hadFocus) return;
  const target = next && [...next.querySelectorAll("button")].find(({ hidden }) => !hidden);
  (target ?? find("#upload-button"))?.focus();
}

function drawSection(): void {
  const clear = section && find("[data-clear]", section);
  if (!clear) return;
  const isEmpty = !uploads.length;
  const hasDone = uploads.some(({ state }) => state === "done");
  const hadFocus = section.contains(document.activeElement);
  if (isEmpty && hadFocus) find("#upload-button")?.focus();
  else if (!hasDone && document.activeElement === clear) find("#uploads-title")?.focus();
  section.hidden = isEmpty;
  clear.hidden = !hasDone;
}

find("[data-clear]")?.addEventListener("click", () => {
  for (const upload of uploads.filter(({ state }) => state === "done")) void cancel(upload);
});

/** Performs the action shown on the main button. */
async function go(upload: Upload): Promise<void> {
  if (upload.isActive) return pause(upload);
  if (upload.file) return resume(upload);
  const file = (await fromHandle(upload)) ?? (await pick(false))[0]?.file;
  if (!file) return;
  if (upload.isOf(file)) return resume(upload, file);
  const { name, size } = upload;
  upload.become(
    "interrupted",
    `That is a different file. Choose ${name} (${bytes(size)}), unchanged since the upload started.`,
  );
  say(`Not resumed: that is not ${name}.`);
}

/** Reopens the file from its handle, if it still exists and the user agrees. */
async function fromHandle({ handle }: Upload): Promise<File | undefined> {
  if (!handle || (await handle.requestPermission?.({ mode: "read" })) === "denied") return undefined;
  return handle.getFile().catch(() => undefined);
}

const largeBytes = 10e6; // bytes; enough that the user has waited for them

async function giveUp(upload: Upload): Promise<void> {
  const { name, sent, size, state } = upload;
  const line = `${percentOf(sent, size)}% of ${bytes(size)} has been uploaded and will be deleted.`;
  if (state === "done" || sent < largeBytes || (await openDialog("giving", `Cancel the upload of ${name}?`, [line])))
    await cancel(upload);
}

let last = Date.now();
const before = new WeakMap<Upload, number>();

function tick(): void {
  const now = Date.now();
  const seconds = (now - last) / 1_000;
  last = now;
  const active = uploads.filter(({ isActive }) => isActive);
  for (const upload of active) {
    const { sent } = upload;
    const rate = Math.max(0, sent - (before.get(upload) ?? sent)) / seconds;
    upload.speed = upload.speed ? 0.85 * upload.speed + 0.15 * rate : rate;
    before.set(upload, sent);
    const row = drawn.get(upload);
    if (row) paint(row, upload);
  }
  total(active);
  if (active.length) return;
  clearInterval(ticking);
  ticking = undefined;
}

/** The uploads in progress or paused, and those that ended since there last were none. */
const batch = new Set<Upload>();

function total(active: Upload[]): void {
  const all = [...batch].filter(({ state }) => state !== "cancelled");
  const sum = (of: (upload: Upload) => number) => all.reduce((total, upload) => total + of(upload), 0);
  const [sent, size] = [sum((upload) => upload.sent), sum((upload) => upload.size)];
  const done = all.filter(({ state }) => state === "done").length;
  const isOver = all.every(({ isActive, state }) => !isActive && state !== "paused");
  announce({ all, done, sent, size, isOver });
  const box = find("[data-total]");
  if (!box) return;
  box.hidden = all.length < 2;
  const speed = active.reduce((total, upload) => total + upload.speed, 0);
  write(box, "[data-line]", `${done} of ${files(all.length)} · ${pace(sent, size, active.length ? speed : 0)}`);
  const progress = find<HTMLProgressElement>("progress", box);
  if (progress) progress.value = percentOf(sent, size);
  if (isOver) batch.clear();
}

const region = document.querySelector("[data-announcer]");

/** Announces text to screen readers without showing it. */
function say(text: string): void {
  if (region) region.textContent = text;
}

type Progress = { all: Upload[]; done: number; sent: number; size: number; isOver: boolean };
let quarter = -1;

/** Announces the start, every quarter and the end; more would be too much to listen to. */
function announce({ all, done, sent, size, isOver }: Progress): void {
  const reached = isOver ? -1 : Math.min(3, Math.floor((4 * sent) / (size || 1)));
  if (isOver && all.length) {
    const failed = all.filter(({ state }) => state === "failed");
    say([`${files(done)} uploaded.`, ...failed.map(({ name, problem }) => `${name}: ${problem}`)].join(" "));
  } else if (reached > quarter) say(quarter < 0 ? `Uploading ${files(all.length)}.` : `${reached * 25}% uploaded.`);
  quarter = isOver ? -1 : Math.max(reached, quarter);
}

/** Opens the page's dialog of that name, and resolves to the value of the button: "" if it was just closed. */
export function openDialog(name: "clash" | "giving", title: string, lines: string[]): Promise<string> {
  const dialog = document.querySelector<HTMLDialogElement>(`dialog[data-${name}]`);
  const heading = dialog?.querySelector("[data-title]");
  const list = dialog?.querySelector("[data-names], [data-line]");
  if (!dialog || !heading || !list) return Promise.resolve("");
  heading.textContent = title;
  if (list.matches("ul")) list.replaceChildren(...lines.map(listItem));
  else list.textContent = lines.join(" ");
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true });
  });
}

function listItem(text: string): HTMLLIElement {
  const item = document.createElement("li");
  item.textContent = text;
  return item;
}
