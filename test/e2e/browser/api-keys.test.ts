import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import * as apiKeys from "../../../db/access/keys/api-keys";
import { eventually, focused, focusOn, onChromium, openStage, type Stage } from "./stage";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const path = "/dashboard/api-keys";
const isOpen = (page: Page) => page.locator("#dialog dialog[open]").isVisible();
const named = async (name: string) => (await apiKeys.list(stage.db)).filter((key) => key.name === name);

/** Generates a key of that name and stops where the key is shown. */
async function reveal(page: Page, name: string) {
  await page.locator("#generate").click();
  await page.locator("#f-name").fill(name);
  await page.locator("#dialog button[type=submit]").dblclick();
  await page.locator("#new-key").waitFor();
  return page.locator("#new-key").inputValue();
}

test("a new key stays in sight until it is copied; then the focus is on its row, and the key is not shown again", async () => {
  const page = await stage.open(path, { permissions: ["clipboard-read", "clipboard-write"] });
  const key = await reveal(page, "Blog");
  expect(key).toMatch(/^site_live_[0-9a-f]{32}$/);
  expect(await focusOn(page, "DIALOG")).toBe("DIALOG");

  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.mouse.click(4, 4);
  expect(await isOpen(page)).toBe(true);

  await page.locator("[data-copy='#new-key']").click();
  await page.getByText("Copied", { exact: true }).first().waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(key);
  await page.keyboard.press("Escape");
  await page.locator("#dialog dialog").waitFor({ state: "detached" });
  const id = `more-${(await named("Blog"))[0]?.id}`;
  expect(await focusOn(page, id)).toBe(id);
  expect(await page.content()).not.toContain(key);
});

test("a double click makes one key", async () => {
  const page = await stage.open(path);
  await reveal(page, "Twice");
  expect(await named("Twice")).toHaveLength(1);
});

test("where nothing may be copied, the key is selected and the keys to press are named", async () => {
  const page = await stage.open(path);
  await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
  const key = await reveal(page, "By hand");
  await page.locator("[data-copy='#new-key']").click();
  await page.getByText("Press Ctrl+C or ⌘C").waitFor();
  await eventually(() => page.evaluate("getSelection().toString()"), key);
  await page.getByText("I have saved the key").click();
  await page.locator("#dialog dialog").waitFor({ state: "detached" });
});

test("after going away and back, the key is not in the page", async () => {
  const page = await stage.open(path);
  const key = await reveal(page, "Left behind");
  await page.goto("/dashboard/settings");
  await page.goBack();
  await page.locator("#list").waitFor();
  expect(await page.content()).not.toContain(key);
  expect(await page.locator("#new-key").count()).toBe(0);
});

/** Generates a key without a script. Returns the page that shows it. */
async function generatedWithoutScript(name: string) {
  const page = await stage.open(path, { javaScriptEnabled: false });
  await page.locator("#generate").click();
  await page.locator("#f-name").fill(name);
  await page.locator("main button[type=submit]").click();
  await page.locator("#new-key").waitFor();
  return page;
}

test("without JavaScript the page with the key is shown once: reloading it generates no second key", async () => {
  const page = await generatedWithoutScript("No script");
  await page.reload();
  await page.getByText("That key was already shown.").waitFor();
  await page.waitForURL(`**${path}`);
  expect(await named("No script")).toHaveLength(1);
});

/** In the sandbox that keeps scripts from running in these tests, Firefox gives the focus to nothing by itself, as it should. */
onChromium("without JavaScript the key has the focus", async () => {
  expect(await focusOn(await generatedWithoutScript("Focused"), "new-key")).toBe("new-key");
});

test("deactivating asks for confirmation, and leaves the focus on a row", async () => {
  const page = await stage.open(path);
  const [row] = await named("Blog");
  await page.locator(`#more-${row?.id}`).click();
  await page.locator(`#deactivate-${row?.id}`).click();
  await page.getByText("Requests with this key will fail immediately (401).").waitFor();
  await page.locator("[data-close]:focus", { hasText: "Cancel" }).waitFor();
  await page.locator("#dialog .danger").click();
  await page.getByText("API key “Blog” deactivated.").waitFor();
  await eventually(() => focused(page), expect.stringMatching(/^open-/));
  expect((await named("Blog"))[0]?.active).toBe(false);
});

test("no page made the browser complain about the policy, or threw", () => {
  expect(stage.complaints).toEqual([]);
});
