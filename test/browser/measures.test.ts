import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { fillStage } from "./props";
import { openStage, type Stage } from "./stage";

setDefaultTimeout(120_000);

let stage: Stage;
let rooms: Record<string, string>;
beforeAll(async () => {
  stage = await openStage();
  rooms = await fillStage(stage);
});
afterAll(() => stage.close());

/** Written before the page runs: every shift of the layout that no hand caused, and how long each interaction took. */
const observe = `
  window.shifts = 0; window.slow = [];
  new PerformanceObserver(list => { for (const e of list.getEntries()) if (!e.hadRecentInput) window.shifts += e.value })
    .observe({ type: "layout-shift", buffered: true });
  new PerformanceObserver(list => { for (const e of list.getEntries()) if (e.interactionId) window.slow.push(e.duration) })
    .observe({ type: "event", durationThreshold: 16, buffered: true });`;

async function watched(): Promise<Page> {
  const page = await (await stage.manager()).newPage();
  await page.addInitScript(observe);
  return page;
}

test("nothing moves while a page loads: CLS ≤ 0.01 (U3)", async () => {
  const page = await watched();
  const shifts: Record<string, number> = {};
  for (const [name, path] of Object.entries(rooms)) {
    await page.goto(path, { waitUntil: "networkidle" });
    shifts[name] = Number(((await page.evaluate("window.shifts")) as number).toFixed(4));
  }
  console.log("CLS", JSON.stringify(shifts));
  expect(Object.entries(shifts).filter(([, shift]) => shift > 0.01)).toEqual([]);
});

test("a page answers hands within 150 ms on a machine four times slower: INP (U3)", async () => {
  const page = await watched();
  await page.goto("/dashboard/newsletter", { waitUntil: "networkidle" });
  const debuggee = await page.context().newCDPSession(page);
  await debuggee.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  for (let round = 0; round < 3; round++) {
    await page.locator("input[name=ids]").nth(round).click();
    await page.locator("#q").pressSequentially("reader1", { delay: 120 });
    await page.waitForURL("**q=reader1**");
    await page.locator("#q").fill("");
    await page.waitForTimeout(600);
    await page.locator("#sort-joined").click();
    await page.waitForTimeout(400);
    await page.locator("a[id^=delete-]").first().click();
    await page.locator("#dialog dialog[open]").waitFor();
    await page.waitForTimeout(300);
    await page.keyboard.press("Escape");
    await page.waitForTimeout(300);
  }
  const slow = ((await page.evaluate("window.slow")) as number[]).sort((a, b) => a - b);
  const p75 = slow[Math.floor(slow.length * 0.75)] ?? 0;
  console.log(`INP over ${slow.length} events: p75 ${p75} ms, worst ${slow.at(-1)} ms`);
  expect(slow.length).toBeGreaterThan(10);
  expect(p75).toBeLessThanOrEqual(150);
});

test("a page of fifty rows weighs ≤ 130 KB cold and ≤ 10 KB warm (P7)", async () => {
  const page = await watched();
  const debuggee = await page.context().newCDPSession(page);
  await debuggee.send("Network.enable");
  let bytes = 0;
  debuggee.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength));
  const visit = async () => {
    bytes = 0;
    await page.goto("/dashboard/newsletter", { waitUntil: "networkidle" });
    return Math.round(bytes / 1024);
  };
  const [cold, warm] = [await visit(), await visit()];
  console.log(`cold ${cold} KB, warm ${warm} KB`);
  expect(cold).toBeLessThanOrEqual(130);
  expect(warm).toBeLessThanOrEqual(10);
});
