import { type Dropped, take } from "./dropped";
import { isEarly, later } from "./held";

/*
 * What is dropped where nothing takes it is lost, and not opened instead of the page. Text fields take text, and file
 * inputs take files.
 */
const isTaken = ({ target, dataTransfer }: DragEvent) =>
  (target as Element).closest(
    dataTransfer?.types.includes("Files") ? "input[type=file]" : "textarea, input, [contenteditable]",
  ) !== null;

/** A frame has its own document, which would open the file: while files are dragged, frames are not hit (utilities.css). */
const { dataset } = document.documentElement;
addEventListener("dragenter", ({ dataTransfer }) => {
  if (dataTransfer?.types.includes("Files")) dataset.dragging = "";
});
addEventListener("dragleave", ({ relatedTarget }) => !relatedTarget && delete dataset.dragging);
addEventListener("drop", () => delete dataset.dragging, true);

addEventListener("dragover", (event) => !isTaken(event) && event.preventDefault());
addEventListener("drop", (event) => {
  if (isTaken(event)) return;
  event.preventDefault();
  const { dataTransfer } = event;
  if (!isEarly() || !dataTransfer?.types.includes("Files")) return;
  const detail = take(dataTransfer);
  later(() => dispatchEvent(new CustomEvent<Dropped[]>("dropped", { detail })));
});
