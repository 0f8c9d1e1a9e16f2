import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { addRecipients, setState } from "../../support/broadcasts/sent";
import { addWebhookFixtures } from "./webhook-fixtures";
import { addBroadcastFixtures } from "./broadcast-fixtures";
import { create } from "../../../db/broadcasts/edit";
import * as subscribers from "../../../db/newsletter/subscribers";
import { focusOn, openStage, settled, type Stage } from "./stage";

/* What only a browser shows of a page: what is in sight, on paper and in forced colours. */

setDefaultTimeout(900_000);

let stage: Stage;
let pages: Record<string, string>;
let report: string;
beforeAll(async () => {
  stage = await openStage();
  const { db, now, owner } = stage;
  for (let i = 0; i < 5; i++)
    await subscribers.subscribe(db, { email: `r${i}@example.com`, source: "blog" }, { via: "form" }, now());
  await stage.post("/api/contact", { name: "Hana", email: "h@example.com", message: "A question about the tides." });
  pages = await addBroadcastFixtures(stage);
  const fields = { subject: "Tides", preheader: "", fromName: "", segment: {}, content: "x", archive: "none" as const };
  const { id } = await create(db, { source: { kind: "own" }, fields }, { actor: owner.manager.email }, now());
  await setState(db, id, { state: "sent", audience: 150, startedAt: now(), finishedAt: now(), ceiling: 60 });
  await addRecipients(
    db,
    id,
    Array.from({ length: 150 }, () => ({ deliveredAt: now() })),
  );
  report = `/dashboard/broadcasts/${id}`;
});
afterAll(() => stage.close());

type Box = { x: number; y: number; width: number; height: number };

async function boxOf(page: Page, selector: string): Promise<Box> {
  const box = await page.locator(selector).first().boundingBox();
  if (!box) throw new Error(`${selector} is not drawn`);
  return box;
}

test("signing out is in sight on a low screen, and the review's button in the dialog", async () => {
  const page = await stage.open("/dashboard", { viewport: { width: 1280, height: 720 } });
  const account = await boxOf(page, ".side-foot");
  expect(account.y + account.height).toBeLessThanOrEqual(720);
  await page.setViewportSize({ width: 1280, height: 560 });
  await page.goto(pages.composer ?? "");
  await page.locator("#review").click();
  const button = await boxOf(page, "dialog[open] #send-now");
  expect(button.y + button.height).toBeLessThanOrEqual(560);
  await page.keyboard.press("Escape");
  await page.close();
  expect(stage.complaints).toEqual([]);
});

test("the account's menu opens by keyboard, its dialog gives the focus back, and the page stays where it was", async () => {
  const page = await stage.open("/dashboard", { viewport: { width: 1280, height: 720 } });
  await page.locator("#account").focus();
  await page.keyboard.press("Enter");
  await page.locator("#account-menu:popover-open").waitFor();
  await page.getByRole("link", { name: "Keyboard shortcuts" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  await page.keyboard.press("Escape");
  expect(await focusOn(page, "account")).toBe("account");
  expect(await page.evaluate("scrollY")).toBe(0);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Dark" }).press("Enter");
  await page.locator("html[data-theme=dark]").waitFor({ state: "attached" });
  await page.goto("/dashboard/audit");
  const current = await boxOf(page, ".navs [aria-current]");
  const account = await boxOf(page, ".side-foot");
  expect(current.y + current.height).toBeLessThanOrEqual(account.y);
  await page.close();
  expect(stage.complaints).toEqual([]);
});

test("a new broadcast begins at its subject, and the heading is what was typed", async () => {
  const page = await stage.open("/dashboard/broadcasts");
  await page.locator("#new-broadcast").click();
  await page.waitForURL(/broadcasts\/[0-9a-f-]{36}$/);
  expect(await focusOn(page, "subject")).toBe("subject");
  await page.keyboard.type("Rain", { delay: 60 });
  await page.locator("h1", { hasText: /^Rain$/ }).waitFor();
  expect(await focusOn(page, "subject")).toBe("subject");
  await page.close();
});

test("a node that cannot be reached: the focus is on what is wrong, and the keys need not be typed again", async () => {
  const page = await stage.open("/dashboard/storage/nodes/new");
  for (const [field, value] of [
    ["name", "cellar"],
    ["endpoint", "http://127.0.0.1:1"],
    ["bucket", "parcels"],
    ["accessKey", "the-access-key"],
    ["secretKey", "the-secret-key"],
    ["capacity", "2GB"],
  ] as const)
    await page.locator(`#f-${field}`).fill(value);
  await page.keyboard.press("Enter");
  await page.locator("#f-endpoint-error").waitFor();
  expect(await focusOn(page, "f-endpoint")).toBe("f-endpoint");
  await page.getByRole("button", { name: "Add anyway" }).click();
  await page.waitForURL(/storage\/nodes\/[0-9a-f-]{36}$/);
  await page.close();
});

test("the address of a form, and an archive without emails, answer with a page that has a heading", async () => {
  const fresh = await openStage();
  const page = await (await fresh.manager()).newPage();
  for (const path of ["/dashboard/broadcasts/new", "/newsletter", "/dashboard/nowhere"]) {
    const answer = await page.goto(path);
    expect([path, await page.getByRole("heading", { level: 1 }).count()]).toEqual([path, 1]);
    if (path === "/newsletter") expect(answer?.status()).toBe(200);
  }
  await fresh.close();
});

test("a reply covers nothing of the conversation until it is written, and the note about a webhook touches no card", async () => {
  const { "failing endpoint": failing = "" } = await addWebhookFixtures(stage);
  const page = await stage.open("/dashboard/contact", { viewport: { width: 900, height: 500 } });
  await page.goto((await page.locator("#list .rows a").first().getAttribute("href")) ?? "");
  const position = () => page.evaluate("getComputedStyle(document.querySelector('.composer')).position");
  expect(await position()).toBe("static");
  await page.locator(".composer textarea").fill("Dear Ida,");
  expect(await position()).toBe("sticky");
  page.on("dialog", (dialog) => void dialog.accept());
  await page.goto(failing);
  const [note, card] = [await boxOf(page, "#trouble .note"), await boxOf(page, "#trouble + .columns")];
  expect(card.y).toBeGreaterThanOrEqual(note.y + note.height + 12);
  await page.close();
});

test("on paper there are no checkboxes, bins and other buttons", async () => {
  const page = await stage.open("/dashboard/newsletter");
  for (const path of ["/dashboard/newsletter", "/dashboard/contact", "/dashboard/broadcasts"]) {
    await page.goto(path);
    await page.emulateMedia({ media: "print" });
    const drawn = page.locator("main :is(input, button, .btn, .segments)").filter({ visible: true });
    expect([path, await drawn.count()]).toEqual([path, 0]);
    await page.emulateMedia({ media: "screen" });
  }
  await page.close();
});

declare const getComputedStyle: (element: unknown) => { backgroundColor: string };

test("in forced colours the primary button differs from the others", async () => {
  const page = await stage.open("/dashboard/newsletter", { forcedColors: "active" });
  const fillOf = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((button) => getComputedStyle(button).backgroundColor);
  expect(await fillOf("a.btn.primary")).not.toBe(await fillOf("#exports a.btn"));
  await page.close();
});

test("on the narrowest phone the buttons of a page take two rows at most, and nothing is wider than the screen", async () => {
  const page = await stage.open("/dashboard", { viewport: { width: 320, height: 640 } });
  for (const path of [
    "/dashboard/newsletter",
    "/dashboard/posts",
    "/dashboard/storage",
    pages["a sent broadcast"] ?? "",
  ]) {
    await page.goto(path);
    await settled(page);
    const tops = await page
      .locator(".head .actions :is(.btn, .menu-button)")
      .filter({ visible: true })
      .evaluateAll((buttons) =>
        (buttons as unknown as { getBoundingClientRect(): { bottom: number } }[]).map((button) =>
          Math.round(button.getBoundingClientRect().bottom),
        ),
      );
    expect([path, new Set(tops).size <= 2]).toEqual([path, true]);
    expect([path, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([path, 320]);
  }
  await page.close();
});

test("each row of a report has its figure and its share on the baseline of its name, on a phone too", async () => {
  for (const viewport of [
    { width: 1280, height: 860 },
    { width: 390, height: 844 },
  ]) {
    const page = await stage.open(report, { viewport });
    const rows = await page
      .locator(".ledger tbody tr.part")
      .evaluateAll((rows) =>
        (rows as unknown as { children: Iterable<{ getBoundingClientRect(): Box; textContent: string }> }[]).map(
          (row) => [...row.children].filter((cell) => cell.textContent).map((cell) => cell.getBoundingClientRect()),
        ),
      );
    expect(rows.length).toBeGreaterThan(5);
    for (const [name, ...figures] of rows)
      for (const figure of figures)
        expect([viewport.width, figure.y, figure.height]).toEqual([viewport.width, name?.y ?? 0, name?.height ?? 0]);
    expect(rows.some((cells) => cells.length === 3)).toBe(true);
    await page.close();
  }
});
