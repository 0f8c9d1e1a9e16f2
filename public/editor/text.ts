/** A text and its selection. */
export type Selected = { text: string; start: number; end: number };
/** Replaces from..to by `insert`, then selects start..end. A picture becomes a paragraph, as an uploaded one does. */
export type Change = { from: number; to: number; insert: string; start: number; end: number; isPicture?: true };

/** The actions of buttons and shortcuts, by name. Each undoes itself when repeated, except for the link. */
export const tools: Record<string, (selected: Selected) => Change> = {
  bold: (selected) => wrap(selected, "**"),
  italic: (selected) => wrap(selected, "_"),
  heading: (selected) => eachLine(selected, (line) => headed(line)),
  heading1: (selected) => eachLine(selected, (line) => `# ${unmarked(line)}`),
  heading2: (selected) => eachLine(selected, (line) => `## ${unmarked(line)}`),
  heading3: (selected) => eachLine(selected, (line) => `### ${unmarked(line)}`),
  paragraph: (selected) => eachLine(selected, unmarked),
  link,
  quote: (selected) => prefix(selected, "> "),
  code: (selected) => (chosenIn(selected).includes("\n") ? fence(selected) : wrap(selected, "`")),
  list: (selected) => prefix(selected, "- "),
  tasks: (selected) => prefix(selected, "- [ ] "),
  numbers: (selected) =>
    eachLine(selected, (line) => (/^\d+\. /.test(line) ? line.replace(/^\d+\. /, "") : `1. ${line}`)),
  field: (selected) => mergeField(selected, "name", "friend"),
  indent: (selected) => eachLine(selected, (line) => `  ${line}`),
  outdent: (selected) => eachLine(selected, (line) => line.replace(/^(  ?|\t)/, "")),
};

const chosenIn = ({ text, start, end }: Selected) => text.slice(start, end);

/** Wraps the selection in marks, leaving white space at its ends outside, as Markdown requires. */
function wrap({ text, start, end }: Selected, mark: string): Change {
  while (start < end && /\s/.test(text[start] ?? "")) start++;
  while (end > start && /\s/.test(text[end - 1] ?? "")) end--;
  const words = text.slice(start, end);
  const n = mark.length;
  if (text.slice(start - n, start) === mark && text.slice(end, end + n) === mark)
    return { from: start - n, to: end + n, insert: words, start: start - n, end: end - n };
  const isWithin = text.slice(linesOf({ text, start, end }).from, start).split(mark).length % 2 === 0;
  if (start === end && isWithin && text.startsWith(mark, end))
    return { from: end, to: end, insert: "", start: end + n, end: end + n }; // what follows is without it
  if (words.length >= 2 * n && words.startsWith(mark) && words.endsWith(mark))
    return { from: start, to: end, insert: words.slice(n, -n), start, end: end - 2 * n };
  return { from: start, to: end, insert: mark + words + mark, start: start + n, end: end + n };
}

/** Makes a link and selects its URL to be typed, or its text if a URL was selected. Without one it has "text". */
function link(selected: Selected): Change {
  const { start: from, end: to } = selected;
  const words = chosenIn(selected) || "text";
  if (/^(https?:\/\/|mailto:|\/)\S+$/.test(words))
    return { from, to, insert: `[](${words})`, start: from + 1, end: from + 1 };
  const insert = `[${words}](https://)`;
  const end = from + insert.length - 1;
  return { from, to, insert, start: end - "https://".length, end };
}

/** A merge field, with what those without a value read selected; an earlier selection becomes that. */
function mergeField(selected: Selected, key: string, otherwise: string): Change {
  const { start: from, end: to } = selected;
  const fallback =
    chosenIn(selected)
      .replace(/["{}\\\n]/g, "")
      .slice(0, 60) || otherwise;
  const start = from + `{${key}, "`.length;
  return { from, to, insert: `{${key}, "${fallback}"}`, start, end: start + fallback.length };
}

/** Returns what a button of the toolbar does: one of the tools, a field of the site or the link to a topic. */
export function toolNamed(name: string): ((selected: Selected) => Change) | undefined {
  const [, kind, of = ""] = /^(field|topic):(.+)$/.exec(name) ?? [];
  if (kind === "field") return (selected) => mergeField(selected, of, "");
  if (kind !== "topic") return Object.hasOwn(tools, name) ? tools[name] : undefined;
  const insert = `{topic "${of}"}`;
  return ({ start: from, end: to }) => ({ from, to, insert, start: from + insert.length, end: from + insert.length });
}

function fence(selected: Selected): Change {
  const { from, to, text } = linesOf(selected);
  return { from, to, insert: `\`\`\`\n${text}\n\`\`\``, start: from + 3, end: from + 3 };
}

const headed = (line: string) => {
  const [, marks = "", words = ""] = /^(#{0,6}) ?(.*)$/.exec(line) ?? [];
  return marks === "" ? `## ${words}` : marks === "##" ? `### ${words}` : words;
};

const unmarked = (line: string) => line.replace(/^#{1,6} /, "");

/** Adds a prefix to each line, or removes it if every line has it. */
function prefix(selected: Selected, mark: string): Change {
  const hasAll = linesOf(selected)
    .text.split("\n")
    .every((line) => line.startsWith(mark));
  return eachLine(selected, (line) => (hasAll ? line.slice(mark.length) : `${mark}${line}`));
}

function linesOf({ text, start, end }: Selected) {
  const from = start && text.lastIndexOf("\n", start - 1) + 1; // before 0 it would search at 0
  const next = text.indexOf("\n", Math.max(start, end - 1));
  const to = next < 0 ? text.length : next;
  return { from, to, text: text.slice(from, to) };
}

function eachLine(selected: Selected, change: (line: string) => string): Change {
  const { from, to, text } = linesOf(selected);
  const insert = text.split("\n").map(change).join("\n");
  const { start, end } = selected;
  if (start !== end) return { from, to, insert, start: from, end: from + insert.length };
  const caret = Math.max(from, start + insert.length - text.length);
  return { from, to, insert, start: caret, end: caret };
}
