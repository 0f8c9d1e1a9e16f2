import { expect } from "bun:test";
import type { Page, Response } from "playwright-core";
import { waitTimeoutMs, settled } from "../../support/broadcasts/stage";

export { cookieOf, openStage, settled, type Stage } from "../../support/broadcasts/stage";

/** Polls: the page's policy does not let Playwright wait inside of it. */
export async function until(isTrue: () => Promise<boolean> | boolean): Promise<void> {
  for (const end = Date.now() + waitTimeoutMs; Date.now() < end; await Bun.sleep(50)) if (await isTrue()) return;
  throw new Error(`Not so after ${waitTimeoutMs} ms: ${isTrue}`);
}

/** Waits until a value is as expected, or matches, for two minutes at most; then fails with the last one. */
export async function eventually(value: () => unknown, expected: unknown): Promise<void> {
  for (const end = Date.now() + waitTimeoutMs; Date.now() < end; await Bun.sleep(50))
    try {
      return expect(await value()).toEqual(expected);
    } catch {} // not yet, or in between two pages
  expect(await value()).toEqual(expected);
}

const visits = new WeakMap<Page, number>();

/**
 * Goes to the next page of a long walk. Chromium's renderer needs more time for every document than for the one before
 * (four times as much after two hundred), and leaving for an empty page gets a new one.
 */
export async function walkTo(page: Page, path: string): Promise<Response | null> {
  const count = (visits.get(page) ?? 0) + 1;
  visits.set(page, count);
  if (count % 10 === 0) await page.goto("about:blank");
  return page.goto(path);
}

/** In the editor of a post, what else there is to say about it takes the place of its preview. */
export const showDetails = (page: Page) => page.locator("[data-view=details]").filter({ visible: true }).click();

/** The id of what has the focus, else its name. */
export const focused = (page: Page) =>
  page.evaluate("document.activeElement.id || document.activeElement.tagName") as Promise<string>;

/** Waits until the control with this id has the focus; says what has it in the end. */
export async function focusOn(page: Page, id: string): Promise<string> {
  await eventually(() => focused(page), id).catch(() => undefined);
  return focused(page);
}

/** The rarer actions of a thing are behind this button. */
export const openMenu = (page: Page, id: string) => page.locator(`#more-${id}`).click();

/** What has the focus when nothing changes any more. The body is believed only when it stays so. */
export async function focusKept(page: Page): Promise<string> {
  await settled(page);
  await eventually(() => focused(page), expect.not.stringMatching(/^BODY$/)).catch(() => undefined);
  return focused(page);
}
