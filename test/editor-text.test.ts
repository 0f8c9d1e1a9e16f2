import { expect, test } from "bun:test";
import { toolNamed, tools } from "../public/editor/text";

/** Uses a tool on a text in which `[` and `]` mark the selection, or `|` the caret. */
function after(tool: string, marked: string): string {
  const start = marked.search(/[[|]/);
  const text = marked.replace(/[[|]/, "");
  const end = text.includes("]") ? text.indexOf("]") : start;
  const plain = text.replace("]", "");
  const change = toolNamed(tool)?.({ text: plain, start, end });
  if (!change) throw new Error(`There is no ${tool}`);
  const done = plain.slice(0, change.from) + change.insert + plain.slice(change.to);
  if (change.start === change.end) return `${done.slice(0, change.start)}|${done.slice(change.start)}`;
  return `${done.slice(0, change.start)}[${done.slice(change.start, change.end)}]${done.slice(change.end)}`;
}

test.each([
  ["bold", "a [b] c", "a **[b]** c"],
  ["bold", "a [b ]c", "a **[b]** c"],
  ["bold", "a **[b]** c", "a [b] c"],
  ["bold", "a [**b**] c", "a [b] c"],
  ["bold", "a | c", "a **|** c"],
  ["bold", "a **b|** c", "a **b**| c"],
  ["bold", "**a** b|** c", "**a** b**|**** c"],
  ["bold", "a |**b**", "a **|****b**"],
  ["italic", "[a]", "_[a]_"],
  ["italic", "**[a]**", "**_[a]_**"],
  ["code", "[a]", "`[a]`"],
  ["code", "[a\nb]", "```|\na\nb\n```"],
  ["heading", "a|b", "## a|b"],
  ["heading", "## a|b", "### a|b"],
  ["heading", "### a|b", "a|b"],
  ["heading", "x\na|\ny", "x\n## a|\ny"],
  ["quote", "[a\nb]", "[> a\n> b]"],
  ["quote", "[> a\n> b]", "[a\nb]"],
  ["quote", "[> a\nb]", "[> > a\n> b]"],
  ["list", "[a\nb\n]c", "[- a\n- b]\nc"],
  ["list", "- a|", "a|"],
  ["field", "Dear |,", 'Dear {name, "[friend]"},'],
  ["field", 'Dear [you "all"],', 'Dear {name, "[you all]"},'],
  ["field:city", "From |.", 'From {city, "|"}.'],
  ["field:city", "From [here].", 'From {city, "[here]"}.'],
  ["topic:recipes", "More: |", 'More: {topic "recipes"}|'],
  ["indent", "a|", "  a|"],
  ["outdent", "  a|", "a|"],
  ["outdent", "|a", "|a"],
  ["outdent", "[\ta\n b]", "[a\nb]"],
])("%s makes of %j %j", (tool, before, expected) => {
  expect(after(tool, before)).toBe(expected);
});

test("a new link has its URL selected, and a word where its text goes; a linked URL asks for its text", () => {
  const { link } = tools;
  expect(link?.({ text: "See .", start: 4, end: 4 })).toEqual({
    ...{ from: 4, to: 4, insert: "[text](https://)" },
    ...{ start: 11, end: 19 },
  });
  expect(link?.({ text: "see it", start: 4, end: 6 })).toEqual({
    ...{ from: 4, to: 6, insert: "[it](https://)" },
    ...{ start: 9, end: 17 },
  });
  expect(link?.({ text: "https://a.example", start: 0, end: 17 })).toMatchObject({
    insert: "[](https://a.example)",
    start: 1,
    end: 1,
  });
});
