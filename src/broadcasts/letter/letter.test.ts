import { expect, test } from "bun:test";
import { recipient, source } from "../../../test/support/broadcasts/letters";
import { costBeside } from "../../../test/support/cost";
import { translator } from "../../../views/languages/translator";
import { LetterProse } from "../../../views/newsletter/archive";
import { composeEmail, type Recipient } from "./emails";
import { letterOf } from "./letter";
import { emailPreview, pagePreview } from "./letter-preview";

const post = {
  title: "A library in four hundred lines",
  excerpt: "Why four hundred lines are enough.",
  content: '[Next](#next) and [older](../older)\n\n<Chart title="Rain" />',
  url: "https://blog.example/posts/library",
};
const written = (fields: Parameters<typeof source>[0]) => letterOf(source(fields));
const sent = (fields: Parameters<typeof source>[0], to: Recipient = recipient) => composeEmail(written(fields), to);
const page = (fields: Parameters<typeof source>[0]) =>
  `${LetterProse({ t: translator("en"), nodes: written(fields).page })}`;

test("a stored letter gives the same bytes at every attempt", () => {
  const letter = written({ subject: "For {name}", content: 'Dear {name, "friend"},\n\n{unsubscribe_url} <b>' });
  const thawed = JSON.parse(JSON.stringify(letter)) as typeof letter;
  expect(composeEmail(thawed, recipient)).toEqual(composeEmail(letter, recipient));
  expect(composeEmail(thawed, recipient)).toEqual(composeEmail(thawed, recipient));
  expect(letterOf(source({ subject: "For {name}" }))).toEqual(letterOf(source({ subject: "For {name}" })));
});

test("its bytes are those of the whole email without values", () => {
  const letter = written({ content: "Zoë" });
  const { subject, html, text } = composeEmail(letter, { ...recipient, unsubscribeUrl: "", preferencesUrl: "" });
  const unlinked = html.replaceAll('href="#"', 'href=""');
  expect(letter.bytes).toBe(Buffer.byteLength(subject + unlinked + text));
});

test("values are escaped in HTML and plain in text", () => {
  const to = { ...recipient, name: "Conan O'Brien", email: `o'h&"<x>@b.example` };
  const { html, text, subject } = sent({ subject: "{name}", content: "{name} {email}" }, to);
  expect(text).toContain(`Conan O'Brien o'h&"<x>@b.example`);
  expect(html).not.toContain(`"<x>`);
  expect(html).toContain(
    '<p style="margin:0 0 16px" dir="auto">Conan O&#x27;Brien o&#x27;h&amp;&quot;&lt;x&gt;@b.example</p>',
  );
  expect(subject).toBe("Conan O'Brien");
});

test("everyone can unsubscribe: the link is in both parts, and never in the archive", () => {
  const { html, text } = sent({ content: "{unsubscribe_url}" });
  const href = `href="${recipient.unsubscribeUrl.replaceAll("&", "&amp;")}"`;
  expect(html.split(href)).toHaveLength(3); // in the text and in the footer
  expect(text.split(recipient.unsubscribeUrl)).toHaveLength(3);
  expect(page({ content: "{unsubscribe_url}" })).toBe("");
});

test("the archive uses fallbacks, and a name without one is removed together with its space", () => {
  expect(page({ content: 'Dear {name, "friend"}, hello {name}.' })).toBe("<p>Dear friend, hello.</p>");
  const nameless = { ...recipient, name: null };
  expect(sent({ subject: "Rain for {name}!" }, nameless).subject).toBe("Rain for!");
  expect(sent({ subject: "Rain for {name}!" }).subject).toBe("Rain for Ada Lovelace!");
});

test("the line behind the subject is the preheader, the excerpt of the post, or the first words", () => {
  const hidden = (fields: Parameters<typeof source>[0]) =>
    /line-height:1px">([^<]*?) \u200c/.exec(sent(fields).html)?.[1];
  expect(hidden({ preheader: "For {name}" })).toBe("For Ada Lovelace");
  expect(hidden({ post })).toBe(post.excerpt);
  expect(hidden({ content: "# One\n\n```\n{name}\n```\n\n[two](https://a.example) three" })).toBe("two three");
  expect(hidden({ content: "word ".repeat(100) })).toBe(`${"word ".repeat(29)}word…`.replace(" word…", "…"));
});

test("a post is below the manager's words, with its own title and links", () => {
  const { html, text } = sent({ content: "New on the blog:", post });
  expect(text).toContain("New on the blog:\n\nA library in four hundred lines\n\nNext");
  expect(html).toContain(`href="${post.url}#next"`);
  expect(html).toContain('href="https://blog.example/older"');
  expect(html).toContain(`href="${post.url}"`);
  expect(text).toContain("“Rain” is on the web page <https://blog.example/posts/library>");
  const alone = sent({ content: "", subject: post.title, post }).text;
  expect(alone.split(post.title)).toHaveLength(2);
});

test("components in a broadcast's own text are on no page, so there is no link to one", () => {
  expect(page({ content: 'Before.\n\n<Chart title="Rain" />' })).toBe("<p>Before.</p>");
});

test("a link of HTML around blocks is a link in a line", () => {
  const content =
    '<a href="https://a.example/">\n\nOne **two**\n\n- three\n\n<img src="/media/1/a.png" alt="x" />\n\n[four](/b)\n\n</a>';
  expect(page({ content })).toBe(
    '<p><a href="https://a.example/">One <strong>two</strong> three  <img src="https://site.example/media/1/a.png" alt="x" loading="lazy">four </a></p>',
  );
  expect(page({ content: '<a href="https://a.example/">{browser_url}</a>' })).toContain("<p><a href=");
});

test("in plain text a link without words is its address, and one with words has both", () => {
  const { text } = sent({ content: "[](https://a.example/x), [there](https://a.example/y)" });
  expect(text).toContain("https://a.example/x, there <https://a.example/y>");
});

test("a text that is on no page has no link to one", () => {
  const letter = written({ content: "See {browser_url}", browserUrl: undefined });
  expect(composeEmail(letter, recipient).html).not.toContain("View in your browser");
  expect(letter.problems.map(({ code }) => code)).toEqual(["no-web-page"]);
});

test("files of Storage are known, whether shown or linked, by path or by URL", () => {
  const content = "![a](/media/1/a.png) [b](https://site.example/media/2/b.pdf) ![c](https://o.example/media/3/c.png)";
  expect(written({ content }).files).toEqual(["/media/1/a.png", "/media/2/b.pdf"]);
});

test("a picture on another https host is shown, with a warning; of one without TLS, only its description", () => {
  const letter = written({ content: "![a](https://o.example/a.png) ![b](http://o.example/b.png)" });
  const { html } = composeEmail(letter, recipient);
  expect([...html.matchAll(/<img [^>]*src="([^"]*)"/g)].map(([, src]) => src)).toEqual(["https://o.example/a.png"]);
  expect(html).toContain("[b]");
  expect(letter.problems.map(({ code }) => code)).toEqual(["outside-image", "refused-image"]);
});

test("a picture without an address is none: only its description is sent, and the check has its line", () => {
  const letter = written({ content: "Rain\n\n![Gauge]()" });
  const { html } = composeEmail(letter, recipient);
  expect(html).not.toContain("<img ");
  expect(html).toContain("[Gauge]");
  expect(letter.problems).toEqual([{ part: "text", code: "refused-image", what: "![Gauge]()", line: 3, at: 6 }]);
});

test("a draft is previewed with its own pictures, and without those of other hosts", () => {
  const pictures = new Map([["/media/1/a.png", "https://node.example/a.png?signed"]]);
  const content = "![a](/media/1/a.png) ![gone](/media/2/b.png) ![other](https://o.example/c.png)";
  const html = emailPreview(letterOf(source({ content }), { pictures }), undefined, false);
  expect([...html.matchAll(/<img [^>]*src="([^"]*)"/g)].map(([, src]) => src)).toEqual([
    "https://node.example/a.png?signed",
  ]);
  expect(html).toContain("[gone]");
  expect(html).toContain("[other]");
});

test("the page of a draft is what the archive will show, with its own pictures", () => {
  const pictures = new Map([["/media/1/a.png", "https://node.example/a.png?signed"]]);
  const letter = written({ content: 'Dear {name, "friend"} ![a](/media/1/a.png) ![other](https://o.example/c.png)' });
  const draft = {
    t: translator("en"),
    subject: "For {name}",
    sentAt: new Date(0),
    siteUrl: "https://site.example",
    preview: { pictures },
  };
  const shown = pagePreview(letter, { ...draft, isNight: true });
  expect(shown).toContain(
    '<p>Dear friend <img src="https://node.example/a.png?signed" alt="a" loading="lazy"> [other]</p>',
  );
  expect(shown).toContain('<html lang="en" class="night">');
  expect(shown).toContain("<h1>For</h1>");
});

test("the dark preview forces only the dark style sheet", () => {
  const subject = "<style>\n@media (prefers-color-scheme: dark) {";
  const [day, night] = [undefined, true].map((isNight) => emailPreview(written({ subject }), recipient, isNight));
  expect(day?.split("@media (prefers-color-scheme: dark)")).toHaveLength(4); // title, style, heading
  expect(night?.split("@media (prefers-color-scheme: dark)")).toHaveLength(3);
  expect(night).toContain("<style>\n@media all {");
});

test("control characters and half characters are in no part", () => {
  const { html, text, subject } = sent({
    subject: "a\0b\r\nc",
    content: "x\0y\x1b\ud800z \uE0001\uE001",
    preheader: "\x07",
  });
  expect(subject).toBe("ab c");
  for (const part of [html, text]) {
    expect(part).not.toMatch(/[\0-\x08\v\f\x0e-\x1f\x7f\ud800\uE000\uE001]/);
    expect(part.isWellFormed()).toBe(true);
  }
});

test("10,000 words stay below the 102 KB that Gmail shows", () => {
  const words = "rain on the quay and a lamp that nobody lit before it was dark";
  const parts = [`## ${words}`, `- ${words}\n- ${words}`, `${words} [link](https://x.example/a) **${words}** ${words}`];
  const content = Array.from({ length: 345 }, (_, i) => parts[i % 3]).join("\n\n");
  expect(content.split(/\s+/).length).toBeGreaterThan(10_000);
  expect(Buffer.byteLength(sent({ content }).html)).toBeLessThan(102_000);
});

test("a text that is too long for an email is never cut silently", () => {
  expect(written({ content: "word ".repeat(120_000) }).isCut).toBe(true);
  expect(written({ content: "word ".repeat(40_000) }).isCut).toBe(false);
});

test.each([" ", "\u00a0", "\t", "\u2028"])("a run of blanks (%j) costs about what words of its length do", (blank) => {
  const [words, odd] = ["ab ".repeat(8_000), `a${blank.repeat(24_000)}b`];
  const cost = costBeside(
    () => written({ content: words }),
    () => written({ content: `${odd}\n\n    ${odd}` }),
  );
  expect(cost).toBeLessThan(20);
});

test("pictures come as wide as the text of an email, which says how wide, for Outlook; the page says all of it", () => {
  const id = "019aa6a1-7d42-7e09-a5b3-6c8f2e1d0974";
  const pictures = new Map([[id, { width: 1_500, height: 1_000 }]]);
  const letter = letterOf({ ...source({ content: `![The harbour](/media/${id}/harbour.jpg)` }), pictures });
  expect(letter.html.join("")).toMatch(/ width="488" src="[^"]+\/harbour\.jpg\?w=1120&amp;as=jpeg" alt="The harbour"/);
  const shown = `${LetterProse({ t: translator("en"), nodes: letter.page })}`;
  expect(shown).toContain(`/media/${id}/harbour.jpg?w=320 320w, `);
  expect(shown).toContain('?w=1600 1500w" sizes="(max-width: 44rem) 100vw, 44rem" width="1500" height="1000"');
});
