/* What pages of pictures do besides uploading: drag into folders, move the focal point, replace one or any other file. */
import { announce, targetOf } from "./app/dom";

/*
 * Drags pictures into folders: the one under the pointer, or all that are selected if it is one of them. By keyboard, and
 * without this script, they are selected and moved by the form's button.
 */
let dragged: string[] = [];

const tileOf = (event: Event) => targetOf(event).closest<HTMLElement>(".tile");
const folderOf = (event: Event) => targetOf(event).closest<HTMLElement>("[data-drop]");
const checked = () => [...document.querySelectorAll<HTMLInputElement>(".tile [name=ids]:checked")];

addEventListener("dragstart", (event) => {
  const own = tileOf(event)?.querySelector<HTMLInputElement>("[name=ids]")?.value;
  if (!own || !event.dataTransfer) return;
  const selected = checked().map(({ value }) => value);
  dragged = selected.includes(own) ? selected : [own];
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData("application/x-pictures", dragged.join());
  tileOf(event)?.classList.add("dragged");
});

const mark = (folder: HTMLElement | null) => {
  for (const other of document.querySelectorAll(".over")) other.classList.toggle("over", other === folder);
  folder?.classList.add("over");
};

addEventListener("dragover", (event) => {
  if (!dragged.length) return;
  const folder = folderOf(event);
  if (folder) event.preventDefault(); // so that it can be dropped
  mark(folder);
});

addEventListener("dragend", (event) => {
  dragged = [];
  mark(null);
  tileOf(event)?.classList.remove("dragged");
});

addEventListener("drop", (event) => {
  const folder = folderOf(event);
  const form = document.querySelector<HTMLFormElement>("#drag-form");
  if (!dragged.length || !folder || !form) return;
  event.preventDefault();
  const to = folder.dataset.drop ?? "";
  announce(`Moving ${dragged.length === 1 ? "1 picture" : `${dragged.length} pictures`} to ${to || "All files"}.`);
  form.replaceChildren(
    ...form.querySelectorAll("[name=_token], [name=filter], [name=do]"),
    ...[["to", to], ...dragged.map((id) => ["ids", id])].map(([name = "", value = ""]) => field(name, value)),
  );
  form.requestSubmit();
});

function field(name: string, value: string): HTMLInputElement {
  const input = document.createElement("input");
  input.type = "hidden";
  input.name = name;
  input.value = value;
  return input;
}

/*
 * The focal point on the page of a picture: a click on it moves the sliders, and the crops follow. Without this script,
 * they do so when the form is saved.
 */
const axes = ["focalX", "focalY"] as const;
const slider = (name: (typeof axes)[number]) => document.querySelector<HTMLInputElement>(`#describe [name=${name}]`);

function follow(): void {
  const [x = "50", y = "50"] = axes.map((name) => slider(name)?.value);
  for (const one of document.querySelectorAll<HTMLElement>(".crops .focal, .focal-mark")) {
    one.style.setProperty("--fx", `${x}%`);
    one.style.setProperty("--fy", `${y}%`);
  }
}

addEventListener("input", ({ target }) => {
  if (target instanceof HTMLInputElement && target.closest(".focal-point")) follow();
});

addEventListener("click", (event) => {
  const picture = targetOf(event).closest(".focal-area img");
  if (!picture) return;
  const { left, top, width, height } = picture.getBoundingClientRect();
  const at = { focalX: (event.clientX - left) / width, focalY: (event.clientY - top) / height };
  for (const name of axes) {
    const input = slider(name);
    if (input) input.value = String(Math.round(at[name] * 100)); // it rounds to its step
  }
  follow();
  slider("focalX")?.dispatchEvent(new Event("input", { bubbles: true }));
});

/* Uploads the file that takes the place of another one, and sends the form with it. */
addEventListener("change", ({ target }) => {
  if (target instanceof HTMLInputElement && target.matches("[data-replace]")) void send(target);
});

/**
 * Systems have other types for a name: a file is sent as of the type of the one it replaces if it has its extension, or
 * if its own is that type. Returns undefined for others, which could not take its place.
 */
function typed(file: File, { accept, dataset: { type } }: HTMLInputElement): File | undefined {
  if (type === undefined) return file; // any picture takes the place of any other
  const sent = new File([file], file.name, { type, lastModified: file.lastModified });
  const [extension = ""] = /\.[\w-]+$/.exec(file.name.toLowerCase()) ?? [];
  const own = file.type || "application/octet-stream";
  return extension === accept || sent.type.split(/ *;/)[0] === own ? sent : undefined;
}

async function send(input: HTMLInputElement): Promise<void> {
  const { form } = input;
  const [file] = input.files ?? [];
  const bar = form?.querySelector("progress");
  const words = form?.querySelector("[data-said]");
  if (!form || !file || !bar || !words || !window.postroomUpload) return;
  const sent = typed(file, input);
  input.value = "";
  if (!sent) {
    words.textContent = `Not uploaded: ${file.name} has another type. Choose a file of the same type.`;
    return;
  }
  bar.hidden = false;
  words.textContent = `Uploading ${file.name}`;
  try {
    const onProgress = (percent: number) => (bar.value = percent);
    const { id } = await window.postroomUpload(sent, { folder: input.dataset.folder ?? "", onProgress });
    const other = document.createElement("input");
    other.type = "hidden";
    other.name = "other";
    other.value = id;
    form.append(other);
    if (form.isConnected) form.requestSubmit(); // unless the dialog was closed: then it is a file like others
  } catch (problem) {
    words.textContent = problem instanceof Error ? problem.message : String(problem);
  }
  bar.hidden = true;
}
