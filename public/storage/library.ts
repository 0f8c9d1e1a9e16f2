import { announce, targetOf } from "../app/dom";

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
