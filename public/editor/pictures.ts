import { targetOf } from "../app/dom";
import { area, insert } from "./area";
import { uploader } from "./uploader";

/** Inserts the image where the dialog was opened for it: into the text, or into the cover field. */
function insertPicture(
  dialog: HTMLDialogElement,
  address: string,
  { alt = "", focusClass = "" }: DOMStringMap = {},
): void {
  const field = document.querySelector<HTMLInputElement>(
    `#${dialog.querySelector("[data-for]")?.getAttribute("data-for")}`,
  );
  dialog.close();
  setTimeout(() => {
    if (!field) return;
    if (field.id === "content")
      return insert(`![${inMarkdown(alt)}|](${address.replace(/[()]/g, (sign) => (sign === "(" ? "%28" : "%29"))})`);
    field.value = address;
    Object.assign(field.dataset, { focusOf: address, focusClass });
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.focus();
  });
}

async function send(dialog: HTMLDialogElement, input: HTMLInputElement): Promise<void> {
  const text = dialog.querySelector("[data-for=content]") && area();
  if (text?.mdx && input.files) {
    dialog.close();
    return text.mdx.add([...input.files]);
  }
  const [file] = input.files ?? [];
  const bar = dialog.querySelector("progress");
  const words = dialog.querySelector("[data-said]");
  if (!file || !bar || !words) return;
  const { folder = "", uploader: source = "" } = input.dataset;
  bar.hidden = false;
  words.textContent = `Uploading ${file.name}`;
  try {
    const upload = await uploader(source);
    const { id, filename } = await upload(file, { folder, onProgress: (percent) => (bar.value = percent) });
    if (dialog.open) insertPicture(dialog, `/media/${id}/${encodeURIComponent(filename)}`);
  } catch (problem) {
    words.textContent = problem instanceof Error ? problem.message : String(problem);
  }
  bar.hidden = true;
  input.value = "";
}

/** A text inside square brackets. */
const inMarkdown = (text: string) => text.replace(/[\\[\]{}<`*_]/g, "\\$&");

/** Moves between the pictures as they stand. */
const moves: Record<string, (at: number, columns: number) => number> = {
  ArrowLeft: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  ArrowUp: (at, columns) => at - columns,
  ArrowDown: (at, columns) => at + columns,
};

addEventListener("keydown", (event) => {
  const here = targetOf(event).closest<HTMLElement>("[data-picture]");
  const move = moves[event.key];
  const all = [...document.querySelectorAll<HTMLElement>("dialog [data-picture]")];
  if (!here || !move || event.ctrlKey || event.metaKey || event.altKey) return;
  const first = all[0]?.getBoundingClientRect().top;
  const columns = all.filter((one) => one.getBoundingClientRect().top === first).length;
  const next = all[move(all.indexOf(here), columns)];
  if (!next) return;
  event.preventDefault();
  next.focus();
});

addEventListener("click", (event) => {
  const button = targetOf(event).closest<HTMLElement>("[data-picture]");
  const dialog = button?.closest("dialog");
  if (button && dialog) insertPicture(dialog, button.dataset.picture ?? "", button.dataset);
});
addEventListener("change", ({ target }) => {
  if (!(target instanceof HTMLInputElement) || !target.matches("[data-upload]")) return;
  const dialog = target.closest("dialog");
  if (dialog) void send(dialog, target);
});
