import { targetOf } from "../app/dom";
import { insertPicture } from "./area";
import { uploader } from "./uploader";

/** The text that a field is: its textarea, whose ID the editor over it has taken. */
const textOf = (field: HTMLElement) =>
  field instanceof HTMLTextAreaElement
    ? field
    : [...document.querySelectorAll<HTMLTextAreaElement>("textarea[data-mdx]")].find((area) =>
        area.nextElementSibling?.contains(field),
      );

const fieldOf = (dialog: HTMLDialogElement) =>
  document.querySelector<HTMLElement>(`#${dialog.querySelector("[data-for]")?.getAttribute("data-for")}`);

/** Puts the picture where the dialog was opened for it: into the text, or into the cover field. */
function choose(dialog: HTMLDialogElement, address: string, { alt = "", focusClass = "" }: DOMStringMap = {}): void {
  const field = fieldOf(dialog);
  dialog.close();
  setTimeout(() => {
    if (!field) return;
    const text = textOf(field);
    const source = address.replaceAll("(", "%28").replaceAll(")", "%29");
    if (text) return insertPicture(text, inMarkdown(alt), source);
    if (!(field instanceof HTMLInputElement)) return;
    field.value = address;
    Object.assign(field.dataset, { focusOf: address, focusClass });
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.focus();
  });
}

async function send(dialog: HTMLDialogElement, input: HTMLInputElement): Promise<void> {
  const field = fieldOf(dialog);
  const text = field && textOf(field);
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
    if (dialog.open) choose(dialog, `/media/${id}/${encodeURIComponent(filename)}`);
  } catch (problem) {
    words.textContent = problem instanceof Error ? problem.message : String(problem);
  }
  bar.hidden = true;
  input.value = "";
}

/** A text inside square brackets. */
const inMarkdown = (text: string) => text.replace(/[\\[\]{}<`*_]/g, "\\$&");

/** Arrow keys move between the pictures as they stand. */
addEventListener("keydown", (event) => {
  const here = targetOf(event).closest<HTMLElement>("[data-picture]");
  if (!here || event.altKey || event.metaKey) return; // those go back and forward
  const all = [...document.querySelectorAll<HTMLElement>("dialog [data-picture]")];
  const topOf = (one?: HTMLElement) => one?.getBoundingClientRect().top;
  const below = all.findIndex((one) => topOf(one) !== topOf(all[0]));
  const columns = below < 0 ? all.length : below;
  const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
  const next = by && all[all.indexOf(here) + by];
  if (!next) return;
  event.preventDefault();
  next.focus();
});

addEventListener("click", (event) => {
  const button = targetOf(event).closest<HTMLElement>("[data-picture]");
  const dialog = button?.closest("dialog");
  if (button && dialog) choose(dialog, button.dataset.picture ?? "", button.dataset);
});
addEventListener("change", ({ target }) => {
  if (!(target instanceof HTMLInputElement) || !target.matches("[data-upload]")) return;
  const dialog = target.closest("dialog");
  if (dialog) void send(dialog, target);
});
