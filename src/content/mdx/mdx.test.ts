import { expect, test } from "bun:test";
import { parseMdx, type Piece } from "./mdx";

/** `2:5 message`, as the editor lists them. */
const problemsIn = (body: string) =>
  parseMdx(body).problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
const piecesIn = (body: string) => parseMdx(body).pieces;
const namesIn = (body: string) => piecesIn(body).map((piece) => (piece.kind === "component" ? piece.name : piece.kind));
const component = (body: string) => piecesIn(body).at(-1) as Extract<Piece, { kind: "component" }> | undefined;

test.each([
  ["a component on lines of its own is a block", '<Callout type="warn">\nText\n</Callout>', true],
  ["a component that holds nothing too", "Before\n\n<Chart />\n\nAfter", true],
  ["so is one that interrupts a paragraph", "Before\n<Chart />\nAfter", true],
  ["and one in a list", "- <Chart />", true],
  ["and one in a quote", "> <Chart />", true],
  ["and one beside another", "<A /> <B />", true],
  ["a component among words is part of the paragraph", "So <Badge>new</Badge> it is", false],
  ["also when it is the whole paragraph", "<Badge>new</Badge>", false],
])("%s", (_, body, isBlock) => {
  expect(problemsIn(body)).toEqual([]);
  expect(piecesIn(body).map((piece) => piece.isBlock)).toContain(isBlock);
});

test("properties are kept as they are written", () => {
  const piece = component(`<Figure src="/a>b.png" alt='He said "hi"' width={{ a: "}" }} wide {...rest} />`);
  expect(piece?.props).toEqual([
    { name: "src", value: "/a>b.png" },
    { name: "alt", value: 'He said "hi"' },
    { name: "width", value: '{{ a: "}" }}' },
    { name: "wide" },
    { name: "{...rest}" },
  ]);
});

test.each([
  ["members, namespaces, fragments", "<Tabs.Item /> <svg:path /> <>x</>", ["Tabs.Item", "svg:path", ""]],
  ["components in components, the inner first", "<A>\n<B />\n\n<C>\n</C>\n</A>", ["B", "C", "A"]],
  ["the same name within itself", "<Box>\n<Box>\n</Box>\n</Box>", ["Box", "Box"]],
  ["expressions and comments", "{a} and {/* b */}", ["expression", "comment"]],
  ["imports and exports, with blank lines in braces", 'import A from "a"\nexport const b = {\n\n}\n\nText', ["import"]],
  ["an export later on", "Text\n\nexport const a = 1", ["export"]],
])("found: %s", (_, body, names) => {
  expect(problemsIn(body)).toEqual([]);
  expect(namesIn(body)).toEqual(names);
});

test.each([
  ["a code span", "`<A>` and ``{b ` <C>``"],
  ["a code span over two lines", "`a\n<B>`"],
  ["a fence", "```jsx\n<A>\n{b\n```"],
  ["a fence of tildes that holds a fence of ticks", "~~~\n```\n<A>\n~~~"],
  ["a longer fence", "````\n```\n<A>\n````"],
  ["a fence in a list", "- a\n\n  ```\n  <A>\n  ```"],
  ["a fence in a quote", "> ```\n> {a\n> ```"],
  ["escaped signs", "\\<A> and \\{b"],
  ["a comparison", "1 < 2"],
  ["the address of a link", "[a](<b c>)"],
  ["a closing brace", "a } b"],
  ["import within a paragraph", "We\nimport tea"],
  ["words that only begin like it", "imports are dear\n\nexport-ready"],
])("left alone: %s", (_, body) => {
  expect(parseMdx(body)).toMatchObject({ pieces: [], problems: [], markdown: body });
});

test.each([
  ["template strings", "{`}${`}`}`}"],
  ["strings", `{"}" + '}'}`],
  ["escaped quotes", '{"\\"}"}'],
  ["comments", "{/* } */ a // }\n}"],
  ["an apostrophe in JSX", "{a && <b>it's</b>}"],
])("a brace in %s closes nothing", (_, body) => {
  expect(piecesIn(body)).toMatchObject([{ source: body }]);
});

test.each([
  ["<Callout>\n\nText", "1:1 <Callout> is never closed. Add </Callout>, or write <Callout /> if it is empty."],
  ["a <br> b", "1:3 <br> is never closed. Add </br>, or write <br /> if it is empty."],
  ['x\n\n<A b="c">', "3:1 <A> is never closed. Add </A>."],
  ["Text\n\n</Callout>", "3:1 </Callout> has no matching opening tag."],
  ["<A>\n<B>\n</A>", "2:1 <B> is not closed before </A>."],
  ["<p>\nText</p>", "2:5 Put </p> on its own line, as <p> is."],
  ["<p>a\n\nb</p>", "3:2 <p> starts inside a paragraph. Close it in the same paragraph, or put it on its own line."],
  ["Sum {a + b", "1:5 This { is never closed. To show the character, write \\{."],
  ["<A b={c>", "1:6 The value of “b” is never closed."],
  ['<A b="c>', "1:6 The value of “b” is never closed."],
  ["<A b=c />", "1:6 The value of “b” needs quotes or braces."],
  ["<A ,>", "1:4 Unexpected “,” in <A>. Expected a property or “>”."],
  ["<A b", "1:1 <A is incomplete: “>” is missing."],
  ["I <3 it", "1:3 MDX reads “<” as the start of a component. To show the character, write \\<."],
  ["<!-- a -->", "1:1 MDX does not support <!-- comments -->. Use {/* … */}."],
  ["See <https://a.example/b>", "1:5 MDX does not support <links>. Use [text](URL)."],
  ["```js\nlet a", "1:1 This code block is never closed. Add a line with ```."],
  ["import taxes are due", "1:1 MDX reads a paragraph that begins with “import” as code."],
  ["---\ntitle: A\n---\n\nb", "1:1 Front matter is not allowed here. Use the fields of the form."],
  ["a\r\n<b>\r\n", "2:1 <b> is never closed. Add </b>, or write <b /> if it is empty."],
])("%j is a problem: %s", (body, problem) => {
  expect(problemsIn(body)).toEqual([problem]);
});

test("offsets count as the editor's do, in UTF-16 units with single line ends", () => {
  expect(parseMdx("😀\r\n<b>").problems).toMatchObject([{ offset: 3, line: 2, column: 1 }]);
});

test("the first twenty problems are listed, in the order of the text", () => {
  const problems = problemsIn("a <b\n\n".repeat(100));
  expect(problems).toHaveLength(20);
  expect(problems[1]).toStartWith("5:3 ");
  for (const tag of ["<b>", "</b>"]) expect(problemsIn(`${tag}\n\n`.repeat(100))).toHaveLength(20);
});

test("our own marks are removed from texts", () => {
  const { markdown, pieces } = parseMdx("\uE0000\uE001 {a}");
  expect(pieces).toHaveLength(1);
  expect(markdown).toStartWith("\uFFFD0\uFFFD ");
});
