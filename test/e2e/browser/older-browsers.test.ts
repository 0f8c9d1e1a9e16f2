import { afterAll, beforeAll, expect, test } from "bun:test";
import { eventually, openStage, type Stage } from "./stage";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

/** As in Chromium up to 146. */
const strictParser = `
  const parse = Document.parseHTMLUnsafe;
  Document.parseHTMLUnsafe = (...given) => {
    if (given.length > 1) throw new TypeError("Overload resolution failed.");
    return parse.apply(Document, given);
  };`;

/** Behaves like Chromium 147 and later, whichever version the tests run in. */
const lenientParser = `
  const strict = Document.parseHTMLUnsafe;
  globalThis.parsed = 0;
  Document.parseHTMLUnsafe = (text) => {
    globalThis.parsed++;
    return strict.call(Document, text);
  };`;

async function openDialog(script: string) {
  const page = await (await stage.manager()).newPage();
  await page.addInitScript(script);
  await page.goto("/dashboard/newsletter");
  await page.getByRole("link", { name: "Add subscriber" }).click();
  await page.locator("#dialog dialog[open]").waitFor();
  expect(stage.complaints).toEqual([]);
  return page;
}

test("htmx swaps in a browser whose parser accepts no options", async () => {
  await openDialog(strictParser);
});

test("htmx swaps in a browser whose parser accepts options", async () => {
  const page = await openDialog(lenientParser);
  expect(await page.evaluate("parsed")).toBeGreaterThan(1); // once to detect it, and once for the dialog
});

/** Records whether our own script ran before htmx: the script replaces a parser that is too strict. */
const whenHtmxBegins = `
  let htmx;
  const set = (value) => { htmx = value; globalThis.ours = !("parseHTMLUnsafe" in Document); };
  Object.defineProperty(globalThis, "htmx", { configurable: true, get: () => htmx, set });`;

test("our own script runs before htmx, which processes a page and sends requests as soon as it can", async () => {
  const page = await (await stage.manager()).newPage();
  await page.addInitScript(strictParser + whenHtmxBegins);
  await page.goto("/dashboard/newsletter");
  expect(await page.evaluate("ours")).toBe(true);
});

test("icons are shown when their file comes from the cache", async () => {
  const page = await stage.open("/dashboard"); // fills it
  for (let i = 0; i < 5; i++) {
    await page.goto("/dashboard/newsletter");
    await eventually(() => page.evaluate(emptyIcons), 0);
  }
});

/** How many visible icons are empty. */
const emptyIcons = `(() => {
  const icons = [...document.querySelectorAll(".icon use")].filter((use) => use.checkVisibility());
  return icons.length > 10 ? icons.filter((use) => !use.getBBox().width && !use.getBBox().height).length : "none";
})()`;
