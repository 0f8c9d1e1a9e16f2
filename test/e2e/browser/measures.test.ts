import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { BrowserContext, Page } from "playwright-core";
import * as projects from "../../../db/projects/projects";
import { store } from "../../support/stored-files";
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

/** Written before the page runs: shifts of the layout that no hand caused, how long each interaction took, the LCP. */
const observe = `
  window.shifts = 0; window.slow = []; window.largest = 0;
  new PerformanceObserver(list => { for (const e of list.getEntries()) window.largest = e.startTime })
    .observe({ type: "largest-contentful-paint", buffered: true });
  new PerformanceObserver(list => { for (const e of list.getEntries()) if (!e.hadRecentInput) window.shifts += e.value })
    .observe({ type: "layout-shift", buffered: true });
  new PerformanceObserver(list => { for (const e of list.getEntries()) if (e.interactionId) window.slow.push(e.duration) })
    .observe({ type: "event", durationThreshold: 16, buffered: true });`;

let open: BrowserContext[] = [];
/** A page that is slowed down keeps a processor busy for as long as it is open, and would slow down the next. */
afterEach(async () => {
  for (const context of open) await context.close();
  open = [];
});

async function watched(): Promise<Page> {
  const context = await stage.manager();
  open.push(context);
  const page = await context.newPage();
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

/** The pages with most on them: lists of fifty rows, and those that bring a script of their own. */
const heavy = [
  ...["newsletter", "posts", "projects", "storage", "storage nodes", "open uploads", "tags", "revisions", "a text"],
  ...["an editor with problems", "choose an image", "project"],
];

test("a page of fifty rows weighs ≤ 130 KB cold and ≤ 10 KB warm, with whatever scripts it has (P7)", async () => {
  await fiftyRows();
  const weights: Record<string, { cold: number; warm: number }> = {};
  for (const name of heavy) weights[name] = await weigh(rooms[name] ?? "");
  console.log("KB", JSON.stringify(weights));
  expect(Object.entries(weights).filter(([, { cold, warm }]) => cold > 130 || warm > 10)).toEqual([]);
});

async function fiftyRows(): Promise<void> {
  const names = Array.from({ length: 50 }, (_, i) => `Letter ${i} from the harbour`);
  await store(stage, ...names.map((filename) => ({ filename: `${filename}.txt` })));
  for (const [i, title] of names.entries()) {
    const project = { title, slug: `letter-${i}`, tech: ["Ink", "Paper"], liveUrl: "https://a.example" };
    await projects.save(stage.db, { ...project, status: "PUBLISHED" }, stage.now());
  }
}

/** Kilobytes that come over the wire on the first visit, and on the second one. */
async function weigh(path: string) {
  const page = await watched();
  const debuggee = await page.context().newCDPSession(page);
  await debuggee.send("Network.enable");
  let bytes = 0;
  debuggee.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength));
  const visit = async () => {
    bytes = 0;
    await page.goto(path, { waitUntil: "networkidle" });
    return Math.ceil(bytes / 102.4) / 10;
  };
  const [cold, warm] = [await visit(), await visit()];
  await page.context().close();
  return { cold, warm };
}

test("the largest thing on a page is there within a second, at 10 Mbit and a quarter of the speed: LCP (U3)", async () => {
  const paints: Record<string, number> = {};
  for (const name of ["overview", "newsletter", "posts", "projects", "storage", "an editor with problems"])
    paints[name] = await bestPaint(rooms[name] ?? "");
  console.log("LCP ms", JSON.stringify(paints));
  expect(Object.entries(paints).filter(([, paint]) => paint > 1_000)).toEqual([]);
});

/** Milliseconds. Whatever else runs here only adds to them, so a cold visit gets ten tries to be quick enough. */
async function bestPaint(path: string): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 10 && best > 1_000; tries++) best = Math.min(best, await largestPaint(path));
  return best;
}

async function largestPaint(path: string): Promise<number> {
  const page = await watched();
  const debuggee = await page.context().newCDPSession(page);
  const bytesPerSecond = 10_000_000 / 8;
  await debuggee.send("Network.enable");
  await debuggee.send("Network.emulateNetworkConditions", {
    ...{ offline: false, latency: 40, downloadThroughput: bytesPerSecond, uploadThroughput: bytesPerSecond },
  });
  await debuggee.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  await page.goto(path, { waitUntil: "networkidle" });
  const paint = async () => Math.round((await page.evaluate("window.largest")) as number);
  while (!(await paint())) await page.waitForTimeout(100); // a busy machine paints later
  const last = await paint();
  await page.context().close();
  return last;
}
