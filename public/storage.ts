/*
 * Uploads from the browser, straight to the storage node: several files, in parts, four at a time. They can be paused,
 * and go on after the page was closed. Downloads of several files, too. The pieces lie in public/storage/ and are served
 * as one file.
 *
 * A page that wants one file only, such as the editor its cover, takes this script with `extras`, sets `policyWithNodes`
 * as its CSP, and calls
 *
 *   const { id, filename } = await window.postroomUpload(file, { folder: "covers", onProgress: (percent) => … });
 *
 * which rejects with an Error whose message is for people. `db/storage/files.ts` makes the address of it.
 */
import { fromDrop, inside, pick, pickFolder } from "./storage/chosen";
import "./storage/downloads";
import { ask } from "./storage/questions";
import { add, cancel, restore, resume, uploads } from "./storage/queue";
import * as records from "./storage/records";
import { draw } from "./storage/rows";
import * as service from "./storage/service";
import { type SelectedFile, type NameConflict, Upload } from "./storage/upload";
import { files, percentOf } from "./storage/words";

const here = () => document.querySelector<HTMLElement>("[data-folder]")?.dataset.folder ?? "";

let pendingChoices = 0; // choices that are no uploads yet

function upload(chosen: SelectedFile[]): void {
  pendingChoices++;
  void startUploads(chosen).finally(() => pendingChoices--);
}

/** Uploads them into the folder that is open. A file that was interrupted there goes on. */
async function startUploads(chosen: SelectedFile[]): Promise<void> {
  const base = here();
  const placed = chosen.map((one) => ({ ...one, folder: inside(base, one.folder) }));
  const fresh = placed.filter(({ file, folder }) => {
    const known = uploads.find((other) => other.state === "interrupted" && other.folder === folder && other.isOf(file));
    if (known) resume(known, file);
    return !known;
  });
  const places = fresh.map(({ file, folder }) => ({ filename: file.name, folderPath: folder }));
  const taken = await service.taken(places).catch(() => []); // the answer to a reservation will tell what is wrong
  const clash = await resolveConflicts(fresh.filter((_, at) => taken[at]));
  fresh.forEach(({ file, folder, handle }, at) => {
    if (taken[at] && clash === undefined) return;
    const { name, size, lastModified } = file;
    add(new Upload(name, size, lastModified, folder, taken[at] ? clash : undefined, file, handle, follow));
  });
}

/** Undefined skips them. */
async function resolveConflicts(clashing: SelectedFile[]): Promise<NameConflict> {
  if (!clashing.length) return undefined;
  const names = clashing.map(({ file }) => file.name);
  const title = names.length === 1 ? "This file is already there" : `${files(names.length)} are already there`;
  const more = names.length > 5 ? [`and ${names.length - 4} more`] : [];
  const answer = await ask("clash", title, [...names.slice(0, 5 - more.length), ...more]);
  return answer === "keep" || answer === "replace" ? answer : undefined;
}

let refreshing: ReturnType<typeof setTimeout> | undefined;

/** The row follows, and when a file is there the list of files does. */
function follow(upload: Upload): void {
  draw(upload);
  const list = document.querySelector("#list");
  if (upload.state !== "done" || !list) return;
  clearTimeout(refreshing);
  refreshing = setTimeout(() => {
    void htmx.ajax("GET", location.href, { source: list, target: "#list", swap: "outerMorph" });
  }, 300);
}

// ── The page: what was interrupted, buttons, and dropping anywhere ──────────────────────────────────────────────

if (document.querySelector("[data-uploads]"))
  void records.mine(({ id, name, size, lastModified, folder, clash, handle }) => {
    void restore(new Upload(name, size, lastModified, folder, clash, undefined, handle, follow), id);
  });

addEventListener("click", ({ target }) => {
  const choose = (target as Element).closest<HTMLElement>("[data-choose]")?.dataset.choose;
  if (choose) void (choose === "folder" ? pickFolder() : pick(true)).then(upload);
});

const isBusy = () => pendingChoices > 0 || uploads.some(({ isActive }) => isActive);

addEventListener("beforeunload", (event) => {
  if (isBusy()) event.preventDefault();
});

/** Meanwhile other folders open in this page: a whole navigation would interrupt what is under way. */
addEventListener("click", (event) => {
  const link = (event.target as Element).closest<HTMLAnchorElement>("#list a:not([hx-get])");
  if (link?.pathname !== location.pathname || !isBusy()) return;
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  void htmx.ajax("GET", link.href, { source: link, target: "#list", swap: "outerHTML", push: "true" });
});

const overlay = document.querySelector<HTMLElement>("[data-overlay]");
const hasFiles = ({ dataTransfer }: DragEvent) => Boolean(overlay && dataTransfer?.types.includes("Files"));

addEventListener("dragenter", (event) => {
  const where = overlay?.querySelector("[data-where]");
  if (!overlay || !where || !hasFiles(event)) return;
  where.textContent = `Drop to upload into /${here()}`;
  overlay.hidden = false;
});
addEventListener("dragover", (event) => {
  if (hasFiles(event)) event.preventDefault(); // so that it can be dropped
});
addEventListener("dragleave", ({ relatedTarget }) => {
  if (overlay && !relatedTarget) overlay.hidden = true; // out of the window
});
addEventListener("drop", (event) => {
  if (!hasFiles(event) || !overlay || !event.dataTransfer) return;
  event.preventDefault();
  overlay.hidden = true;
  void fromDrop(event.dataTransfer).then(upload);
});

// ── One file, for other pages ───────────────────────────────────────────────────────────────────────────────────

window.postroomUpload = (file, { folder, onProgress }) =>
  new Promise((resolve, reject) => {
    const { name, size, lastModified } = file;
    const changed = (one: Upload) => {
      if (one.state !== "done" && one.state !== "failed") return;
      clearInterval(telling);
      if (one.state === "done") resolve({ id: one.id ?? "", filename: one.storedAs });
      else reject(new Error(one.problem));
      void cancel(one);
    };
    const one = new Upload(name, size, lastModified, folder, "keep", file, undefined, changed);
    const telling = setInterval(() => onProgress?.(percentOf(one.sent, size)), 250);
    add(one);
  });
