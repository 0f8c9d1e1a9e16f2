import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import * as subscribers from "../../../db/newsletter/subscribers";
import { flaws, looks } from "./axe";
import { addChartFixtures } from "./chart-fixtures";
import { focusKept, openStage, type Stage } from "./stage";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
  await addChartFixtures(stage);
  const { db, now } = stage;
  for (let i = 0; i < 12; i++) {
    const at = new Date(now().getTime() - i * 86_400_000);
    await subscribers.subscribe(db, { email: `r${i}@example.com`, source: "blog" }, { via: "form" }, at);
  }
  for (const i of [2, 5]) await subscribers.unsubscribe(db, `r${i}@example.com`, { via: "link" }, now());
});
afterAll(() => stage.close());

const forced = { ...looks[0], forcedColors: "active" } as const;

test("charts are readable in every theme and in forced colours, and no text overflows them", async () => {
  const page = await stage.open("/dashboard?days=30");
  for (const [path, marks] of [
    ["/dashboard?days=30", 0],
    ["/dashboard?days=90", 1],
    ["/dashboard?days=all", 2],
    ["/dashboard/posts/views?days=90", 0],
  ] as const) {
    await page.goto(path);
    await page.locator(".chart summary").click();
    await page.evaluate("scrollTo(0, 0)"); // where the bar at the top covers no link
    expect([path, await page.locator(".plot > .mark").count()]).toEqual([path, marks]);
    expect([path, await flaws(page, [...looks, forced])]).toEqual([path, []]);
    await page.setViewportSize(looks[2].viewport);
    const outside = await page
      .locator(".plot text")
      .evaluateAll((texts) =>
        (texts as unknown as { getBoundingClientRect(): { left: number; right: number }; textContent: string }[])
          .filter((text) => text.getBoundingClientRect().left < 0 || text.getBoundingClientRect().right > 390)
          .map((text) => text.textContent),
      );
    expect([path, outside]).toEqual([path, []]);
    await page.setViewportSize(looks[0].viewport);
  }
  await page.emulateMedia({ forcedColors: "active" });
  await page.goto("/dashboard?days=30");
  const fillOf = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((shape) => getComputedStyle(shape as never).fill);
  expect(await fillOf(".plot .one")).not.toBe(await fillOf(".plot .two")); // with forced colours they are still distinguishable
  expect(stage.complaints).toEqual([]);
  await page.close();
});

declare const getComputedStyle: (element: never) => { fill: string };

test("a period is chosen by keyboard, announced, kept in the address, and works without a script", async () => {
  const page = await stage.open("/dashboard");
  await page.locator("#growth-90").focus();
  const announced = page.locator("#toasts", { hasText: /90 active \+\d+ in 90 days/ }).waitFor({ state: "attached" });
  await page.keyboard.press("Enter");
  await page.waitForURL("**/dashboard?days=90");
  await page.locator("#growth-90[aria-current=true]").waitFor();
  expect(await focusKept(page)).toBe("growth-90");
  await announced;
  await page.goBack();
  await page.locator("#growth-30[aria-current=true]").waitFor();
  await page.close();

  const plain = await (await stage.manager({ javaScriptEnabled: false })).newPage();
  await plain.goto("/dashboard");
  await plain.locator("#growth-7").click();
  await plain.waitForURL("**/dashboard?days=7#growth");
  expect(await plain.locator("#growth-7").getAttribute("aria-current")).toBe("true");
  await plain.close();
});
