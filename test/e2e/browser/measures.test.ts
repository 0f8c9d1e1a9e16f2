import { afterAll, beforeAll, expect, setDefaultTimeout } from "bun:test";
import type { Page } from "playwright-core";
import { fillLists, fillDatabase } from "./fixtures";
import { eventually, onChromium, openStage, settled, type Stage } from "./stage";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

let stage: Stage;
let rooms: Record<string, string>;
beforeAll(async () => {
  stage = await openStage();
  rooms = await fillDatabase(stage);
});
afterAll(() => stage.close());

/**
 * Installed before the page runs: records layout shifts that no user input caused. `npm run bench people` measures times.
 * Chromium also reports how the first frame differs from a layout before the styles were there, which no one ever saw.
 */
const observe = `
  window.shifts = [];
  new PerformanceObserver(list => window.shifts.push(...list.getEntries().filter(e => !e.hadRecentInput)))
    .observe({ type: "layout-shift", buffered: true });`;
const seenShifts = `(() => {
  const [first] = performance.getEntriesByName("first-paint");
  return window.shifts.filter(e => first && e.startTime >= first.startTime).reduce((sum, e) => sum + e.value, 0);
})()`;

/** Opens the page and waits until everything has loaded and the layout is stable. */
async function visit(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await page.evaluate("document.fonts.ready.then(() => 0)");
  await settled(page);
}

/** Firefox reports no layout shifts. */
onChromium("nothing moves while a page loads: CLS ≤ 0.01 (U3)", async () => {
  const page = await (await stage.manager()).newPage();
  await page.addInitScript(observe);
  const shifts: Record<string, number> = {};
  for (const [name, path] of Object.entries(rooms)) {
    await visit(page, path);
    shifts[name] = Number(((await page.evaluate(seenShifts)) as number).toFixed(4));
  }
  console.log("CLS", JSON.stringify(shifts));
  expect(Object.entries(shifts).filter(([, shift]) => shift > 0.01)).toEqual([]);
});

/** The largest pages: lists of fifty rows, and those with a script of their own. */
const heavy = [
  ...["newsletter", "posts", "projects", "storage", "storage nodes", "open uploads", "tags", "revisions", "a text"],
  ...["an editor with problems", "choose an image", "project", "broadcasts", "composer", "recipients"],
  "failing endpoint",
];

/** Those with the editor of texts, which may weigh as much again. */
const withEditor = new Set(["an editor with problems", "composer", "project"]);

/** BiDi tells no sizes on the wire. */
onChromium(
  "a page of fifty rows weighs ≤ 130 KB cold and ≤ 10 KB warm, with whatever scripts it has (benchmark B7)",
  async () => {
    await fillLists(stage);
    const weights: Record<string, { cold: number; warm: number }> = {};
    for (const name of heavy) weights[name] = await weigh(rooms[name] ?? "");
    console.log("KB", JSON.stringify(weights));
    const limit = (name: string) => (withEditor.has(name) ? 130 + 130 : 130);
    expect(Object.entries(weights).filter(([name, { cold, warm }]) => cold > limit(name) || warm > 10)).toEqual([]);
  },
);

/** Kilobytes over the wire on the first and the second visit. */
async function weigh(path: string) {
  const page = await (await stage.manager()).newPage();
  const debuggee = await page.context().newCDPSession(page);
  await debuggee.send("Network.enable");
  const onTheWay = new Set<string>();
  let bytes = 0;
  debuggee.on("Network.requestWillBeSent", ({ requestId, type, request }) => {
    // A live connection stays; the end of a page in a sandboxed frame is told to another process
    const isOwn = type !== "EventSource" && !(type === "Document" && request.url.includes("/preview?"));
    if (isOwn) onTheWay.add(requestId);
  });
  debuggee.on("Network.loadingFailed", ({ requestId }) => void onTheWay.delete(requestId));
  debuggee.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    if (onTheWay.delete(requestId)) bytes += encodedDataLength; // what is not waited for may belong to the visit before
  });
  const kilobytes = async () => {
    bytes = 0;
    await visit(page, path);
    await eventually(() => onTheWay.size, 0);
    return Math.ceil(bytes / 102.4) / 10;
  };
  const [cold, warm] = [await kilobytes(), await kilobytes()];
  await page.context().close();
  return { cold, warm };
}
