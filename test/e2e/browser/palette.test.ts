import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { extremes, overflow, violations } from "./axe";
import { fillDatabase } from "./fixtures";
import { contentOf, eventually, focusOn, openStage, type Stage } from "./stage";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

let stage: Stage;
let rooms: Record<string, string>;
beforeAll(async () => {
  stage = await openStage();
  rooms = await fillDatabase(stage);
});
afterAll(() => stage.close());

const press = async (page: Page, ...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key);
};
/** The text of the option that Enter would open. The field names it for screen readers. */
const selected = async (page: Page) => {
  const id = await page.locator("#palette-q").getAttribute("aria-activedescendant");
  const [words] = id ? await page.locator(`#${id}[aria-selected=true]`).allTextContents() : [""];
  return words?.replace(/\s+/g, " ").trim();
};
const isOpen = (page: Page) => page.locator("#palette[open]").count();

test("by keyboard: a person is found and opened, and comes first among what was opened last", async () => {
  const page = await stage.open("/dashboard/settings");
  await page.getByLabel("Title", { exact: true }).focus();
  await press(page, "Control+k");
  expect(await focusOn(page, "palette-q")).toBe("palette-q");
  await eventually(() => selected(page), "New broadcast");
  await page.keyboard.type("reader12@");
  await eventually(() => selected(page), "reader12@example.org Subscriber");
  await page.locator("#palette [role=status]", { hasText: "1 result for reader12@" }).waitFor({ state: "attached" });
  expect(await page.locator("#palette mark").textContent()).toBe("reader12@");
  await press(page, "Escape"); // clears the field
  await eventually(() => selected(page), "New broadcast");
  await press(page, "ArrowDown");
  await eventually(() => selected(page), "New post");
  await press(page, "ArrowUp", "ArrowUp");
  await eventually(() => selected(page), expect.stringMatching(/^Settings/)); // wraps around to the last one
  await press(page, "Home");
  await eventually(() => selected(page), "New broadcast");
  await press(page, "End");
  await eventually(() => selected(page), expect.stringMatching(/^Settings/));
  await press(page, "Escape"); // closes the palette
  expect(await isOpen(page)).toBe(0);
  expect(await page.evaluate("document.activeElement.name")).toBe("siteTitle");

  await press(page, "Control+k");
  await page.keyboard.type("reader12@");
  await press(page, "Enter"); // before there are results: they open when they arrive
  await page.waitForURL(/\/newsletter\/[\w-]{30,}$/);
  await page.goto("/dashboard");
  await press(page, "Control+k");
  await eventually(() => selected(page), "reader12@example.org Subscriber");
  const kept = (await page.evaluate("JSON.stringify(localStorage)")) as string;
  expect(kept).not.toContain("reader12");
  await page.close();
});

test("Ctrl+Enter opens a new tab, an action is done, and all results are on the page", async () => {
  const page = await stage.open("/dashboard/contact");
  await press(page, "Control+k");
  await page.keyboard.type("reader1");
  await eventually(() => page.locator("#palette [role=option]").count(), 4);
  const [tab] = await Promise.all([page.context().waitForEvent("page"), press(page, "Control+Enter")]);
  await tab.waitForURL(/\/newsletter\/[\w-]{30,}$/);
  await tab.close();
  await press(page, "End", "Enter");
  await page.waitForURL("**/dashboard/search?q=reader1");
  await press(page, "Control+k", "Control+k"); // the same keys close it
  expect(await isOpen(page)).toBe(0);
  await page.getByRole("link", { name: "Search", exact: true }).click();
  await page.keyboard.type("new broad");
  await eventually(() => selected(page), "New broadcast");
  await press(page, "Enter");
  await page.waitForURL(/\/broadcasts\/[\w-]{30,}$/);
  await page.close();
});

test("in the text of a post the key makes a link; elsewhere in the editor it opens the palette", async () => {
  const page = await stage.open(rooms["new post"] ?? "");
  await page.locator("#content").fill("tides");
  await page.locator("#content").selectText();
  await press(page, "Control+k");
  await eventually(() => contentOf(page), expect.stringContaining("[tides]("));
  expect(await isOpen(page)).toBe(0);
  await page.locator("#title").focus();
  await press(page, "Control+k");
  expect(await isOpen(page)).toBe(1);
  await page.close({ runBeforeUnload: false });
});

for (const look of extremes)
  test(`axe finds nothing in any state of it, ${look.colorScheme}, ${look.viewport.width} px wide`, async () => {
    const page = await stage.open("/dashboard/newsletter", look);
    await page.locator(".find").filter({ visible: true }).first().click();
    await eventually(() => page.locator("#palette [role=option]").count(), expect.any(Number));
    expect(await violations(page)).toEqual([]); // before anything is typed
    await page.keyboard.type("reader");
    await page.locator("#option-all").waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    await page.locator("#palette-q").fill("nobody@example.net");
    await page.getByText("Nothing matches").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.mouse.click(5, 5); // outside the dialog
    expect(await isOpen(page)).toBe(0);
    await page.close();
  });

test("the theme is changed from the palette, and a page with unsaved changes asks first", async () => {
  const page = await stage.open("/dashboard/newsletter?q=reader1", { colorScheme: "light" });
  const theme = () => page.evaluate("document.documentElement.dataset.theme ?? 'system'");
  const choose = async (name: string) => {
    await press(page, "Control+k");
    await page.keyboard.type("theme");
    await page.locator("#palette [role=option]", { hasText: name }).click();
  };
  await choose("Use the dark theme");
  await page.getByText("Theme changed to dark.").waitFor();
  expect([await theme(), new URL(page.url()).search]).toEqual(["dark", "?q=reader1"]);
  await press(page, "Control+k");
  await page.keyboard.type("theme");
  await page.locator("#palette [role=option]", { hasText: "Use the light theme" }).waitFor();
  expect(await page.locator("#palette [role=option]", { hasText: "Use the dark theme" }).count()).toBe(0);

  await page.goto("/dashboard/settings");
  await page.locator("[name=siteTitle]").fill("Words that are not saved");
  const asked: string[] = [];
  page.once("dialog", (question) => (asked.push(question.type()), void question.accept()));
  await choose("Use the system theme");
  await page.getByText("Theme changed to system.").waitFor();
  expect([await theme(), ...asked]).toEqual(["system", "beforeunload"]);
  await page.close();
});

test("without a script, Search is a page with the same rows and an action that works", async () => {
  const page = await stage.open("/dashboard", { javaScriptEnabled: false });
  await page.getByRole("link", { name: "Search", exact: true }).click();
  await page.fill("#q", "broadcast");
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await page.waitForURL("**q=broadcast");
  await page.getByRole("button", { name: "New broadcast" }).click();
  await page.waitForURL(/\/broadcasts\/[\w-]{30,}$/);

  await page.goto("/dashboard/search?q=theme");
  await page.getByRole("button", { name: "Use the light theme" }).click();
  await page.getByText("Theme changed to light.").waitFor();
  expect(new URL(page.url()).search).toBe("?q=theme"); // the page it was chosen on
  await page.getByRole("link", { name: /^Theme/ }).click();
  await page.waitForURL("**/settings/appearance#appearance");
  expect(await page.getByRole("combobox", { name: "Theme" }).inputValue()).toBe("light");
  await page.getByRole("combobox", { name: "Theme" }).selectOption("system");
  await page.locator("#save-appearance").click();
  await page.close();
});

test("the script has at most 4 KB", async () => {
  const entrypoints = [`${import.meta.dir}/../../../public/app/palette.ts`];
  const { outputs } = await Bun.build({ entrypoints, target: "browser", format: "iife", minify: true });
  expect(outputs[0]?.size).toBeLessThanOrEqual(4_096);
});

test("no page made the browser complain", () => {
  expect(stage.complaints).toEqual([]);
});
