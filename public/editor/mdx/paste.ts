import { syntaxTree } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { addPictures } from "./uploads";
import TurndownService from "turndown";

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

const maxTextBytes = 100_000;
/** A short text is put in as it is, by the editor; every other file is uploaded. */
const isText = ({ type, size }: File) => type.startsWith("text/") && size <= maxTextBytes;

function drop(event: DragEvent, view: EditorView): boolean {
  const files = [...(event.dataTransfer?.files ?? [])].filter((file) => !isText(file));
  if (!files.length) return false;
  event.preventDefault();
  return addPictures(view, files, view.posAtCoords(event) ?? view.state.doc.length);
}

/** Pasted and dropped pictures, links, formatted text and tables. */
export const pasting = EditorView.domEventHandlers({ paste, drop });

/** Elements that Markdown has marks for. Without any of them, what is pasted is plain text. */
const formatted =
  "a[href], b, strong, em, i, s, del, h1, h2, h3, h4, h5, h6, ul, ol, table, blockquote, pre, code, img, hr";

const isSafe = (address: string) => /^(https?:|mailto:)/i.test(address) || !/^[^/?#]*:/.test(address);

const service = new TurndownService({
  headingStyle: "atx",
  codeBlockStyle: "fenced",
  bulletListMarker: "-",
  emDelimiter: "_",
  hr: "---",
});
const { escape } = service;
service.escape = (text) => escape.call(service, text).replace(/[{}<]/g, "\\$&"); // code in MDX

service.addRule("strikethrough", { filter: ["s", "del"], replacement: (content) => `~~${content}~~` });
service.addRule("item", {
  filter: "li",
  replacement(content, node) {
    const list = node.parentElement;
    const isNumbered = list?.nodeName === "OL";
    const start = Number(list?.getAttribute("start") ?? 1);
    const mark = isNumbered ? `${start + [...list.children].indexOf(node)}. ` : "- ";
    const lines = content
      .trim()
      .replace(/\n{2,}(?=\s*([-*]|\d+\.) )/g, "\n")
      .split("\n");
    return `${mark}${lines.map((line, i) => (i && line ? " ".repeat(mark.length) + line : line)).join("\n")}\n`;
  },
});
const cells = ({ cells }: HTMLTableRowElement) => [...cells].map(({ innerHTML }) => service.turndown(innerHTML));
service.addRule("table", {
  filter: "table",
  replacement: (content, node) =>
    node instanceof HTMLTableElement ? `\n\n${tableOf([...node.rows].map(cells))}\n\n` : content,
});

/** Returns a table, whose first row is its head. */
function tableOf(rows: readonly (readonly string[])[]): string {
  const width = Math.max(0, ...rows.map((row) => row.length));
  const cell = (text = "") =>
    text
      .trim()
      .replace(/\s*\n\s*/g, " ")
      .replace(/(?<!\\)\|/g, "\\|");
  const line = (row: readonly string[]) => `| ${Array.from({ length: width }, (_, i) => cell(row[i])).join(" | ")} |`;
  const [head = [], ...others] = rows;
  return [line(head), line(Array(width).fill("---")), ...others.map(line)].join("\n");
}

/** Removes what has no meaning in a text, and addresses that run scripts. The document is inert: nothing is loaded. */
function clean({ body }: Document): void {
  for (const element of body.querySelectorAll("script, style, template, meta, title, [hidden]")) element.remove();
  for (const element of body.querySelectorAll<HTMLElement>("b, strong"))
    if (/font-weight:\s*(normal|400)/.test(element.dataset.style ?? "")) element.replaceWith(...element.childNodes); // of Google Docs
  for (const link of body.querySelectorAll("a[href]"))
    if (!isSafe(link.getAttribute("href") ?? "")) link.replaceWith(...link.childNodes);
  for (const image of body.querySelectorAll("img"))
    if (!/^(https?:|\/media\/)/.test(image.getAttribute("src") ?? "")) image.remove();
}

/** Returns the Markdown of formatted text; undefined if it has no formatting. */
function markdownOf(html: string): string | undefined {
  // The policy forbids inline styles in such a document too, and would be reported
  const unstyled = html.replace(/<style[\s\S]*?<\/style>/gi, "").replace(/(<[^<>]*?\s)style=/gi, "$1data-style=");
  const page = new DOMParser().parseFromString(unstyled, "text/html");
  clean(page);
  return page.body.querySelector(formatted) ? service.turndown(page.body) : undefined;
}
