import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import sharp from "sharp";
import { composeEmail } from "../../../src/broadcasts/letter/emails";
import { letterOf, type LetterSource } from "../../../src/broadcasts/letter/letter";
import { emailPreview } from "../../../src/broadcasts/letter/letter-preview";
import { contrast, defaultBrand } from "../../../views/brand";
import { launch } from "../../support/browser";
import { recipient, source } from "../../support/broadcasts/letters";
import { scripts } from "../../security/markup";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

let browser: Browser;
beforeAll(async () => void (browser = await launch()));
afterAll(() => browser.close());

const emailOf = (fields: Partial<LetterSource>, to = recipient) => composeEmail(letterOf(source(fields)), to).html;

/** Every element with its parent, in order. Parsers add the `tbody` of tables. */
function outlineOf(html: string): string[] {
  const open: string[] = [];
  const outline: string[] = [];
  new HTMLRewriter()
    .on("*", {
      element(element) {
        outline.push(`${open.at(-1) ?? ""} ${element.tagName}`);
        if (["meta", "br", "hr", "img"].includes(element.tagName)) return;
        open.push(element.tagName);
        element.onEndTag(() => void open.pop());
      },
    })
    .transform(html);
  return outline.map((line) => line.replace("tbody", "table")).filter((line) => line !== "table table");
}

test("a browser reads the thirty golden emails as they were written: no element is moved, closed or added", async () => {
  const page = await browser.newPage();
  const texts = (await Bun.file(join(import.meta.dir, "../../golden/letter-texts.txt")).text()).split(/^%% .*\n/m);
  expect(texts).toHaveLength(31);
  for (const content of texts) {
    const html = emailOf({ content });
    const read = (await page.evaluate(`(() => {
      const { documentElement } = new DOMParser().parseFromString(${JSON.stringify(html)}, "text/html");
      return [documentElement, ...documentElement.querySelectorAll("*")].map(
        (element) => (element.parentElement?.localName ?? "") + " " + element.localName,
      );
    })()`)) as string[];
    const outline = read.map((line) => line.replace("tbody", "table")).filter((line) => line !== "table table");
    expect(outline).toEqual(outlineOf(html));
  }
  await page.close();
});

test(`${scripts.length} scripts in text, name, subject and site run in no email, though nothing forbids it`, async () => {
  const page = await browser.newPage();
  await page.route("**", (route) => route.abort());
  for (const script of scripts) {
    const fields = {
      subject: `${script} {name}`,
      preheader: script,
      content: `${script}\n\n[${script}](${script}) ![${script}](${script})\n\n{name, "${script}"} {email}`,
      post: { title: script, excerpt: "", content: `<a href="${script}">${script}</a>`, url: "https://blog.example/p" },
      site: { ...source().site, title: script, sender: [script] },
    };
    await page.setContent(emailOf(fields, { ...recipient, name: script, email: script }));
    for (const link of await page.locator("a").all()) await link.dispatchEvent("focus");
    expect([script, await page.evaluate("window.hit")]).toEqual([script, undefined]);
  }
  await page.close();
});

test("night is dark on a light screen, and no text is lost in it", async () => {
  const page = await browser.newPage({ colorScheme: "light" });
  const content = "# A\n\nText `code` [link](https://a.example)\n\n> quote\n\n```\ncode\n```\n\n|a|\n|-|\n|b|";
  const letter = letterOf(source({ content, date: new Date(0) }));
  for (const isNight of [false, true]) {
    await page.setContent(emailPreview(letter, undefined, isNight));
    const [paper, ...texts] = (await page.evaluate(`(() => {
      const lightness = (color) => color.match(/\\d+/g).slice(0, 3).reduce((sum, one) => sum + Number(one), 0) / 765;
      const hasText = ({ childNodes }) => [...childNodes].some((node) => node.nodeType === 3 && node.data.trim());
      const elements = [...document.body.querySelectorAll("*")].filter(hasText).slice(1);
      return [
        lightness(getComputedStyle(document.body).backgroundColor),
        ...elements.map((element) => lightness(getComputedStyle(element).color)),
      ];
    })()`)) as number[];
    expect(texts.length).toBeGreaterThan(10);
    expect(paper).toEqual(isNight ? expect.closeTo(0.07, 1) : expect.closeTo(0.97, 1));
    const tooClose = texts.filter((text) => Math.abs(text - (paper ?? 0)) < 0.4);
    expect(tooClose).toEqual([]);
  }
  await page.close();
});

const [ink, paper] = ["#251f19", "#fbf9f5"];
/** A logo as a picture: its left half is ink, the rest is transparent. */
const logo = `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="50"><rect width="100" height="50" fill="${ink}"/></svg>`;

/** The colours of two pixels of a part of the page, as it is drawn. */
async function pixels(png: Uint8Array, at: [number, number][]): Promise<string[]> {
  const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return at.map(([x, y]) => {
    const from = (y * info.width + x) * info.channels;
    return `#${data.subarray(from, from + 3).toString("hex")}`;
  });
}

test.each([
  ["light", true],
  ["dark", true],
  ["light", false],
  ["dark", false],
] as const)(
  "a transparent logo is drawn on its light plate, in %s mode, with styles: %p",
  async (colorScheme, styled) => {
    const page = await browser.newPage({ colorScheme, viewport: { width: 600, height: 400 } });
    await page.route("**", (route) => route.fulfill({ contentType: "image/svg+xml", body: logo }));
    const brand = {
      ...defaultBrand,
      logo: { path: "/media/1/logo.svg", src: "https://site.example/media/1/logo.svg", width: 200, height: 50 },
    };
    const html = emailOf({ site: { ...source().site, brand } });
    await page.setContent(
      styled ? html : html.replaceAll(/<style[^]*?<\/style>/g, "").replace("<body", '<body bgcolor="#000000"'),
    );
    const [drawn = "", clear = ""] = await pixels(await page.locator("img").first().screenshot(), [
      [50, 25],
      [150, 25],
    ]);
    expect([drawn, clear]).toEqual([ink, paper]);
    expect(contrast(drawn, clear)).toBeGreaterThanOrEqual(4.5);
    await page.close();
  },
);
