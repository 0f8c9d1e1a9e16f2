import { expect, test } from "bun:test";
import fc from "fast-check";
import { recipient, source } from "../../../test/support/broadcasts/letters";
import { headerPayloads } from "../../../test/security/header-payloads";
import { scripts } from "../../../test/security/markup";
import { translator } from "../../../views/languages/translator";
import { LetterProse } from "../../../views/newsletter/archive";
import { composeEmail } from "./emails";
import { letterOf, type LetterSource } from "./letter";

/** Every element that an email or a page of the archive may contain, with its attributes. */
const attributes = new Map<string, string[]>(
  Object.entries({
    html: ["lang"],
    meta: ["charset", "name", "content"],
    body: ["class", "style", "bgcolor"],
    table: ["role", "width", "cellpadding", "cellspacing", "border", "style", "align"],
    td: ["class", "style", "align", "valign", "bgcolor"],
    th: ["class", "style"],
    a: ["class", "style", "href"],
    img: ["class", "style", "width", "src", "alt", "loading"],
    ol: ["style", "start"],
    div: ["class", "style", "role", "aria-label", "tabindex"],
    pre: ["class", "style", "tabindex"],
    span: ["class", "style"],
  }),
);
for (const tag of "h1 h2 h3 h4 h5 h6 p".split(" ")) attributes.set(tag, ["class", "style", "dir"]);
for (const tag of "ul blockquote hr".split(" ")) attributes.set(tag, ["class", "style"]);
for (const tag of "head title style thead tbody tr strong em del code br".split(" ")) attributes.set(tag, ["style"]);
attributes.set("li", ["dir"]);

/** What Word reads, which is not the text's: the column's table, and its end. */
const forWord = /^\[if mso\]>(<table role="presentation" width="560"[^<>]*><tr><td>|<\/td><\/tr><\/table>)<!\[endif\]$/;

/** The classes are for dark mode, narrow screens, and tables in the archive. */
const classes = /^(paper|sheet|foot|drop|(ink|rule|quiet|link|code)( rule)?|scroll|to-(right|center))$/;
const phrasing = new Set(["p", "h1", "h2", "h3", "h4", "h5", "h6", "a", "strong", "em", "del", "code", "span"]);
const inPhrasing = new Set(["a", "strong", "em", "del", "code", "span", "br", "img"]);
const children: Record<string, RegExp> = {
  ul: /^li$/,
  ol: /^li$/,
  table: /^(thead|tbody|tr)$/,
  thead: /^tr$/,
  tbody: /^tr$/,
  tr: /^t[hd]$/,
};
const voids = new Set(["meta", "br", "hr", "img"]);

/** What a document contains that is not allowed, or not allowed there, according to an HTML parser that is not ours. */
function strangers(html: string): string[] {
  const found: string[] = [];
  const open: string[] = [];
  new HTMLRewriter()
    .on("*", {
      element(element) {
        const { tagName } = element;
        const parent = open.at(-1) ?? "";
        const allowed = attributes.get(tagName);
        if (!allowed) found.push(tagName);
        if (phrasing.has(parent) && !inPhrasing.has(tagName)) found.push(`${tagName} in ${parent}`);
        if (children[parent] && !children[parent].test(tagName)) found.push(`${tagName} in ${parent}`);
        if (tagName === "a" && open.includes("a")) found.push("a link in a link");
        for (const [name, value] of element.attributes) {
          if (!allowed?.includes(name)) found.push(`${tagName} ${name}`);
          if (name === "class" && !classes.test(value)) found.push(`class ${value}`);
          if (name === "href" && !/^(https?:|mailto:|tel:)/.test(value)) found.push(value);
          if (name === "src" && !value.startsWith("https:")) found.push(value);
        }
        if (voids.has(tagName)) return;
        open.push(tagName);
        element.onEndTag(({ name }) => {
          if (open.pop() !== name) found.push(`</${name}>`);
        });
      },
      comments: ({ text }) => void (forWord.test(text) || found.push("a comment")),
    })
    .transform(html);
  return [...found, ...open];
}

const strangersIn = (fields: Partial<LetterSource>, name = "") => {
  const letter = letterOf(source(fields));
  const { html } = composeEmail(letter, { ...recipient, name, email: `${name}@reader.example` });
  return [...strangers(html), ...strangers(`${LetterProse({ t: translator("en"), nodes: letter.page })}`)];
};

test("the check would find an element that is not allowed, a block in a line and a link in a link", () => {
  const found = strangers('<p onclick="x"><ul><b></b></ul></p><a href="https://a"><a href="x:"></a></a>');
  expect(found).toEqual(["p onclick", "ul in p", "b", "b in ul", "a link in a link", "x:"]);
});

const frames = [
  (text: string) => text,
  (text: string) => `[a ${text}](${text})`,
  (text: string) => `![${text}](${text} "${text}")`,
  (text: string) => `<Callout title="${text}">${text}</Callout>`,
  (text: string) => `<img src="${text}" alt='${text}' />\n\n<a href="${text}">${text}</a>`,
  (text: string) => `{name, "${text}"} {${text}}`,
  (text: string) => `\`\`\`${text}\n${text}\n\`\`\``,
  (text: string) => `|${text}|\n|-|\n|${text}|`,
  (text: string) => `[a]: ${text}\n\n[a]\n\n# ${text}\n- ${text}\n> ${text}`,
];

test(`${scripts.length} scripts in ${frames.length} places of the text give nothing but what is allowed`, () => {
  for (const script of scripts)
    for (const frame of frames)
      expect([frame(script), ...strangersIn({ content: frame(script) })]).toEqual([frame(script)]);
});

test(`${scripts.length} scripts in the subject, the site, the post and a name give nothing but what is allowed`, () => {
  for (const script of scripts) {
    const { site } = source();
    const post = {
      title: script,
      excerpt: script,
      content: `{name, "x"} <Chart title='${script}' />`,
      url: "https://b.example/p",
    };
    const fields = { subject: script, preheader: script, content: "{name} {email}", post };
    const found = strangersIn({ ...fields, site: { ...site, title: script, sender: [script] } }, script);
    expect([script, ...found]).toEqual([script]);
  }
});

const dangerous = /^(script|svg|\w+ on\w+|[\0-\x20]*(javascript|vbscript|data):)/i;

test("a page of the archive contains only what is allowed, even if its row was not written by us", () => {
  const forged = scripts.flatMap((script) => [
    { tag: script, children: [script] },
    { tag: "script", children: [script] },
    { tag: "a", href: script, children: [script] },
    { tag: "img", src: script, alt: script },
    { tag: "th", align: script, children: [] },
    { field: "name", fallback: script, before: script },
  ]);
  for (const nodes of forged) {
    const found = strangers(`${LetterProse({ t: translator("en"), nodes: [nodes] as never })}`);
    expect(found.filter((one) => dangerous.test(one))).toEqual([]);
  }
});

const controls = /[\p{Cc}\u2028\u2029]/u;

test(`${headerPayloads.length} subjects, names and preheaders that try to become headers stay one line`, () => {
  expect(headerPayloads.length).toBeGreaterThanOrEqual(300);
  for (const payload of headerPayloads) {
    const letter = letterOf(source({ subject: `${payload} {name, "${payload}"}{email}`, preheader: payload }));
    for (const name of [payload, null]) {
      const { subject } = composeEmail(letter, { ...recipient, name, email: payload });
      expect(subject).not.toMatch(controls);
      expect(subject).not.toContain("=?");
      expect([...subject].length).toBeLessThanOrEqual(200);
    }
  }
});

const bits = fc.constantFrom(
  ...'# |- |> |1. |* |** |` |``` |[ |] |( |) |![ |](x)|](https://a.b)|\\|<|>|</|/>|<A|</A>|<A>|<a href="https://b.c">|</a>|<br/>'
    .split("|")
    .concat(["{name}", '{name, "x"}', "{email}", "{unsubscribe_url}", "{browser_url}", "{1}", "{/* c */}", "<hr/>"])
    .concat(["|", "|-|", "\n", "\n\n", "\n  ", "a", " ", "\t", "\r", "\0", "\uE000", "0\uE001", "😀", "\ud800"]),
);

test("whatever the text, the letter is valid, and what is in it is allowed", () => {
  const texts = fc.array(bits, { maxLength: 40 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(texts, (content) => strangersIn({ content }, "Ada").length === 0),
    { numRuns: 2_000 },
  );
});
