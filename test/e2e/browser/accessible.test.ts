import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { extremes, flaws, looks, overflow, violations } from "./axe";
import { fillDatabase } from "./fixtures";
import { openStage, type Stage, showDetails } from "./stage";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

let stage: Stage;
let rooms: Record<string, string>;
beforeAll(async () => {
  stage = await openStage();
  rooms = await fillDatabase(stage);
});
afterAll(() => stage.close());

declare const getComputedStyle: (element: never) => {
  borderTopWidth: string;
  borderTopStyle: string;
  transitionDuration: string;
};

test("dark differs from light by the values of tokens, and by nothing else", async () => {
  const sheets = await Promise.all(
    [...new Bun.Glob("public/**/*.css").scanSync()].map(async (file) => [file, await Bun.file(file).text()] as const),
  );
  const asking = sheets.filter(([, css]) => /prefers-color-scheme|data-theme/.test(css));
  expect(asking.map(([file]) => file)).toEqual(["public/app/base/tokens.css"]);
  const rules = [...(asking[0]?.[1] ?? "").matchAll(/\[data-theme="\w+"\] \{\s*([^}]*?)\s*\}/g)].map(
    ([, body]) => body,
  );
  expect(rules).toEqual(["color-scheme: light;", "color-scheme: dark;"]);
});

let walk: ReturnType<typeof walkAll> | undefined;
/** What is wrong with the pages. Each is opened once for both tests that look at all of them. */
const walked = () => (walk ??= walkAll());

async function walkAll() {
  const page = await (await stage.manager()).newPage();
  const found: string[] = [];
  const tooWide: string[] = [];
  for (const [name, path] of Object.entries(rooms)) {
    const answer = await page.goto(path);
    expect([name, answer?.status()]).toEqual([name, 200]);
    found.push(...(await flaws(page)).map((words) => `${name}, ${words}`));
    tooWide.push(...(await stretched(page)).map((words) => `${name} ${words}`));
  }
  await page.close();
  return { found, tooWide };
}

const spacing =
  "*{line-height:1.5!important;letter-spacing:.12em!important;word-spacing:.16em!important}p{margin-block-end:2em!important}";

/** Where the page is wider than a small or an enlarged viewport. */
async function stretched(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const [name, viewport] of [
    ["320 px", { width: 320, height: 640 }],
    ["200 %", { width: 640, height: 430 }],
  ] as const) {
    await page.setViewportSize(viewport);
    await page.evaluate("document.adoptedStyleSheets = []");
    if ((await overflow(page)) > 0) found.push(`at ${name}`);
    await page.evaluate(
      `(s => { s.replaceSync(${JSON.stringify(spacing)}); document.adoptedStyleSheets.push(s) })(new CSSStyleSheet())`,
    );
    if ((await overflow(page)) > 0) found.push(`at ${name}, spaced`);
  }
  await page.setViewportSize(looks[0].viewport);
  return found;
}

describe("axe finds nothing", () => {
  test("on any page, light or dark, wide or narrow, and nothing sticks out", async () =>
    expect((await walked()).found).toEqual([]));

  for (const [light, dark] of [
    [looks[0], looks[1]],
    [looks[2], looks[3]],
  ] as const)
    test(`in any state of the editor, ${light.viewport.width} px wide, light or dark`, async () => {
      const page = await stage.open(rooms["an editor with problems"] ?? "", light);
      const states: Record<string, string[]> = {};
      const look = async (state: string) => {
        states[state] = await flaws(page, [light, dark]);
        await page.setViewportSize(light.viewport);
      };
      await page.locator("#preview .prose").waitFor({ state: "attached" });
      if (light.viewport.width < 1_000) await page.locator("#view-preview").click();
      await page.locator("#preview [data-caret]").first().waitFor();
      await look("a preview with problems");
      await showDetails(page);
      await look("the details beside it");
      await page.locator("#choose-cover").click();
      await page.locator("#dialog dialog[open]").waitFor();
      await look("images in a dialog");
      expect(states).toEqual({ "a preview with problems": [], "the details beside it": [], "images in a dialog": [] });
      await page.close();
    });

  test("in the headers, body and response of a webhook's call, light or dark, and nothing sticks out", async () => {
    const page = await stage.open(rooms["failing endpoint"] ?? "");
    const calls = page.locator("#list tbody details");
    for (const call of await calls.locator("summary").all()) await call.click();
    for (const label of ["Headers", "Body", "Response"]) await calls.getByLabel(label).first().waitFor();
    expect(await calls.getByLabel("Headers").first().textContent()).toContain("webhook-signature: v1,");
    expect(await flaws(page)).toEqual([]);
    expect(await stretched(page)).toEqual([]);
    await page.close();
  });

  test("in any state of a list, light or dark, wide or narrow", async () => {
    const page = await stage.open("/dashboard/newsletter");
    const look = async (state: string) => expect([state, await flaws(page)]).toEqual([state, []]);
    await page.locator("input[name=ids]").first().check();
    await page.evaluate("scrollTo(0, document.body.scrollHeight)"); // where the selection bar covers no rows
    await look("a selection");
    await page.locator("tbody [id^=more-]").first().click();
    await look("the menu of a row");
    await page.locator("a[id^=delete-]:visible").first().click();
    await page.locator("#dialog dialog[open]").waitFor();
    await look("a dialog");
    await page.keyboard.press("Escape");
    await page.locator("#add").click();
    await page.locator("#new-email").fill("nope@nope");
    await page.locator("#dialog button[type=submit]").click();
    await page.locator("#new-email-error").waitFor();
    await look("a form with an error");
    await page.keyboard.press("Escape");
    await page.locator("#q").pressSequentially("nobody at all");
    await page.getByText("No matching subscribers").waitFor();
    await look("no match, after a swap");
    await page.close();
  });
});

test("axe finds what is planted, and what sticks out is seen", async () => {
  const page = await stage.open("/dashboard/audit");
  await page.evaluate("document.body.append(new Image())");
  expect((await violations(page)).join("\n")).toContain("image-alt: img");
  await page.evaluate(`{
    const dim = document.createElement("p");
    Object.assign(dim.style, { color: "light-dark(black, #222)", transition: "color 1h" });
    document.querySelector("main").append(Object.assign(dim, { id: "dim", textContent: "Dim" }));
  }`);
  const dimIn = (await flaws(page)).filter((flaw) => flaw.includes("color-contrast: #dim"));
  expect(dimIn.map((flaw) => flaw.split(":")[0])).toEqual(["dark, 1280 px", "dark, 390 px"]);
  await page.evaluate("document.body.style.width = '3000px'");
  expect(await overflow(page)).toBeGreaterThan(1_000);
  await page.close();
});

test("axe finds nothing on the pages of a service that is new, and no one was here yet", async () => {
  const fresh = await openStage();
  const found: string[] = [];
  for (const look of extremes) {
    const page = await (await fresh.manager(look)).newPage();
    for (const path of [
      "",
      "/newsletter",
      "/contact",
      "/outbox",
      "/api-keys",
      "/webhooks",
      "/settings",
      "/audit",
      "/managers",
      "/storage/nodes",
    ]) {
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

test("nothing sticks out at 320 px, at 200 % zoom, or with wide text spacing (WCAG 1.4.4, 1.4.10, 1.4.12)", async () =>
  expect((await walked()).tooWide).toEqual([]));

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
