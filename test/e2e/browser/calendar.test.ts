import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { BrowserContextOptions } from "playwright-core";
import * as postEdits from "../../../db/posts/edit";
import { violations } from "./axe";
import { drag, eventually, focusOn, openStage, settled, type Stage } from "./stage";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ time: Date.parse("2026-11-10T12:00:00Z") });
});
afterAll(() => stage.close());
afterEach(() => expect(stage.complaints.splice(0)).toEqual([]));

const blank = { slug: "", excerpt: "", content: "Wet.", coverImage: "", author: "", tags: [], published: true };

/** A post that is scheduled for the morning of 18 November, and the page on which it stands. */
async function planned(title: string, look: BrowserContextOptions = {}) {
  const fields = { ...blank, title, publishedAt: new Date("2026-11-18T08:00:00Z") };
  const created = await postEdits.create(stage.db, fields, { actor: "test" }, stage.now());
  if (created.outcome !== "saved") throw new Error(created.outcome);
  const { id } = created.post;
  const page = await stage.open("/dashboard/calendar", look);
  const day = async () => (await postEdits.byId(stage.db, id))?.publishedAt?.toISOString().slice(0, 10);
  return { id, page, day, entry: page.locator(`#entry-post-${id}`) };
}
const close = (page: { close: () => Promise<void> }) => page.close();

test("a post is dragged to another day, and put back by Undo", async () => {
  const { page, day, entry } = await planned("Dragged");
  const to = page.locator('[data-day="2026-11-20"]');
  await drag(page, entry, to, page.locator('[data-day="2026-11-20"][data-target]'));
  await to.getByText("Dragged").waitFor();
  expect(await day()).toBe("2026-11-20");
  await page.getByRole("button", { name: "Undo" }).click();
  await eventually(day, "2026-11-18");
  await close(page);
});

test("in forced colours, the days of other months are told apart", async () => {
  const page = await stage.open("/dashboard/calendar", { forcedColors: "active" });
  const colorOf = (day: string) =>
    page.evaluate(`getComputedStyle(document.querySelector('[data-day="${day}"] time')).color`);
  expect(await colorOf("2026-12-01")).not.toEqual(await colorOf("2026-11-25"));
  await close(page);
});

test("the past takes nothing", async () => {
  const { page, day, entry } = await planned("Stays");
  await drag(page, entry, page.locator('[data-day="2026-11-03"]'), page.locator("[data-lifted]"));
  await page.locator("[data-lifted]").waitFor({ state: "detached" });
  await settled(page);
  expect(await day()).toBe("2026-11-18");
  await close(page);
});

test("by keyboard: M lifts it, arrows choose the day, Escape puts it back, Enter drops it", async () => {
  const { id, page, day, entry } = await planned("By keys");
  await entry.focus();
  await page.keyboard.press("m");
  await page.keyboard.press("ArrowRight");
  await page.locator('[data-day="2026-11-19"][data-target]').waitFor();
  await page.keyboard.press("Escape");
  await page.locator("[data-target]").waitFor({ state: "detached" });
  expect(await day()).toBe("2026-11-18");
  for (const key of ["m", "ArrowDown", "ArrowLeft", "Enter"]) await page.keyboard.press(key);
  await eventually(day, "2026-11-24");
  await page.locator('[data-day="2026-11-24"]').getByText("By keys").waitFor();
  expect(await focusOn(page, `entry-post-${id}`)).toBe(`entry-post-${id}`);
  await close(page);
});

test("axe finds nothing, on a wide screen and on a phone in the dark, where it is an agenda", async () => {
  const { page } = await planned("Looked at");
  expect(await violations(page)).toEqual([]);
  await close(page);
  const phone = await planned("On a phone", { viewport: { width: 390, height: 844 }, colorScheme: "dark" });
  expect(await violations(phone.page)).toEqual([]);
  expect(await phone.page.getByText("Wed, 18 Nov").or(phone.page.getByText("Wed 18 Nov")).first().isVisible()).toBe(
    true,
  );
  const { scrollWidth } = (await phone.page.evaluate("({ scrollWidth: document.body.scrollWidth })")) as {
    scrollWidth: number;
  };
  expect(scrollWidth).toBeLessThanOrEqual(390);
  await close(phone.page);
});

test("on a phone every day has its date once, today as well", async () => {
  const fields = { ...blank, title: "Of today", publishedAt: stage.now() };
  await postEdits.create(stage.db, fields, { actor: "test" }, stage.now());
  const page = await stage.open("/dashboard/calendar", { viewport: { width: 390, height: 844 } });
  const [shown = ""] = await page.locator("td.today > time").allInnerTexts();
  expect(shown.replace(",", "").trim()).toBe("Tue 10 Nov");
  await close(page);
});

test("without JavaScript, “Change date” moves it", async () => {
  const { page, day } = await planned("Without script", { javaScriptEnabled: false });
  await page.getByRole("link", { name: "Change the date of Without script" }).click();
  await page.getByLabel("Day").fill("2026-11-25");
  await page.getByRole("button", { name: "Change date" }).click();
  await page.getByText("“Without script” moved to 25 Nov 2026").waitFor();
  expect(await day()).toBe("2026-11-25");
  await close(page);
});
