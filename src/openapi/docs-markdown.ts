/** Elements that begin a line of Markdown, and what they begin it with. Others are inline, or only around these. */
const beginnings: Record<string, string> = {
  h1: "\n\n# ",
  h2: "\n\n## ",
  h3: "\n\n### ",
  p: "\n\n",
  summary: "\n\n",
  dl: "\n\n",
  ul: "\n\n",
  li: "\n- ",
  dt: "\n- ",
  dd: ": ",
};

const fences: Record<string, string> = { curl: "sh", TypeScript: "ts", Python: "python", Go: "go" };

/** A block of code, a tag, or text. */
const tokens = /<pre([^>]*)>([^]*?)<\/pre>|<(\/?)(\w+)([^>]*)>|[^<]+/g;
/** The names of tabs: each example says its language itself. */
const tabs = /<legend[^]*?<\/legend>|<label[^]*?<\/label>/g;

/** Returns the Markdown of a page of ours, for programs and language models. Links lead to the Markdown of other pages. */
export function markdownOf(html: string): string {
  let markdown = "";
  const links: string[] = [];
  for (const [text, attributes = "", code, slash, tag = "", more = ""] of html.replace(tabs, "").matchAll(tokens)) {
    if (code !== undefined) markdown += fenced(decoded(code), /data-language="(\w+)"/.exec(attributes)?.[1]);
    else if (!tag) markdown += decoded(text).replace(/\s+/g, " ");
    else if (tag === "code") markdown += !slash && markdown.endsWith("`") ? " `" : "`";
    else if (tag === "span") markdown += markdown.endsWith("[") ? "" : " ";
    else if (tag === "a" && slash) markdown += closing(links.pop());
    else if (tag === "a") {
      links.push(/href="(\/[^"]*)"/.exec(more)?.[1] ?? "");
      markdown += links.at(-1) && "[";
    } else if (!slash) markdown = begun(markdown, tag);
  }
  return tidied(markdown);
}

const closing = (href = "") => href && `](${toMarkdown(href)})`;

/** "/docs/errors#CONFLICT" is "/docs/errors.md#CONFLICT" in Markdown. */
export const toMarkdown = (path: string) => path.replace(/^\/docs[^#.]*/, "$&.md");

/** A paragraph in an item of a list stays on its line, behind what it is about. */
function begun(markdown: string, tag: string): string {
  const line = markdown.slice(markdown.lastIndexOf("\n") + 1);
  const isInItem = line.startsWith("- ") && (tag === "p" || tag === "summary");
  if (isInItem) return line === "- " ? markdown : `${markdown.trimEnd()}: `;
  return markdown + (beginnings[tag] ?? "");
}

function fenced(code: string, language = ""): string {
  const kind = fences[language] ?? languageOf(code);
  return `\n\n\`\`\`${kind}\n${code.trimEnd()}\n\`\`\`\n\n`;
}

/** The language of code that has no tab: JSON, HTML, a command, or TypeScript. */
function languageOf(code: string): string {
  if (/^[{[]/.test(code)) return "json";
  if (code.startsWith("<")) return "html";
  if (/^(curl|npm|npx|export [A-Z]) ?/.test(code)) return "sh";
  return /^(import|export|"use) ?/.test(code) ? "ts" : "";
}

/** Without the white space that was between elements, and with one empty line between two parts. */
const tidied = (markdown: string) =>
  markdown
    .split(/\n(```[^]*?\n```)\n/)
    .map((part, at) => (at % 2 ? part : withoutGaps(part)))
    .filter(Boolean)
    .join("\n\n");

const withoutGaps = (text: string) =>
  text
    .replace(/[^\S\n]+/g, " ")
    .replace(/ $|^ | (?=[.,;:)])/gm, "")
    .replace(/\n{3,}/g, "\n\n")
    .trim();

const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'" };

/** Text as it was before it was escaped. */
export const decoded = (html: string) =>
  html.replace(/&(\w+|#x27);/g, (whole, name: string) => entities[name] ?? whole);
