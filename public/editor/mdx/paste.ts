import { syntaxTree } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { markdownOf, tableOf } from "./html-to-markdown";
import { addPictures } from "./uploads";

const address = /^(https?:\/\/|mailto:)\S+$/;

/** Lines of cells, as spreadsheets copy them. */
const isTable = (text: string) => {
  const lines = text.trimEnd().split("\n");
  const width = lines[0]?.split("\t").length ?? 0;
  return lines.length > 1 && width > 1 && lines.every((line) => line.split("\t").length === width);
};

const pictures = ({ files }: DataTransfer) => [...files].filter(({ type }) => type.startsWith("image/"));

/** Returns what is put in for what is pasted; undefined for the plain text. */
function pastedText(data: DataTransfer, selected: string): string | undefined {
  const plain = data.getData("text/plain").replace(/\r\n?/g, "\n");
  if (address.test(plain.trim()) && selected && !selected.includes("\n")) return `[${selected}](${plain.trim()})`;
  const html = data.types.includes("vscode-editor-data") ? "" : data.getData("text/html");
  const markdown = html && markdownOf(html);
  if (markdown) return markdown;
  return isTable(plain)
    ? tableOf(
        plain
          .trimEnd()
          .split("\n")
          .map((line) => line.split("\t")),
      )
    : undefined;
}

const isInCode = ({ state }: EditorView) =>
  /Code/.test(syntaxTree(state).resolveInner(state.selection.main.from, -1).name);

function paste({ clipboardData: data }: ClipboardEvent, view: EditorView): boolean {
  if (!data || isInCode(view)) return false;
  const { from, to } = view.state.selection.main;
  const files = pictures(data);
  if (files.length && !data.getData("text/html").includes("<table")) return addPictures(view, files, from);
  const text = pastedText(data, view.state.sliceDoc(from, to));
  if (text === undefined) return false;
  view.dispatch(view.state.replaceSelection(text), { userEvent: "input.paste", scrollIntoView: true });
  return true;
}

function drop(event: DragEvent, view: EditorView): boolean {
  const files = event.dataTransfer ? pictures(event.dataTransfer) : [];
  if (!files.length) return false;
  event.preventDefault();
  return addPictures(view, files, view.posAtCoords(event) ?? view.state.doc.length);
}

/** Pasted and dropped pictures, links, formatted text and tables. */
export const pasting = EditorView.domEventHandlers({ paste, drop });
