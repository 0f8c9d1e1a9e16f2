import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import axe from "axe-core";
import { fillStage } from "./props";
import { openStage, settled, type Stage } from "./stage";

setDefaultTimeout(120_000);

let stage: Stage;
let rooms: Record<string, string>;
beforeAll(async () => {
  stage = await openStage();
  rooms = await fillStage(stage);
});
afterAll(() => stage.close());

const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const looks = [
  { colorScheme: "light", viewport: { width: 1280, height: 860 } },
  { colorScheme: "dark", viewport: { width: 1280, height: 860 } },
  { colorScheme: "light", viewport: { width: 390, height: 844 } },
  { colorScheme: "dark", viewport: { width: 390, height: 844 } },
] as const;

declare const getComputedStyle: (element: never) => {
  borderTopWidth: string;
  borderTopStyle: string;
  transitionDuration: string;
};

/** What axe finds wrong on a page, in words. Injected by the debugger, so the CSP stays on. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  await settled(page);
  const { violations } = (await page.evaluate(`axe.run({ runOnly: ${JSON.stringify(tags)} })`)) as axe.AxeResults;
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`),
  );
}

/** Nothing may stick out sideways (WCAG 1.4.10). */
const overflow = (page: Page) =>
  page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") as Promise<number>;

describe("axe finds nothing", () => {
  for (const look of looks)
    test(`on any page, ${look.colorScheme}, ${look.viewport.width} px wide`, async () => {
      const page = await (await stage.manager(look)).newPage();
      const found: string[] = [];
      for (const [name, path] of Object.entries(rooms)) {
        const answer = await page.goto(path);
        expect([name, answer?.status()]).toEqual([name, 200]);
        found.push(...(await violations(page)).map((words) => `${name}: ${words}`));
        expect([name, await overflow(page)]).toEqual([name, 0]);
      }
      expect(found).toEqual([]);
      await page.close();
    });

  for (const look of looks)
    test(`in any state of a list, ${look.colorScheme}, ${look.viewport.width} px wide`, async () => {
      const page = await stage.open("/dashboard/newsletter", look);
      await page.locator("input[name=ids]").first().check();
      expect(await violations(page)).toEqual([]); // a selection
      await page.locator("a[id^=delete-]").first().click();
      await page.locator("#dialog dialog[open]").waitFor();
      expect(await violations(page)).toEqual([]); // a dialog
      await page.keyboard.press("Escape");
      await page.locator("#add").click();
      await page.locator("#new-email").fill("nope@nope");
      await page.locator("#dialog button[type=submit]").click();
      await page.locator("#new-email-error").waitFor();
      expect(await violations(page)).toEqual([]); // a form with an error
      await page.keyboard.press("Escape");
      await page.locator("#q").pressSequentially("nobody at all");
      await page.getByText("No subscribers match").waitFor();
      expect(await violations(page)).toEqual([]); // no match, after a swap
      await page.close();
    });
});

test("axe finds nothing on the pages of a service that is new, and nobody was here yet", async () => {
  const fresh = await openStage();
  const found: string[] = [];
  for (const look of [looks[0], looks[3]]) {
    const page = await (await fresh.manager(look)).newPage();
    for (const path of ["", "/newsletter", "/contact", "/outbox", "/api-keys", "/settings", "/audit", "/managers"]) {
      await page.goto(`/dashboard${path}`);
      found.push(...(await violations(page)).map((words) => `${path}: ${words}`));
    }
  }
  const stranger = await (await fresh.visitor(looks[0])).newPage();
  for (const path of [
    "/dashboard/sign-in",
    "/api/newsletter/unsubscribe?email=a@b.example&token=x",
    "/nothing-here",
    "/docs",
  ]) {
    await stranger.goto(path);
    found.push(...(await violations(stranger)).map((words) => `${path}: ${words}`));
  }
  expect([...found, ...fresh.complaints]).toEqual([]);
  await fresh.close();
});

test("nothing sticks out at 320 px, at 200 % zoom, or with wide text spacing (WCAG 1.4.4, 1.4.10, 1.4.12)", async () => {
  const spacing =
    "*{line-height:1.5!important;letter-spacing:.12em!important;word-spacing:.16em!important}p{margin-block-end:2em!important}";
  const found: string[] = [];
  for (const [name, viewport] of [
    ["320 px", { width: 320, height: 640 }],
    ["200 %", { width: 640, height: 430 }],
  ] as const) {
    const page = await (await stage.manager({ viewport })).newPage();
    for (const [room, path] of Object.entries(rooms)) {
      await page.goto(path);
      if ((await overflow(page)) > 0) found.push(`${room} at ${name}`);
      await page.evaluate(
        `(s => { s.replaceSync(${JSON.stringify(spacing)}); document.adoptedStyleSheets.push(s) })(new CSSStyleSheet())`,
      );
      if ((await overflow(page)) > 0) found.push(`${room} at ${name}, spaced`);
    }
    await page.close();
  }
  expect(found).toEqual([]);
});

test("in forced colours every badge and button has an edge; without motion nothing moves", async () => {
  const page = await stage.open("/dashboard/newsletter", { forcedColors: "active", reducedMotion: "reduce" });
  const edge = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((element) => {
        const { borderTopWidth, borderTopStyle } = getComputedStyle(element as never);
        return `${borderTopWidth} ${borderTopStyle}`;
      });
  expect(await edge(".badge")).toBe("1px solid");
  expect(await edge(".btn.primary")).toBe("1px solid");
  await page.locator("#add").click();
  const duration = await page
    .locator("dialog.dialog")
    .first()
    .evaluate((e) => getComputedStyle(e as never).transitionDuration);
  expect(Math.max(...duration.split(",").map(Number.parseFloat))).toBeLessThanOrEqual(0.001);
  await page.close();
});

test("no page made the browser complain about the policy, or threw", () => {
  expect(stage.complaints).toEqual([]);
});
