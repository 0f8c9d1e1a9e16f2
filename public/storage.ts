/*
 * Uploads from the browser, directly to the storage node: several files, multipart, four parts at a time. Uploads can
 * be paused, and resumed after the page was closed. Also downloads of several files. The modules are in public/storage/
 * and are served as one file.
 *
 * A page that needs a single file, such as the editor for its cover, loads this script with `extras`, sets
 * `policyWithNodes` as its CSP, and calls
 *
 *   const { id, filename } = await window.postroomUpload(file, { folder: "covers", onProgress: (percent) => … });
 *
 * which rejects with an Error whose message can be shown. `db/storage/files.ts` makes the file's URL.
 */
import { targetOf, whenReady } from "./app/dom";
import { take } from "./early/dropped";
import { fromDrop, inside, pick } from "./storage/chosen";
import "./storage/downloads";
import { openDialog, draw } from "./storage/rows";
import { add, cancel, restore, resume, uploads } from "./storage/queue";
import * as records from "./storage/records";
import * as service from "./storage/service";
import { type SelectedFile, type NameConflict, Upload } from "./storage/upload";
import { files, percentOf } from "./storage/words";

const here = () => document.querySelector<HTMLElement>("[data-folder]")?.dataset.folder ?? "";

let pendingChoices = 0; // selections that are not uploads yet

function upload(chosen: SelectedFile[]): void {
  pendingChoices++;
  void startUploads(chosen).finally(() => pendingChoices--);
}

/** Uploads the files into the open folder. Interrupted uploads of the same file resume. */
async function startUploads(chosen: SelectedFile[]): Promise<void> {
  const base = here();
  const placed = chosen.map((one) => ({ ...one, folder: inside(base, one.folder) }));
  const fresh = placed.filter(({ file, folder }) => {
    const interrupted = uploads.find(
      (other) => other.state === "interrupted" && other.folder === folder && other.isOf(file),
    );
    if (interrupted) resume(interrupted, file);
    return !interrupted;
  });
  const places = fresh.map(({ file, folder }) => ({ filename: file.name, folderPath: folder }));
  const taken = await service.taken(places).catch(() => []); // the response to the reservation will report what is wrong
  const clash = await resolveConflicts(fresh.filter((_, at) => taken[at]));
  fresh.forEach(({ file, folder, handle }, at) => {
    if (taken[at] && clash === undefined) return;
    const { name, size, lastModified } = file;
    add(new Upload(name, size, lastModified, folder, taken[at] ? clash : undefined, file, handle, follow));
  });
}

/** Returns undefined to skip the files. */
async function resolveConflicts(clashing: SelectedFile[]): Promise<NameConflict> {
  if (!clashing.length) return undefined;
  const names = clashing.map(({ file }) => file.name);
  const title = names.length === 1 ? "This file already exists" : `${files(names.length)} already exist`;
  const more = names.length > 5 ? [`and ${names.length - 4} more`] : [];
  const answer = await openDialog("clash", title, [...names.slice(0, 5 - more.length), ...more]);
  return answer === "keep" || answer === "replace" ? answer : undefined;
}

let refreshing: ReturnType<typeof setTimeout> | undefined;

/** Updates the row, and the list of files when one is complete. */
function follow(upload: Upload): void {
  draw(upload);
  const list = document.querySelector("#list");
  if (upload.state !== "done" || !list) return;
  clearTimeout(refreshing);
  refreshing = setTimeout(() => {
    whenReady(() => void htmx.ajax("GET", location.href, { source: list, target: "#list", swap: "outerMorph" }));
  }, 300);
}

// ── The page: what was interrupted, buttons, and dropping anywhere ──────────────────────────────────────────────

if (document.querySelector("[data-uploads]"))
  void records.mine(({ id, name, size, lastModified, folder, clash, handle }) => {
    void restore(new Upload(name, size, lastModified, folder, clash, undefined, handle, follow), id);
  });

addEventListener("click", (event) => {
  const choose = targetOf(event).closest<HTMLElement>("[data-choose]")?.dataset.choose;
  if (choose) void pick(true, choose === "folder").then(upload);
});

const isBusy = () => pendingChoices > 0 || uploads.some(({ isActive }) => isActive);

addEventListener("beforeunload", (event) => {
  if (isBusy()) event.preventDefault();
});

/** Opens other folders within this page: a navigation would interrupt the uploads in progress. */
addEventListener("click", (event) => {
  const link = targetOf(event).closest<HTMLAnchorElement>("#list a:not([hx-get])");
  if (link?.pathname !== location.pathname || !isBusy()) return;
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const how = { source: link, target: "#list", swap: "outerHTML", push: "true" };
  whenReady(() => void htmx.ajax("GET", link.href, how));
});

const overlay = document.querySelector<HTMLElement>("[data-overlay]");
const hasFiles = ({ dataTransfer }: DragEvent) => Boolean(overlay && dataTransfer?.types.includes("Files"));

addEventListener("dragenter", (event) => {
  const where = overlay?.querySelector("[data-where]");
  if (!overlay || !where || !hasFiles(event)) return;
  where.textContent = `Drop to upload to /${here()}`;
  overlay.hidden = false;
});
addEventListener("dragover", (event) => {
  if (hasFiles(event)) event.preventDefault(); // so that files can be dropped
});
addEventListener("dragleave", ({ relatedTarget }) => {
  if (overlay && !relatedTarget) overlay.hidden = true; // the pointer left the window
});
addEventListener("drop", (event) => {
  if (!hasFiles(event) || !overlay || !event.dataTransfer) return;
  event.preventDefault();
  overlay.hidden = true;
  void fromDrop(take(event.dataTransfer)).then(upload);
});
/** Dropped before this script was there. */
addEventListener("dropped", (event) => {
  if (overlay) void fromDrop(event.detail).then(upload);
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
