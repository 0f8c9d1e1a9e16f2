import TurndownService from "turndown";

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
export function tableOf(rows: readonly (readonly string[])[]): string {
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
export function markdownOf(html: string): string | undefined {
  // The policy forbids inline styles in such a document too, and would be reported
  const unstyled = html.replace(/<style[\s\S]*?<\/style>/gi, "").replace(/(<[^<>]*?\s)style=/gi, "$1data-style=");
  const page = new DOMParser().parseFromString(unstyled, "text/html");
  clean(page);
  return page.body.querySelector(formatted) ? service.turndown(page.body) : undefined;
}
