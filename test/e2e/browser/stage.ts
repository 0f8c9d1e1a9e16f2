import { expect, test } from "bun:test";
import { basename } from "node:path";
import type { Locator, Page } from "playwright-core";
import { type Deliver, settled } from "../../support/broadcasts/stage";
import { waitTimeoutMs } from "../../support/within";

export { cookieOf, openStage, settled, type Deliver, type Stage } from "../../support/broadcasts/stage";

/** For what nothing of BiDi does, by which a Firefox is driven; the reason is said at each. */
export const onChromium = process.env.FIREFOX_PATH ? test.skip : test;

/**
 * Has pages wait for their fonts, for tests of where things stand. Otherwise a page does without those that take longer
 * than a tenth of a second, and a machine of tests may have only wider ones.
 */
export const awaitingFonts: Deliver = async (answer, request) => {
  if (!/\.css$/.test(new URL(request.url).pathname)) return answer(request);
  const plain = new Request(request);
  plain.headers.set("accept-encoding", "identity");
  const styles = await answer(plain);
  const text = (await styles.text()).replaceAll(/font-display: ?optional/g, "font-display: block");
  styles.headers.delete("content-length");
  return new Response(text, { status: styles.status, headers: styles.headers });
};

/** Notices of success leave after six or ten seconds, in which a slow machine may not get as far as to look at them. */
export const keepNotices = `{
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (act, ms, ...rest) => (ms === 6_000 || ms === 10_000 ? 0 : setTimeout(act, ms, ...rest));
}`;

/** Polls from outside, because the page's policy does not let Playwright wait inside. */
export async function until(isTrue: () => Promise<boolean> | boolean): Promise<void> {
  for (const end = Date.now() + waitTimeoutMs; Date.now() < end; await Bun.sleep(50)) if (await isTrue()) return;
  throw new Error(`Not so after ${waitTimeoutMs} ms: ${isTrue}`);
}

/** Waits until a value equals or matches the expected one, for two minutes at most; then fails with the last value. */
export async function eventually(value: () => unknown, expected: unknown): Promise<void> {
  for (const end = Date.now() + waitTimeoutMs; Date.now() < end; await Bun.sleep(50))
    try {
      return expect(await value()).toEqual(expected);
    } catch {} // not yet, or in between two pages
  expect(await value()).toEqual(expected);
}

/** The text of a post or a broadcast, as its form sends it. */
export const contentOf = (page: Page) =>
  page.evaluate("document.querySelector('textarea[name=content]').value") as Promise<string>;

/** In the editor of a post, shows the details instead of the preview. Without the styles, both buttons are visible. */
export async function showDetails(page: Page): Promise<void> {
  const button = page.locator("[data-view=details]").filter({ visible: true });
  await eventually(() => button.count(), 1);
  await button.click();
}

/** The ID of the focused element, or else its name. */
export const focused = (page: Page) =>
  page.evaluate("document.activeElement.id || document.activeElement.tagName") as Promise<string>;

/** Waits until the control with this ID has the focus. Returns what has it in the end. */
export async function focusOn(page: Page, id: string): Promise<string> {
  await eventually(() => focused(page), id).catch(() => undefined);
  return focused(page);
}

/**
 * Notes which link or button a click in the middle of an element hits once something has taken its place: just before
 * a click takes effect there again, and then. The time of the page is moved for this, so it does not matter how fast it is.
 * Returns both, once they are known.
 */
export async function clicksAfter(page: Page, place: Locator, change: string): Promise<() => Promise<unknown>> {
  const { x, y, width, height } = (await place.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  await page.evaluate(`{
    window.hits = [];
    const noteHit = () => {
      const hit = document.elementFromPoint(${x + width / 2}, ${y + height / 2})?.closest("a, button");
      window.hits.push(hit?.textContent.trim() ?? "");
    };
    new MutationObserver((_, observer) => {
      if (!document.querySelector(${JSON.stringify(change)})) return;
      observer.disconnect();
      const arrivals = document.getAnimations().filter(({ animationName }) => animationName === "arrived");
      for (const arrival of arrivals) arrival.currentTime = 999;
      noteHit();
      for (const arrival of arrivals) arrival.finish();
      noteHit();
    }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  }`);
  return () => page.evaluate("window.hits");
}

/** Presses G and this letter. Both are sent at once, because a slow machine takes longer between two keys than a hand may. */
export const goTo = (page: Page, letter: string) => Promise.all(["g", letter].map((key) => page.keyboard.press(key)));

/** Opens the menu of further actions. */
export const openMenu = (page: Page, id: string) => page.locator(`#more-${id}`).click();

/** Returns what has the focus once nothing changes. The body counts only if it stays focused. */
export async function focusKept(page: Page): Promise<string> {
  await settled(page);
  await eventually(() => focused(page), expect.not.stringMatching(/^BODY$/)).catch(() => undefined);
  return focused(page);
}

/**
 * Drags an element over another, and drops it once the page has shown its answer: Chromium gives up a drag that is
 * dropped sooner, and what looks like no drag is a click.
 */
export async function drag(page: Page, from: Locator, to: Locator, answer: Locator): Promise<void> {
  await from.hover();
  await page.mouse.down();
  await until(async () => {
    const { x, y, width, height } = (await to.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await page.mouse.move(x + width / 2, y + height / 2, { steps: 5 });
    return answer.isVisible();
  });
  if (process.env.FIREFOX_PATH) {
    // BiDi releases the button without ending the drag
    await to.dispatchEvent("drop");
    await from.dispatchEvent("dragend");
  }
  await page.mouse.up();
}

/**
 * Drags files over the edge of the window to this place, and drops them. Chromium makes a leave of a drop if the page has
 * not said by then that it takes one; then they are dragged again, as by a hand.
 */
export async function dropFiles(page: Page, files: string[], to: Place, drag: Drag = {}): Promise<void> {
  const { from = { x: 2, y: 2 }, beforeDrop } = drag;
  if (process.env.FIREFOX_PATH) return dropByScript(page, files, to, from);
  const debuggee = await page.context().newCDPSession(page);
  const data = { items: [], files, dragOperationsMask: 1 };
  const send = (type: "dragEnter" | "dragOver" | "drop", at = to) =>
    debuggee.send("Input.dispatchDragEvent", { type, ...at, data });
  await page.evaluate(`
    for (const type of ["dragover", "drop", "dragleave"])
      addEventListener(type, () => (window.lastOfDrag = type), true);`);
  const last = () => page.evaluate("window.lastOfDrag");
  do {
    await send("dragEnter", from);
    do await send("dragOver");
    while ((await last()) !== "dragover");
    await beforeDrop?.();
    await send("drop");
    await until(async () => (await last()) !== "dragover");
  } while ((await last()) !== "drop");
  await debuggee.detach();
}
type Place = { x: number; y: number };
/** Where the files enter the window, and what happens while they are above their place. */
type Drag = { from?: Place; beforeDrop?: () => Promise<unknown> };

/** No command of BiDi drags files: in a Firefox, the page's own events do. They carry no folders. */
async function dropByScript(page: Page, paths: string[], to: Place, from: Place): Promise<void> {
  const files = paths.map(async (path) => {
    const file = Bun.file(path);
    return { name: basename(path), type: file.type.replace(/;.*/, ""), bytes: [...(await file.bytes())] };
  });
  await page.evaluate(`{
    const dataTransfer = new DataTransfer();
    for (const { name, type, bytes } of ${JSON.stringify(await Promise.all(files))})
      dataTransfer.items.add(new File([new Uint8Array(bytes)], name, { type }));
    for (const [type, { x, y }] of ${JSON.stringify([
      ["dragenter", from],
      ["dragover", to],
      ["drop", to],
    ])}) {
      const init = { dataTransfer, clientX: x, clientY: y, bubbles: true, cancelable: true, composed: true };
      document.elementFromPoint(x, y).dispatchEvent(new DragEvent(type, init));
    }
  }`);
}
