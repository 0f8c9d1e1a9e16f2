import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { fillDatabase } from "./fixtures";
import { type Deliver, eventually, openStage, settled, type Stage } from "./stage";
import { testTimeoutMs } from "../../support/within";

/* Nothing moves when a part of a page is late. */

setDefaultTimeout(testTimeoutMs);

let stage: Stage;
let rooms: Record<string, string>;
/** Called before each piece of the page is sent. */
let beforePiece: (() => Promise<unknown>) | undefined;
beforeAll(async () => {
  stage = await openStage({ deliver: inPieces });
  rooms = await fillDatabase(stage);
});
afterAll(() => stage.close());

/** Sends a page in forty pieces, uncompressed, so that the browser has all of a piece. */
const pieces = 40;
const inPieces: Deliver = async (answer, request) => {
  if (!beforePiece) return answer(request);
  const plain = new Request(request);
  plain.headers.set("accept-encoding", "identity");
  const response = await answer(plain);
  if (!response.headers.get("content-type")?.startsWith("text/html")) return response;
  const bytes = new Uint8Array(await response.arrayBuffer());
  const { headers, status } = response;
  headers.delete("content-length");
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (at > 0) await beforePiece?.();
      controller.enqueue(bytes.subarray((bytes.length * at) / pieces, (bytes.length * ++at) / pieces));
      if (at === pieces) controller.close();
    },
  });
  return new Response(body, { status, headers });
};

/** All shifts of what was painted count, whoever caused them. */
const observe = `
  globalThis.shifts = [];
  new PerformanceObserver((list) => globalThis.shifts.push(...list.getEntries()))
    .observe({ type: "layout-shift", buffered: true });`;
const seenShifts = `(() => {
  const [first] = performance.getEntriesByName("first-paint");
  return globalThis.shifts.filter(({ startTime }) => startTime >= first.startTime).map(({ value }) => value);
})()`;

/** Meanwhile it parses and paints what it has. */
const roundTrips = `(async () => { for (let i = 0; i < 5; i++) await fetch("/healthz") })()`;

async function openPage(): Promise<Page> {
  const page = await (await stage.manager()).newPage();
  await page.addInitScript(observe);
  return page;
}

/** Holds the deferred scripts of this page back. Returns what lets them arrive. */
async function holdScripts(page: Page) {
  const held = Promise.withResolvers<void>();
  await page.route(/\/assets\/(?!early)[^/]+\.js$/, async (route) => {
    await held.promise;
    await route.continue();
  });
  return async () => {
    held.resolve();
    await page.waitForLoadState("load");
  };
}

async function shifts(page: Page): Promise<unknown> {
  await page.evaluate("document.fonts.ready.then(() => 0)");
  await settled(page);
  return page.evaluate(seenShifts);
}

test("the page arrives in pieces: its tables and columns are not painted before their last row", async () => {
  const moved: Record<string, unknown> = {};
  const names = ["overview", "recipients", "a node that works", "a broadcast being sent", "API keys", "project"];
  for (const name of names) {
    const page = await openPage();
    beforePiece = () => page.evaluate(roundTrips).catch(() => undefined); // before the first piece there is no page
    await page.goto(rooms[name] ?? "");
    beforePiece = undefined;
    moved[name] = await shifts(page);
    await page.close();
  }
  expect(moved).toEqual(Object.fromEntries(names.map((name) => [name, []])));
});

test("the fonts are late: this page does without, and the next one has them", async () => {
  const page = await openPage();
  const held = Promise.withResolvers<void>();
  await page.route(/\.woff2$/, async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.goto("/dashboard", { waitUntil: "commit" });
  await eventually(() => page.evaluate("performance.getEntriesByType('paint').length > 0"), true);
  held.resolve();
  await page.waitForLoadState("load");
  expect(await shifts(page)).toEqual([]);
  await page.unrouteAll();
  await page.reload();
  await eventually(() => page.evaluate("document.fonts.check('1em Figtree')"), true);
  await page.close();
});

test("the scripts are late: the editor shows at once what was beside the text last", async () => {
  const page = await openPage();
  const path = rooms["an editor with problems"] ?? "";
  await page.goto(path);
  await page.locator("#beside [data-view=details]").click();
  const scriptsArrive = await holdScripts(page);
  await page.goto(path, { waitUntil: "commit" });
  await eventually(() => page.evaluate("performance.getEntriesByType('paint').length > 0"), true);
  expect(await page.locator(".about").isVisible()).toBe(true);
  await scriptsArrive();
  expect(await shifts(page)).toEqual([]);
  expect(await page.locator("#beside [data-view=details]").getAttribute("aria-pressed")).toBe("true");
  await page.close();
});

test("the scripts are late: what is below a text stays where it is when its editor takes the place", async () => {
  const moved: Record<string, unknown> = {};
  for (const name of ["composer", "empty composer", "new post"]) {
    const page = await openPage();
    const scriptsArrive = await holdScripts(page);
    await page.goto(rooms[name] ?? "", { waitUntil: "commit" });
    await page.locator("textarea[data-mdx]").waitFor();
    await eventually(() => page.evaluate("performance.getEntriesByType('paint').length > 0"), true);
    const before = await page.locator(".save-bar").boundingBox();
    await scriptsArrive();
    await page.locator(".cm-editor").waitFor();
    expect(await page.locator(".save-bar").boundingBox()).toEqual(before);
    moved[name] = await shifts(page);
    await page.close();
  }
  expect(moved).toEqual({ composer: [], "empty composer": [], "new post": [] });
});

/** A processor so slow that a clock that is asked twice has gone on by twenty milliseconds. */
const slowClock = `{
  const { now } = Date;
  let calls = 0;
  Date.now = () => now() + 20 * ++calls;
}`;

test("the processor is slow: the first screen of a text is decorated when it is first seen", async () => {
  const page = await openPage();
  await page.addInitScript(slowClock);
  const content = Array.from({ length: 8 }, (_, i) => `## Part ${i + 1}`).join("\n");
  const { headers } = await stage.owner.submit("/dashboard/posts/new", { title: "A post", content });
  await page.goto(headers.get("location") ?? "");
  await page.locator(".cm-line.md-h2").nth(7).waitFor();
  expect(await shifts(page)).toEqual([]);
  await page.close();
});

test("words are counted when the typing pauses, and nothing beside the number moves", async () => {
  const page = await openPage();
  await page.goto(rooms["new post"] ?? "");
  await page.locator("#content.cm-content").pressSequentially("One");
  await page.locator("#content-hint", { hasText: "1 word ·" }).waitFor();
  expect(await shifts(page)).toEqual([]);
  await page.close();
});

test("the scripts are late: unsaved text of this browser is offered from the first paint", async () => {
  const page = await openPage();
  await page.route("**/draft", (route) => route.abort()); // else the server offers it
  const path = rooms["an editor with problems"] ?? "";
  await page.goto(path);
  await page.locator("#title").fill("Typed, and never saved");
  await eventually(() => page.evaluate("Object.values(localStorage).join()"), expect.stringContaining("never saved"));
  const scriptsArrive = await holdScripts(page);
  await page.goto(path, { waitUntil: "commit" });
  await eventually(() => page.evaluate("performance.getEntriesByType('paint').length > 0"), true);
  expect(await page.locator("#copy-offer").isVisible()).toBe(true);
  await page.getByRole("button", { name: "Restore it" }).click();
  await scriptsArrive();
  await eventually(() => page.locator("#title").inputValue(), "Typed, and never saved");
  await page.goto(path);
  expect(await page.locator("#copy-offer").isVisible()).toBe(true);
  expect(await shifts(page)).toEqual([]);
  await page.close();
});

/** As records.ts stores them. The service does not know them, which is as good as any other answer. */
const interrupted = `(async () => {
  const opening = indexedDB.open("postroom", 1);
  await new Promise((resolve, reject) => Object.assign(opening, { onsuccess: resolve, onerror: reject }));
  const owner = document.querySelector("[data-uploads]").dataset.uploads;
  const storing = opening.result.transaction("uploads", "readwrite");
  for (const name of ["first.mov", "second.mov"])
    storing.objectStore("uploads").put({ id: crypto.randomUUID(), owner, name, size: 5e6, lastModified: 0, folder: "" });
  await new Promise((resolve, reject) => Object.assign(storing, { oncomplete: resolve, onabort: reject }));
})()`;

test("the list of interrupted uploads, which is known late, moves nothing", async () => {
  const page = await openPage();
  const path = rooms.storage ?? "";
  await page.goto(path);
  await page.evaluate(interrupted);
  const scriptsArrive = await holdScripts(page);
  await page.goto(path, { waitUntil: "commit" });
  await eventually(() => page.evaluate("performance.getEntriesByType('paint').length > 0"), true);
  await scriptsArrive();
  await eventually(() => page.locator(".up").count(), 2);
  expect(await shifts(page)).toEqual([]);
  await page.close();
});

test("a part of the page that is replaced closes nothing that was expanded in it", async () => {
  const page = await openPage();
  page.on("dialog", (dialog) => void dialog.accept());
  await page.goto(rooms.overview ?? "");
  await page.getByText("Show as a table").click();
  const period = page.locator(".segments a:not([aria-current])").first();
  const chosen = (await period.getAttribute("id")) ?? "";
  await period.click();
  await page.locator(`#${chosen}[aria-current]`).waitFor();
  expect(await page.locator("details[open]", { hasText: "Show as a table" }).count()).toBe(1);
  await page.goto(rooms.composer ?? "");
  await page.locator("#passed > summary").click();
  const saved = page.waitForResponse((response) => response.request().method() === "POST");
  await page.locator("#subject").fill("Another subject, saved by itself");
  await saved;
  await page.locator("#checks", { hasText: "Passed" }).waitFor();
  await settled(page);
  expect(await page.locator("#passed[open]").count()).toBe(1);
  await page.close();
});

/** Holds back what is to be done before the next paint, and every long timer for good; says how many there were. */
const holdPaints = `{
  const { requestAnimationFrame, setTimeout } = globalThis;
  const held = [];
  let areHeld = true;
  globalThis.timers = 0;
  globalThis.requestAnimationFrame = (act) => (areHeld ? held.push(act) : requestAnimationFrame(act));
  globalThis.setTimeout = (act, ms, ...rest) =>
    ms === 6_000 || ms === 10_000 ? ++globalThis.timers : setTimeout(act, ms, ...rest);
  globalThis.paint = () => { areHeld = false; held.forEach((act) => act(0)); };
}`;

test("the painting is late: the time of a notice begins with it", async () => {
  const page = await openPage();
  await page.goto("/dashboard/newsletter");
  await page.evaluate(holdPaints);
  await page.locator("#add").click();
  await page.locator("#dialog input[name=email]").fill("late@example.com");
  await page.keyboard.press("Enter");
  await page.locator(".toast", { hasText: "late@example.com added" }).waitFor();
  expect(await page.evaluate("timers")).toBe(0);
  await page.evaluate("paint()");
  expect(await page.evaluate("timers")).toBe(1);
  await page.close();
});

test("what is said stays where it is while other things that were said leave", async () => {
  const page = await openPage();
  await page.clock.install();
  await page.goto("/dashboard");
  await settled(page);
  await page.evaluate(`{
    globalThis.ends = [];
    const toasts = document.querySelector("#toasts");
    new MutationObserver(() => ends.push([...toasts.children].map(({ offsetTop, offsetHeight }) => offsetTop + offsetHeight)))
      .observe(toasts, { childList: true });
    const said = (kind, more = "") => '<div class="toast" data-toast="' + kind + '"><p>Said</p>' + more + "</div>";
    toasts.innerHTML = said("bad") + said("good", "<form></form>") + said("good"); // what can be undone stays longer
  }`);
  await page.clock.runFor(20_000);
  await eventually(() => page.locator("#toasts > [data-toast=good]").count(), 0);
  const [[bad = 0, , good = 0] = [], two, one] = (await page.evaluate("ends")) as number[][];
  expect([two, one]).toEqual([[bad, good], [bad]]);
  expect(await shifts(page)).toEqual([]);
  await page.close();
});
