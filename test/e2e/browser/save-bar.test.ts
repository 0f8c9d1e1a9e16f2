import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { flaws } from "./axe";
import { eventually, focused, openStage, type Stage } from "./stage";
import { testTimeoutMs } from "../../support/within";

/* What is unsaved is said at the lower edge, and covers nothing. */

setDefaultTimeout(testTimeoutMs);

let stage: Stage;
const path = "/dashboard/settings/site";
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const bar = (page: Page) => page.locator(".save[data-bar]");
const words = (page: Page) => bar(page).locator("p[role=status]").innerText();

/** Whether something lies above the middle of what has the focus. */
const isCovered = (page: Page) =>
  page.evaluate(`(() => {
    const { activeElement } = document;
    const { x, y, width, height } = activeElement.getBoundingClientRect();
    const top = document.elementFromPoint(x + width / 2, y + height / 2);
    return !(top && (activeElement.contains(top) || activeElement.closest("label")?.contains(top)));
  })()`);

test("a changed form says what has changed, and only then; Ctrl+S saves it", async () => {
  const page = await stage.open(path);
  const fields = page.locator("#form-site input.input");
  expect(await bar(page).count()).toBe(0);
  const before = await fields.first().inputValue();
  await fields.first().fill("Another name");
  await bar(page).waitFor();
  expect(await words(page)).toMatch(/^Unsaved: \w/);
  await fields.first().fill(before);
  await eventually(() => bar(page).count(), 0);
  await fields.first().fill("Another name");
  await page.keyboard.press("Control+s");
  await page.getByText("Site details saved.").first().waitFor();
  await eventually(() => bar(page).count(), 0);
  expect(await fields.first().inputValue()).toBe("Another name");
  expect(stage.complaints).toEqual([]);
  await page.close();
});

test("what is unsaved is discarded by keyboard, with the focus where it was changed, and leaving asks no more", async () => {
  const page = await stage.open(path);
  let questions = 0;
  page.on("dialog", (dialog) => {
    questions++;
    void dialog.accept();
  });
  const fields = page.locator("#form-site input.input");
  const [first, second] = [fields.first(), fields.nth(1)];
  const before = await Promise.all([first.inputValue(), second.inputValue()]);
  await first.fill("Discarded");
  await second.fill("Discarded too");
  await eventually(() => words(page), expect.stringMatching(/^Unsaved: \w.* and \w/));
  await bar(page).getByRole("button", { name: "Discard" }).press("Enter");
  await eventually(() => Promise.all([first.inputValue(), second.inputValue()]), before);
  expect([await bar(page).count(), await focused(page)]).toEqual([0, (await first.getAttribute("id")) ?? ""]);
  await page.goto("/dashboard/projects");
  expect(questions).toBe(0);
  await page.close();
});

test.each([
  ["a desk", { width: 1280, height: 640 }],
  ["a phone", { width: 390, height: 640 }],
])("on %s the bar covers nothing that has the focus", async (_, viewport) => {
  const page = await stage.open(path, { viewport });
  const fields = page.locator("#form-site :is(input:not([type=hidden]), textarea, select, button)");
  await page.locator("#form-site input.input").first().fill("Not saved");
  await bar(page).waitFor();
  for (let at = 0; at < (await fields.count()); at++) {
    await page.keyboard.press("Tab");
    const id = await focused(page);
    if (id === "BODY") break; // the end of the page
    expect([id, await isCovered(page)]).toEqual([id, false]);
  }
  page.on("dialog", (dialog) => void dialog.accept());
  await page.close();
});

test("of two changed forms the last one has the bar, and then the other", async () => {
  const page = await stage.open(path);
  const form = (label: string) => page.getByRole("form", { name: label, exact: true });
  await form("Site details").locator("input.input").first().fill("Another");
  await form("Owner").locator("input.input").first().fill("Ada");
  expect(await form("Owner").locator(bar(page)).count()).toBe(1);
  await eventually(() => bar(page).count(), 1);
  await bar(page).getByRole("button", { name: "Discard" }).click();
  await eventually(() => bar(page).count(), 1);
  expect(await form("Site details").locator(bar(page)).count()).toBe(1);
  await bar(page).getByRole("button", { name: "Discard" }).click();
  await eventually(() => bar(page).count(), 0);
  await page.close();
});

test("axe finds nothing in the bar, and nothing sticks out, light or dark, wide or narrow", async () => {
  const page = await stage.open(path);
  await page.locator("#form-site input.input").first().fill("Not saved");
  await bar(page).waitFor();
  expect(await flaws(page)).toEqual([]);
  page.on("dialog", (dialog) => void dialog.accept());
  await page.close();
});
