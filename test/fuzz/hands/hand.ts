import type { Page } from "playwright-core";
import { dropFiles } from "../../e2e/browser/stage";

/** What a hand does. It acts on an element as soon as it is painted and can be hit, and waits for nothing else. */
export type Step =
  | { press: string }
  /** Presses a key, or several at once ("g k"), as soon as this element is there. */
  | { key: string; at: string }
  /** Types where the focus is, after pressing on this element if one is named. */
  | { type: string; into?: string }
  /** Drops a file. */
  | { drop: string }
  /** Drags this element down by so many pixels. */
  | { drag: string; by: number };

export const describe = (step: Step): string => JSON.stringify(step).slice(1, -1);

type Place = { x: number; y: number };

/**
 * Where an element can be hit: the first that matches, is on a painted page, and is not covered, off or out of sight.
 * What is out of sight is scrolled to.
 */
const placeOf = (selector: string) => `(() => {
  if (!performance.getEntriesByType("paint").length) return null;
  for (const element of document.querySelectorAll(${JSON.stringify(selector)})) {
    if (!element.checkVisibility({ visibilityProperty: true })) continue;
    if (getComputedStyle(element).pointerEvents === "none") continue; // off until the scripts are there
    const box = element.getBoundingClientRect();
    if (!box.width || !box.height) continue;
    if (box.top < 0 || box.bottom > innerHeight) element.scrollIntoView({ block: "center", behavior: "instant" });
    const { left, top, width, height } = element.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    const hit = document.elementFromPoint(x, y);
    if (hit && (element.contains(hit) || hit.contains(element)) && !element.closest(":disabled")) return { x, y };
  }
  return null;
})()`;

const waitLimitMs = 300_000; // until a step counts as impossible, also on a machine that does much else

/**
 * Returns where the element is, once it stands still: a hand that aims sees where it goes.
 *
 * @throws if the element never comes
 */
export async function find(page: Page, selector: string): Promise<Place> {
  let before: Place | null = null;
  for (const end = Date.now() + waitLimitMs; Date.now() < end; await Bun.sleep(20)) {
    const place = (await page.evaluate(placeOf(selector)).catch(() => null)) as Place | null; // null between two pages
    if (place && place.x === before?.x && place.y === before.y) return place;
    before = place;
  }
  throw new Error(`${selector} never came`);
}

/** Does the step with raw input. Playwright's mouse and keyboard wait for nothing. */
export async function act(page: Page, step: Step): Promise<void> {
  if ("press" in step) return pressAt(page, await find(page, step.press));
  if ("key" in step) {
    await find(page, step.at);
    const keys = step.key.split(" ");
    // Whatever the page needs for the first: fingers do not wait. The same key twice at once would be one that is held
    if (new Set(keys).size === keys.length) await Promise.all(keys.map((key) => page.keyboard.press(key)));
    else for (const key of keys) await page.keyboard.press(key);
    return;
  }
  if ("type" in step) {
    if (step.into) await pressAt(page, await find(page, step.into));
    return page.keyboard.type(step.type);
  }
  if ("drag" in step) return drag(page, await find(page, step.drag), step.by);
  await find(page, "h1, .write, #content");
  await dropFiles(page, [step.drop], { x: 640, y: 400 });
}

async function pressAt(page: Page, { x, y }: Place): Promise<void> {
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.up();
}

async function drag(page: Page, { x, y }: Place, by: number): Promise<void> {
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x, y + by, { steps: 5 });
  await page.mouse.up();
}
