import { expect, test } from "bun:test";
import fc from "fast-check";
import { scripts } from "../../test/security/markup";
import { preview } from "./preview";
import { costBeside } from "../../test/support/cost";

const blog = "https://blog.example.com";
const pictures = new Map([["2", { width: 800, height: 600 }]]);
const html = (body: string) => String(preview(body, { blogUrl: blog, pictures }).prose);
/** What is visible: without icons, and without line ends between blocks. */
const shown = (body: string) => html(body).replace(/<svg.*?<\/svg>/g, "");

test.each([
  ["# A *title*", "<h2>A <em>title</em></h2>"],
  ["## Next", "<h2>Next</h2>"],
  ["###### Low", "<h6>Low</h6>"],
  ["a **b** ~~c~~  \nd", "<p>a <strong>b</strong> <del>c</del><br>d</p>"],
  ['1 < 2 && "3"', "<p>1 &lt; 2 &amp;&amp; &quot;3&quot;</p>"],
  ["3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'],
  ["- [x] a\n- [ ] b", '<ul><li class="task">☑ a</li><li class="task">☐ b</li></ul>'],
  ["> a\n\n---", "<blockquote><p>a</p></blockquote><hr>"],
  ["```js\n<b>{c}\n```", "<pre><code>&lt;b&gt;{c}\n</code></pre>"],
  ["`<A>{b}`", "<p><code>&lt;A&gt;{b}</code></p>"],
  ["[a](/b)", `<p><a href="${blog}/b" target="_blank" rel="noopener noreferrer">a</a></p>`],
  ["![a](/media/1/b.png)", '<p><img src="/media/1/b.png" alt="a" loading="lazy"></p>'],
])("Markdown is rendered: %j", (body, expected) => {
  expect(html(body)).toBe(expected);
});

test("a picture whose size is known comes in the width of the window, and moves nothing", () => {
  const sources = 'srcset="/media/2/b.png?w=320 320w, /media/2/b.png?w=640 640w, /media/2/b.png?w=960 800w"';
  expect(html("![a](/media/2/b.png)")).toBe(
    `<p><img src="/media/2/b.png?w=1280" ${sources} sizes="(max-width: 44rem) 100vw, 44rem" width="800" height="600" alt="a" loading="lazy"></p>`,
  );
});

test("a wide table can be scrolled by keyboard", () => {
  expect(html("|a|b|\n|-|-:|\n|c|`d`|")).toBe(
    '<div class="wide" role="region" aria-label="Table" tabindex="0"><table>' +
      '<thead><tr><th>a</th><th class="to-right">b</th></tr></thead>' +
      '<tbody><tr><td>c</td><td class="to-right"><code>d</code></td></tr></tbody></table></div>',
  );
});

test("the attributes of a component are shown up to 200 characters", () => {
  const label = (length: number) => shown(`<A b="${"x".repeat(length - 4)}" />`);
  expect(label(200)).toContain(`<code>b=&quot;${"x".repeat(196)}&quot;</code>`);
  expect(label(201)).toContain(`<code>b=&quot;${"x".repeat(196)}…</code>`);
});

test.each([
  [
    "a component with Markdown in it",
    '<Callout type="warn">\nMind the **gap**\n</Callout>',
    '<div class="mdx"><p class="mdx-name">Callout <code>type=&quot;warn&quot;</code></p><p>Mind the <strong>gap</strong></p></div>',
  ],
  [
    "a component in a line of text",
    "An <Abbr>*x*</Abbr>.",
    '<p>An <span class="mdx"><span class="mdx-name">Abbr </span> <em>x</em></span>.</p>',
  ],
  [
    "one inside the other",
    "<A>\n<B />\n</A>",
    '<div class="mdx"><p class="mdx-name">A </p><div class="mdx"><p class="mdx-name">B </p></div></div>',
  ],
  ["an expression in a line", "Sum: {1 + 1}", '<p>Sum: <code class="mdx">{1 + 1}</code></p>'],
  [
    "an import",
    'import A from "a"',
    '<div class="mdx"><p class="mdx-name">Import</p><pre><code>import A from &quot;a&quot;</code></pre></div>',
  ],
  ["HTML, like any component", "<u>a</u>", '<p><span class="mdx"><span class="mdx-name">u </span> a</span></p>'],
])("%s is a labelled box", (_, body, expected) => {
  expect(shown(body)).toBe(expected);
});

test.each([
  ["javascript:alert(1)"],
  ["JaVaScRiPt:alert(1)"],
  ["data:text/html,x"],
  ["vbscript:x"],
  ["blob:https://a.example/b"],
  ["file:///etc/passwd"],
])("a link to %s is shown and leads nowhere", (href) => {
  expect(shown(`[a](${href})`)).toMatch(/^<p><span class="mdx">a <code>[^<]+<\/code><\/span><\/p>$/);
});

test.each([
  ["https://tracker.example/a.png"],
  ["//tracker.example/a.png"],
  ["/api/newsletter/unsubscribe?email=a"],
  ["/media/../dashboard"],
  ["/media/%2e%2e/a?b"],
  ["a.png"],
  ["data:image/png;base64,AAAA"],
  ["/media/1/a.png/../../dashboard"],
])("an image at %s is shown as words: only files of Storage are loaded", (src) => {
  expect(html(`![a](${src})`)).not.toContain("<img");
});

test("links are never nested", () => {
  expect(html("[a <B>[b](/c)</B>](/d)").match(/<a /g)).toHaveLength(1);
});

const tags = new Map<string, string[]>(
  Object.entries({
    a: ["href", "target", "rel"],
    img: ["src", "srcset", "sizes", "width", "height", "alt", "loading"],
    ol: ["start"],
    li: ["class"],
    th: ["class"],
    td: ["class"],
    div: ["class", "role", "aria-label", "tabindex"],
    span: ["class"],
    p: ["class"],
    code: ["class"],
    svg: ["class", "aria-hidden", "focusable"],
    use: ["href"],
  }),
);
for (const tag of "h2 h3 h4 h5 h6 ul blockquote hr pre table thead tbody tr strong em del br".split(" "))
  tags.set(tag, []);

/** What the output contains that is not allowed, according to an HTML parser that is not ours. */
function strangers(body: string): string[] {
  const found: string[] = [];
  new HTMLRewriter()
    .on("*", {
      element({ tagName, attributes }) {
        const allowed = tags.get(tagName);
        if (!allowed) found.push(tagName);
        for (const [name, value] of attributes) {
          if (!allowed?.includes(name)) found.push(`${tagName} ${name}`);
          if (name === "href" && !/^(https?:|mailto:|tel:|\/assets\/icons)/.test(value)) found.push(value);
          if (name === "src" && !value.startsWith("/media/")) found.push(value);
        }
      },
      comments: () => void found.push("a comment"),
    })
    .transform(html(body));
  return found;
}

test("the check would find a stranger", () => {
  tags.delete("h2");
  expect(strangers("# a")).toEqual(["h2"]);
  tags.set("h2", []);
});

const frames = [
  (text: string) => text,
  (text: string) => `[a](${text})`,
  (text: string) => `![${text}](${text} "${text}")`,
  (text: string) => `<Callout type="${text}">${text}</Callout>`,
  (text: string) => `<${text}>\n${text}\n</${text}>`,
  (text: string) => `{${text}}`,
  (text: string) => `\`\`\`${text}\n${text}\n\`\`\``,
  (text: string) => `|${text}|\n|-|\n|${text}|`,
  (text: string) => `[a]: ${text}\n\n[a]`,
  (text: string) => `# ${text}\n- ${text}\n> ${text}`,
];

test(`${scripts.length} scripts in ${frames.length} places give nothing but what is allowed`, () => {
  for (const script of scripts)
    for (const frame of frames) expect([frame(script), ...strangers(frame(script))]).toEqual([frame(script)]);
});

const bits = fc.constantFrom(
  ...'# |- |> |1. |* |** |_ |~~ |` |``` |~~~ |[ |] |( |) |![ |](x)|\\|<|>|</|/>|<A|</A>|<A>|<A b={|<b c="|{|}|{/*|*/}|'
    .split("|")
    .concat(["|", "|-|", "\n", "\n\n", "\n  ", "a", " ", "\t", "\r", "\0", "\uE000", "0\uE001", "😀", "\ud800"])
    .concat(["import a", 'import "a"', "export ", "javascript:x", "https://a.b", "&lt;", "&#60;", "'", '"', "$", "${"]),
);

test("for any text the preview responds, with nothing but what is allowed", () => {
  const texts = fc.array(bits, { maxLength: 40 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(texts, (text) => strangers(text).length === 0),
    { numRuns: 3_000 },
  );
});

test("pieces lose nothing: every word of a text without problems is in its preview", () => {
  const words = fc.array(fc.constantFrom("<A>one</A>", "{two}", "**three**", "`<four>`", "\n\n", " ", "- ", "> "));
  fc.assert(
    fc.property(words, (parts) => {
      const text = parts.join(" ");
      const visible = html(text).replace(/<[^>]+>/g, "");
      return ["one", "two", "three", "four"].every((word) => visible.split(word).length === text.split(word).length);
    }),
    { numRuns: 1_000 },
  );
});

const many = 200_000;
const quadratic = 60; // anything that is not linear takes thousands
/** The work compared with that for an ordinary text of the same length. */
const cost = (body: string) => {
  const ordinary = "A lamp on the quay.\n\n".repeat(body.length / 21);
  return costBeside(
    () => html(ordinary),
    () => html(body),
  );
};

test.each([
  ["quotes", ">"],
  ["open tags", "<a>"],
  ["open blocks", "<a>\n"],
  ["half a tag", "<a "],
  ["closing tags", "</a>"],
  ["pairs", "<a></a>"],
  ["braces", "{"],
  ["closed braces", "{}"],
  ["braces in tags", "<a b={"],
  ["quotes in tags", `<a b='<a b="`],
  ["ticks", "` "],
  ["more ticks", "`` ` "],
  ["fences", "```\n"],
  ["brackets", "["],
  ["images", "![](x)"],
  ["emphasis", "*a _b "],
  ["lists", "- "],
  ["deep lists", "1. > "],
  ["escapes", "\\"],
  ["comments", "{/*"],
  ["strings", '{"\\"'],
  ["imports", "import {\n\n"],
  ["blank lines", "\n \n"],
  ["tables", "|a"],
])("time and depth are bounded for 200,000 %s", (_, bit) => {
  const text = bit.repeat(many / bit.length);
  expect(cost(`${text}\n${text.slice(0, 1_000)}`)).toBeLessThan(quadratic);
});

test.each(["{a} ", "{a}\n\n", "<A/>\n\n", "<A>b</A> "])(
  "a text of nothing but %j is no page of a hundred megabytes: it ends, and says so",
  (bit) => {
    const text = bit.repeat(500_000 / bit.length);
    const shown = html(text);
    expect(shown.length).toBeLessThan(2_000_000);
    expect(shown.split(/\{a\}|A\b/).length).toBeGreaterThan(5_000);
    expect(shown).toContain("The preview ends here. The post goes on.");
  },
);

test.each([
  ["links", "[a] "],
  ["images", "![a] "],
])("an address made of MDX is not shown again at its whole length by every one of 2,000 %s", (_, bit) => {
  const body = `[a]: {"${"x".repeat(50_000)}"}\n\n${bit.repeat(2_000)}`;
  expect(html(body).length).toBeLessThan(2_000_000);
});

test("a preview shows the first 100,000 characters in whole lines, and says so only if there are more", () => {
  const line = "Words and words.\n\n"; // eighteen characters
  const shown = html(line.repeat(5_500)).split("<p>Words").length;
  expect(shown > 4_900 && shown < 5_100).toBe(true); // paragraphs and their texts are ten thousand nodes
  expect(html(`${"words ".repeat(20_000)}\n\n# End`)).not.toContain("End");
  expect(html(line.repeat(1_000))).not.toContain("preview ends");
});

test.each([
  ["comments before code", "{/**/", "/**/", "x}\n\n"],
  ["comments before a comment that is none", "{/**/", "/**/", "/ }\n\n"],
])("time is bounded for %s, whatever their number", (_, open, bit, close) => {
  expect(cost(`${open}${bit.repeat(40)}${close}`.repeat(20))).toBeLessThan(quadratic);
});

test.each([
  ["tags", "<a>\n", "\n</a>"],
  ["tags of one line", "<a>", "</a>"],
  ["attributes", "<a b={", "}/>"],
  ["expressions", "{", "}"],
])("nesting 20,000 %s deep", (_, open, close) => {
  expect(cost(open.repeat(20_000) + close.repeat(20_000))).toBeLessThan(quadratic);
});
