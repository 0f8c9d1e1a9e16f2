import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { flaws, looks } from "./axe";
import { eventually, focused, openStage, type Stage } from "./stage";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

let stage: Stage;
let paths: string[];
beforeAll(async () => {
  stage = await openStage();
  const start = await (await stage.get("/docs")).text();
  paths = [...new Set([...start.matchAll(/href="(\/docs[^"#.]*)"/g)].map(([, path]) => path ?? ""))];
});
afterAll(() => stage.close());

test("axe finds nothing on any page of the documentation, and nothing sticks out, light or dark, wide or narrow", async () => {
  const page = await (await stage.visitor(looks[0])).newPage();
  const found: string[] = [];
  for (const path of [...paths, "/docs/search", "/docs/search?q=nothing-like-it"]) {
    await page.goto(path);
    found.push(...(await flaws(page)).map((flaw) => `${path}: ${flaw}`));
  }
  expect(paths.length).toBeGreaterThan(10);
  expect(found).toEqual([]);
});

/** What is shown of an endpoint's examples. */
const shownOf = (page: Page, id: string) => page.locator(`#${id} .tabs pre`).filter({ visible: true }).allInnerTexts();
const beginningsOf = async (page: Page, id: string) => (await shownOf(page, id)).map((code) => code.slice(0, 12));

test("the language is chosen by keyboard, for every example, and is the same on the next page and the next visit", async () => {
  const context = await stage.visitor(looks[0]);
  const page = await context.newPage();
  await page.goto("/docs/uploads");
  expect(await beginningsOf(page, "createUpload")).toEqual(["curl -X POST"]);
  await page.locator("#createUpload input[value=curl]").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  expect(await beginningsOf(page, "createUpload")).toEqual([expect.stringMatching(/^import os/)]);
  expect(await beginningsOf(page, "getUpload")).toEqual([expect.stringMatching(/^import os/)]);
  await page.goto("/docs/contact");
  await eventually(() => beginningsOf(page, "sendContactMessage"), [expect.stringMatching(/^import uuid/)]);
  const later = await context.newPage();
  await later.goto("/docs/contact");
  await eventually(() => beginningsOf(later, "sendContactMessage"), [expect.stringMatching(/^import uuid/)]);
});

test("without scripts, the language of an example can be chosen, and the search leads to a page", async () => {
  const page = await (await stage.visitor({ ...looks[0], javaScriptEnabled: false })).newPage();
  await page.goto("/docs/uploads");
  await page.locator("#createUpload label", { hasText: "Go" }).click();
  expect(await beginningsOf(page, "createUpload")).toEqual(["package main"]);
  expect(await page.locator(".copy").count()).toBe(0);
  await page.locator("#q").fill("rate_limited");
  await page.keyboard.press("Enter");
  await page.locator("main .matches a").first().click();
  expect(new URL(page.url()).pathname + new URL(page.url()).hash).toBe("/docs/errors#RATE_LIMITED");
});

test("what is copied is the example that is shown", async () => {
  const context = await stage.visitor(looks[0]);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const page = await context.newPage();
  await page.goto("/docs/newsletter");
  await page.locator("#subscribe .tabs label", { hasText: "Go" }).click();
  await page.locator("#subscribe .tabs .copy").click();
  await eventually(() => page.locator("#status").textContent(), "Copied");
  expect(await page.evaluate("navigator.clipboard.readText()")).toStartWith("package main");
});

test("matches appear while one types, and the arrow keys reach them", async () => {
  const page = await (await stage.visitor(looks[0])).newPage();
  await page.goto("/docs");
  await page.keyboard.press("Control+k");
  expect(await focused(page)).toBe("q");
  await page.keyboard.type("post.pub");
  await page.locator("#matches li").first().waitFor();
  expect(await flaws(page)).toEqual([]);
  await page.keyboard.press("Escape");
  expect(await page.locator("#matches").isVisible()).toBe(false);
  await page.locator("#q").fill("post.published");
  await page.locator("#matches li").first().waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await eventually(() => new URL(page.url()).hash, "#onPostPublished");
});

test.each([
  ["createUpload", "/docs/uploads#createUpload"],
  ["postApiV1StorageUpload", "/docs/uploads#createUpload"],
  ["Newsletter", "/docs/newsletter"],
])("a link to #%s of the single page leads to %s", async (anchor, path) => {
  const page = await (await stage.visitor(looks[0])).newPage();
  await page.goto(`/docs#${anchor}`);
  await eventually(() => new URL(page.url()).pathname + new URL(page.url()).hash, path);
});

test("no page made the browser complain about the policy, or threw", () => {
  expect(stage.complaints).toEqual([]);
});
