import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { addRecipients, setState } from "../../support/broadcasts/sent";
import { addWebhookFixtures } from "./webhook-fixtures";
import { addBroadcastFixtures } from "./broadcast-fixtures";
import { create } from "../../../db/broadcasts/edit";
import * as apiKeys from "../../../db/access/keys/api-keys";
import * as posts from "../../../db/posts/posts";
import * as endpoints from "../../../db/webhooks/endpoints";
import { saveSegment } from "../../../db/newsletter/segments/saved";
import { addTopic } from "../../../db/newsletter/topics";
import * as subscribers from "../../../db/newsletter/subscribers";
import { addStorageFixtures } from "./storage-fixtures";
import { look } from "../../support/look";
import { store } from "../../support/storage/stored-files";
import { fillNode } from "./node-fixtures";
import { awaitingFonts, eventually, focusOn, openStage, settled, type Stage } from "./stage";
import { testTimeoutMs } from "../../support/within";

/* What only a browser shows of a page: what is in sight, on paper and in forced colours. */

setDefaultTimeout(testTimeoutMs);

let stage: Stage;
let pages: Record<string, string>;
let webhooks: Record<string, string>;
let report: string;
beforeAll(async () => {
  stage = await openStage({ deliver: awaitingFonts });
  const { db, now, owner } = stage;
  for (let i = 0; i < 5; i++)
    await subscribers.subscribe(db, { email: `r${i}@example.com`, source: "blog" }, { via: "form" }, now());
  const long = { email: "wilhelmina.oosterhuis@example.com", source: "landing" };
  await stage.post("/api/newsletter/subscribe", long);
  await stage.post("/api/contact", { name: "Hana", email: "h@example.com", message: "A question about the tides." });
  pages = await addBroadcastFixtures(stage);
  webhooks = await addWebhookFixtures(stage);
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

test("who a person is stands before what happened on a narrow screen, and beside it on a wide one", async () => {
  const subscriber = await subscribers.byEmail(stage.db, "wilhelmina.oosterhuis@example.com");
  const path = `/dashboard/newsletter/${subscriber?.id}`;
  for (const width of [390, 768, 1280]) {
    const page = await stage.open(path, { viewport: { width, height: 860 } });
    const facts = await boxOf(page, "#facts-title");
    const tabs = await boxOf(page, ".happened");
    const link = await boxOf(page, "#unsubscribe-link");
    expect([width, facts.y < tabs.y, link.y > tabs.y + tabs.height]).toEqual([width, width < 1280, width < 1280]);
    if (width === 1280) expect(facts.x).toBeGreaterThan(tabs.x + tabs.width);
    await page.close();
  }
});

/** Whether nothing covers the middle of an element, and it is in the window. */
const isSeen = (page: Page, selector: string) =>
  page.evaluate(`(() => {
    const element = document.querySelector(${JSON.stringify(selector)});
    const { x, y, width, height } = element.getBoundingClientRect();
    return element.contains(document.elementFromPoint(x + width / 2, y + height / 2));
  })()`);

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

test("who wants to invite someone sees Managers in the menu, and the way there among the pages of Settings", async () => {
  const page = await stage.open("/dashboard", { viewport: { width: 1280, height: 720 } });
  const account = await boxOf(page, ".side-foot");
  const settings = await boxOf(page, ".nav [data-key=',']");
  expect(settings.y + settings.height).toBeLessThanOrEqual(account.y);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("button", { name: "Menu" }).click();
  expect(await page.getByRole("link", { name: "Managers" }).isVisible()).toBe(true);
  await page.goto("/dashboard/settings");
  const access = await boxOf(page, ".settings-nav [href$=security]");
  expect(access.x + access.width).toBeLessThan(390);
  await page.close();
});

test("the number that confirms a broadcast to many is in sight beside its button, and what has the focus above both", async () => {
  const many = await openStage({ deliver: awaitingFonts });
  for (let i = 0; i < 120; i++)
    await subscribers.subscribe(many.db, { email: `m${i}@example.com`, source: "blog" }, { via: "form" }, many.now());
  const { composer = "" } = await addBroadcastFixtures(many);
  for (const [width, height] of [
    [1280, 860],
    [390, 700],
  ] as const) {
    const page = await many.open(composer, { viewport: { width, height } });
    await page.locator("#review").click();
    await eventually(() => isSeen(page, "dialog[open] #send-now"), true);
    await eventually(() => isSeen(page, "#send-number"), true);
    await page.locator("dialog[open] [name=time]").focus();
    await eventually(() => isSeen(page, "dialog[open] [name=time]"), true);
    await page.close();
  }
  expect(many.complaints).toEqual([]);
  await many.close();
});

test("the question before sending is as high as the window; where it goes on below its buttons, a line is between", async () => {
  const many = await openStage({ deliver: awaitingFonts });
  for (let i = 0; i < 120; i++)
    await subscribers.subscribe(many.db, { email: `m${i}@example.com`, source: "blog" }, { via: "form" }, many.now());
  const { composer = "" } = await addBroadcastFixtures(many);
  for (const height of [720, 1000]) {
    const page = await many.open(composer, { viewport: { width: 1280, height } });
    await page.locator("#review").click();
    await eventually(() => isSeen(page, "#send-number"), true);
    await settled(page);
    const choices = await boxOf(page, "dialog[open] .choices");
    const footer = await boxOf(page, "dialog[open] footer");
    const isWhole = choices.y + choices.height <= footer.y;
    expect([height, isWhole]).toEqual([height, height === 1000]);
    const line = "getComputedStyle(document.querySelector('dialog[open] footer')).borderTopWidth";
    expect(await page.evaluate<string>(line)).toBe("1px");
    await page.close();
  }
  await many.close();
});

test("below a text of one line, the tools stand at the lower edge of the window, for a post as for an email", async () => {
  for (const path of ["/dashboard/posts/new", pages["empty composer"] ?? ""]) {
    const page = await stage.open(path, { viewport: { width: 1280, height: 860 } });
    await settled(page);
    const bar = await boxOf(page, ".save-bar");
    expect([path, 860 - (bar.y + bar.height)]).toEqual([path, expect.closeTo(12, -1)]);
    await page.close();
  }
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

test("a new broadcast begins at its subject, whose outline keeps clear of its label; the heading is what was typed", async () => {
  const page = await stage.open("/dashboard/broadcasts");
  await page.locator("#new-broadcast").click();
  await page.waitForURL(/broadcasts\/[0-9a-f-]{36}$/);
  expect(await focusOn(page, "subject")).toBe("subject");
  const [row, label] = [
    await boxOf(page, ".envelope > div:has(#subject)"),
    await boxOf(page, ".envelope label[for=subject]"),
  ];
  expect(label.x - row.x).toBe(8);
  await page.keyboard.type("Rain", { delay: 60 });
  await page.locator("h1", { hasText: /^Rain$/ }).waitFor();
  expect(await focusOn(page, "subject")).toBe("subject");
  await page.close();
});

test("a node that cannot be reached: the focus is on what is wrong, and the keys need not be typed again", async () => {
  const page = await stage.open("/dashboard/storage/nodes/new");
  await fillNode(page, "cellar");
  await page.keyboard.press("Enter");
  await page.locator("#f-endpoint-error").waitFor();
  expect(await focusOn(page, "f-endpoint")).toBe("f-endpoint");
  await page.getByRole("button", { name: "Add anyway" }).click();
  await page.waitForURL(/storage\/nodes\/[0-9a-f-]{36}$/);
  await page.close();
});

test("the address of a form, and an archive without emails, answer with a page that has a heading", async () => {
  const fresh = await openStage({ deliver: awaitingFonts });
  const page = await (await fresh.manager()).newPage();
  for (const path of ["/dashboard/broadcasts/new", "/newsletter", "/dashboard/nowhere"]) {
    const answer = await page.goto(path);
    expect([path, await page.getByRole("heading", { level: 1 }).count()]).toEqual([path, 1]);
    if (path === "/newsletter") expect(answer?.status()).toBe(200);
  }
  await fresh.close();
});

test("a reply covers nothing of the conversation until it is written, and the note about a webhook touches no card", async () => {
  const page = await stage.open("/dashboard/contact", { viewport: { width: 900, height: 500 } });
  await page.goto((await page.locator("#list .rows a").first().getAttribute("href")) ?? "");
  const position = () => page.evaluate("getComputedStyle(document.querySelector('#composer')).position");
  expect(await position()).toBe("static");
  await page.locator("#composer textarea").fill("Dear Ida,");
  expect(await position()).toBe("sticky");
  page.on("dialog", (dialog) => void dialog.accept());
  await page.goto(webhooks["failing endpoint"] ?? "");
  const [note, card] = [await boxOf(page, "#trouble .note"), await boxOf(page, "#trouble + .columns")];
  expect(card.y).toBeGreaterThanOrEqual(note.y + note.height + 12);
  await page.close();
});

test("an endpoint's week and the filters below it have the same words and figures, and each filter only its rows", async () => {
  const page = await stage.open(webhooks["failing endpoint"] ?? "");
  await page.getByRole("img", { name: "0 delivered, 1 retrying, 0 failed in 7 days" }).waitFor();
  const segments = page.getByRole("navigation", { name: "Status" }).getByRole("link");
  const rows: Record<string, string[]> = {};
  for (const name of (await segments.allInnerTexts()).map((text) => text.replace(/\s+/g, " "))) {
    const [label = "", count = ""] = name.split(" ");
    await segments.filter({ hasText: label }).click();
    await segments.and(page.locator("[aria-current]")).filter({ hasText: label }).waitFor();
    const badges = page.locator("#list tbody .state");
    await eventually(() => badges.count(), Number(count));
    rows[label] = await badges.allInnerTexts();
  }
  expect(rows).toEqual({
    All: ["Waiting", "Retrying"],
    Delivered: [],
    Waiting: ["Waiting"],
    Retrying: ["Retrying"],
    Failed: [],
  });
  await page.close();
});

test("erasing offers what there is: someone's messages if they wrote any", async () => {
  const page = await stage.open("/dashboard/people");
  for (const [address, offered] of [
    ["r0@example.com", []],
    ["h@example.com", ["1 message in all folders"]],
  ] as const) {
    await page.goto("/dashboard/people");
    await page.locator("input[name=address]").pressSequentially(address, { delay: 20 });
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: /^Erase/ }).click();
    await page.getByRole("heading", { name: "Erase a person’s data" }).waitFor();
    const labels = await page.locator("#erase-scope label").allInnerTexts();
    expect([address, labels.filter((label) => /message/.test(label))]).toEqual([address, [...offered]]);
  }
  await page.close();
});

test("erasing someone is offered beside deleting their subscription, to owners", async () => {
  const page = await stage.open("/dashboard/newsletter?q=r0@example.com");
  await page.locator("#list .rows a, #list tbody a").first().click();
  await page.locator("#more-person").click();
  await page.locator("#erase").click();
  await page.getByRole("heading", { name: "Erase a person’s data" }).waitFor();
  expect(await page.locator("#head").innerText()).toContain("r0@example.com");
  await page.close();
});

test("the dialog that chooses who gets an email says nothing about everyone once a topic is chosen", async () => {
  const { db, now } = stage;
  await addTopic(db, { name: "Tides", sentence: "", isDefault: false }, { actor: "cli" }, now());
  const page = await stage.open(pages["empty composer"] ?? "");
  await page.getByText("Change…").first().click();
  await page.locator("dialog[open] [name=topic]").selectOption({ label: "Tides" });
  await page.locator("#counted", { hasText: "0 people get this email." }).waitFor();
  expect(await page.locator("dialog[open] .hint", { hasText: "everyone" }).count()).toBe(0);
  await page.close();
});

test("above files stands how many folders and files there are, as the rows below say", async () => {
  await store(stage, { filename: "tide.txt", folderPath: "letters" });
  const page = await stage.open("/dashboard/storage");
  const found = (words: string) => page.locator(".found", { hasText: new RegExp(`^${words}$`) }).waitFor();
  await found("1 folder");
  expect(await page.locator("tr", { hasText: "letters" }).locator(".size").innerText()).toBe("1 file");
  await page.locator("#new-folder").click();
  await page.locator("dialog[open] input[name=name]").pressSequentially("parcels", { delay: 20 });
  await page.keyboard.press("Enter");
  await page.getByText("This folder is empty").waitFor();
  await page.goto("/dashboard/storage");
  await found("2 folders");
  await page.getByRole("link", { name: "letters" }).click();
  await found("1 file");
  await page.close();
});

test("what is set on the server is told only to whoever asks for it, and no import is hidden where there is nothing yet", async () => {
  const fresh = await openStage({ deliver: awaitingFonts });
  const page = await (await fresh.manager()).newPage();
  const paths = ["site", "email", "security"].map((name) => `/dashboard/settings/${name}`);
  const lists = ["", "/newsletter", "/posts", "/outbox", "/storage/nodes", "/contact", "/webhooks/new"];
  for (const path of [...paths, ...lists.map((path) => `/dashboard${path}`)]) {
    await page.goto(path);
    const told = (await page.locator("body").innerText()).match(/\b[A-Z]{3,}(_[A-Z]+)+\b/g);
    expect([path, told]).toEqual([path, null]);
  }
  await page.locator("#f-name").fill("Attic");
  await page.locator("#f-url").fill("http://10.0.0.1/");
  await page.keyboard.press("Enter");
  await page.locator("#f-url-error").waitFor();
  expect(await page.locator("#f-url-error").innerText()).not.toMatch(/[A-Z]_[A-Z]/);
  for (const [path, name] of [
    ["newsletter", "Import subscribers"],
    ["posts", "Import Markdown files"],
  ] as const) {
    await page.goto(`/dashboard/${path}`);
    await page.getByRole("link", { name }).click();
    await page.getByRole("heading", { level: 1, name: /^Import/ }).waitFor();
  }
  await fresh.close();
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

declare const getComputedStyle: (
  element: unknown,
) => Record<"backgroundColor" | "outlineOffset" | "outlineWidth", string>;

test("on paper there is nothing to tick, to open, to write or to copy, and the ground is white in the dark theme too", async () => {
  const page = await stage.open(report, { colorScheme: "dark" });
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  const drawn = page.locator("main :is(input, textarea, summary, button, .btn)").filter({ visible: true });
  const [message] =
    (await (await stage.owner.get("/dashboard/contact")).text()).match(/\/dashboard\/contact\/[\w-]{36}/) ?? [];
  const [person] =
    (await (await stage.owner.get("/dashboard/newsletter")).text()).match(/\/dashboard\/newsletter\/[\w-]{36}/) ?? [];
  for (const path of [report, message ?? "", person ?? "", "/dashboard"]) {
    await page.goto(path);
    expect([path, await drawn.count()]).toEqual([path, 0]);
    expect(await page.evaluate<string>("getComputedStyle(document.body).backgroundColor")).toBe("rgb(255, 255, 255)");
  }
  await page.close();
});

test("unfolding the rarer pages brings them into sight, on a phone too, and they are there on their own pages", async () => {
  for (const viewport of [{ width: 1280, height: 720 }, phone.viewport]) {
    const page = await stage.open("/dashboard", { viewport });
    const isLastInSight = async () => {
      const [last, navs] = [await page.locator(".navs a").last().boundingBox(), await boxOf(page, ".navs")];
      return last !== null && last.y + last.height <= navs.y + navs.height;
    };
    if (viewport.width < 500) await page.locator(".top [popovertarget]").first().click();
    await page.locator(".navs summary").click();
    await eventually(isLastInSight, true);
    const summary = await boxOf(page, ".navs summary");
    expect(summary.y).toBeGreaterThanOrEqual((await boxOf(page, ".navs")).y);
    if (viewport.width > 500) {
      await page.goto("/dashboard/storage");
      await eventually(isLastInSight, true);
    }
    await page.close();
  }
});

test("the rarer pages stay unfolded once someone unfolded them, and folded once they folded them", async () => {
  const page = await stage.open("/dashboard", phone);
  const unfolded = async (path: string) => {
    await page.goto(`/dashboard/${path}`);
    return page.locator(".navs details[open]").count();
  };
  const turn = async () => {
    await page.locator(".top [popovertarget]").first().click();
    await page.locator(".navs summary").press("Enter");
  };
  expect([await unfolded("storage"), await unfolded("posts")]).toEqual([1, 0]); // its own page unfolds them only there
  await turn();
  expect([await unfolded("newsletter"), await unfolded("storage")]).toEqual([1, 1]);
  await page.goto("/dashboard");
  await turn();
  expect([await unfolded("newsletter"), await unfolded("storage")]).toEqual([0, 1]);
  await page.close();
});

test("the ring around the first link of a scrolled navigation is whole", async () => {
  const page = await stage.open("/dashboard", { viewport: { width: 1280, height: 500 } });
  const first = page.locator(".navs a").first();
  await page.locator(".navs a").last().focus();
  await first.focus();
  const [link, navs] = [await boxOf(page, ".navs a"), await boxOf(page, ".navs")];
  const ring = await first.evaluate((each) => {
    const { outlineOffset, outlineWidth } = getComputedStyle(each);
    return Number.parseFloat(outlineOffset) + Number.parseFloat(outlineWidth);
  });
  expect(link.y - navs.y).toBeGreaterThanOrEqual(ring);
  await page.close();
});

test("in forced colours the primary button differs from the others", async () => {
  const page = await stage.open("/dashboard/newsletter", { forcedColors: "active" });
  const fillOf = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((button) => getComputedStyle(button).backgroundColor);
  expect(await fillOf("a.btn.primary")).not.toBe(await fillOf(".main .btn:not(.primary, .quiet)"));
  await page.close();
});

test("in forced colours the current tab, page of Settings, message and day differ from the others", async () => {
  const page = await stage.open("/dashboard", { forcedColors: "active" });
  const marks = (selector: string) =>
    page.evaluate(`[...document.querySelectorAll("${selector}")].map((each) => {
      const { borderBottomColor, outlineStyle, outlineColor } = getComputedStyle(each);
      return [borderBottomColor, outlineStyle, outlineStyle === "none" || outlineColor].join();
    })`) as Promise<string[]>;
  for (const [path, current, others] of [
    ["storage/trash", ".tabs-nav [aria-current]", ".tabs-nav a:not([aria-current])"],
    ["settings/brand", ".settings-nav [aria-current]", ".settings-nav a:not([aria-current])"],
    ["contact", ".item[data-open]", ".item:not([data-open])"],
    ["calendar", ".month time[aria-current] > .short", ".month time:not([aria-current]) > .short"],
  ] as const) {
    await page.goto(`/dashboard/${path}`);
    if (path === "contact") await page.locator(".item a").first().click();
    await page.locator(current).first().waitFor();
    const [mark] = await marks(current);
    expect([path, (await marks(others)).includes(mark ?? "")]).toEqual([path, false]);
  }
  await page.close();
});

test("on the narrowest phone the buttons of a page take two rows at most, and nothing is wider than the screen", async () => {
  const url = "https://builds.postroom.example/hooks/rebuild-the-whole-blog";
  const fields = { name: "long", url, events: [], withPeople: false };
  const endpoint = await endpoints.add(stage.db, { fields, secret: "sealed" }, { actor: "cli" }, stage.now());
  const page = await stage.open("/dashboard", { viewport: { width: 320, height: 640 } });
  for (const path of [
    `/dashboard/webhooks/${endpoint?.id}`,
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

test("on a phone the primary button of a page takes the width that the others leave, the menu is the last, and Settings are one line", async () => {
  const page = await stage.open("/dashboard", { viewport: { width: 390, height: 844 } });
  for (const [path, last] of [
    ["/dashboard/newsletter", "#more-newsletter"],
    ["/dashboard/posts", "#more-posts"],
    ["/dashboard/storage", ".primary"],
    ["/dashboard/broadcasts", ".primary"],
    ["/dashboard/sequences", ".primary"],
  ] as const) {
    await page.goto(path);
    await settled(page);
    const [primary, menu] = [await boxOf(page, ".head .primary"), await boxOf(page, `.head ${last}`)];
    expect([path, Math.round(menu.x + menu.width)]).toEqual([path, 374]);
    expect([path, Math.abs(primary.y - menu.y) < 4]).toEqual([path, true]);
  }
  await page.goto("/dashboard/settings/site");
  expect((await boxOf(page, ".settings-nav")).height).toBeLessThan(48); // one line, that scrolls
  await page.close();
});

test("at 768 px an email address, and the URL of an endpoint, is one line", async () => {
  const page = await stage.open("/dashboard/outbox", { viewport: { width: 768, height: 900 } });
  for (const [path, selector] of [
    ["/dashboard/outbox", "td.main .who"],
    ["/dashboard/newsletter", "td.main .who"],
    ["/dashboard/webhooks", "td.main .sub"],
  ] as const) {
    await page.goto(path);
    const heights = await page
      .locator(selector)
      .evaluateAll((all) =>
        (all as unknown as { getBoundingClientRect(): Box }[]).map((each) => each.getBoundingClientRect().height),
      );
    expect([path, heights.length > 2, heights.every((height) => height < 30)]).toEqual([path, true, true]);
  }
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(768);
  await apiKeys.generate(stage.db, { prefix: "site", name: "Blog (production)", createdBy: "cli" }, stage.now());
  await page.goto("/dashboard/api-keys");
  const [row, frame] = [await boxOf(page, "#list tbody tr"), await boxOf(page, "#list .table-frame")];
  expect(row.width).toBeLessThanOrEqual(frame.width);
  await page.close();
});

/** What lies on top of something else that can be pressed, in the part of a page that is in sight. */
const covered = `[...document.querySelectorAll("main :is(a, button, input, select, summary)")].flatMap((each) => {
  const { x, y, width, height } = each.getBoundingClientRect();
  if (!width || !each.checkVisibility({ opacityProperty: true }) || each.closest("thead")) return [];
  const on = document.elementFromPoint(x + width / 2, y + height / 2)?.closest("a, button, input, select, summary");
  if (!on || each.contains(on) || on.contains(each) || on.closest(".save-bar")) return [];
  return [each.getAttribute("aria-label") ?? each.textContent.trim()];
})`;

test("on a phone the actions of a post leave the way back and to its neighbours free", async () => {
  const at = stage.now();
  for (const title of ["Tides", "Rain", "Wind"])
    await posts.save(stage.db, { slug: title, title, published: true, publishedAt: at }, at);
  for (const width of [320, 390]) {
    const page = await stage.open("/dashboard/posts", { viewport: { width, height: 844 } });
    await page.getByRole("link", { name: "Rain", exact: true }).click();
    await page.locator(".walk [rel=next][href]").waitFor();
    expect([width, await page.evaluate(covered)]).toEqual([width, []]);
    await page.close();
  }
});

test("on a phone a draft that was opened from the list says that it is one, and nothing lies on anything else", async () => {
  const at = stage.now();
  for (const title of ["Mist", "Murk"]) await posts.save(stage.db, { slug: title, title, published: false }, at);
  for (const [list, draft] of [
    ["/dashboard/posts?status=draft", "Mist"],
    ["/dashboard/broadcasts?tab=drafts", "Rain gauges, and a library in four hundred lines"],
  ] as const) {
    const page = await stage.open(list, { viewport: { width: 390, height: 844 } });
    await page.getByRole("link", { name: draft, exact: true }).click();
    await page.locator(".walk:not([hidden])").waitFor();
    for (const width of [390, 384, 360]) {
      await page.setViewportSize({ width, height: 844 });
      await settled(page);
      expect([list, width, await isSeen(page, ".write-bar .badge")]).toEqual([list, width, true]);
      const badge = await boxOf(page, ".write-bar .badge");
      const actions = await boxOf(page, ".write-bar .actions");
      const all = await boxOf(page, ".write-bar");
      const isRoomy = badge.x + badge.width <= actions.x;
      expect([isRoomy, all.x + all.width <= width, all.height < 60]).toEqual([true, true, true]);
      expect([list, width, await page.evaluate(covered)]).toEqual([list, width, []]);
    }
    await page.close();
  }
});

test("on the narrowest phone an editor says its state in the same line as its buttons", async () => {
  const draft = (await stage.owner.submit("/dashboard/posts/new", { title: "Dew" })).headers.get("location");
  for (const path of [draft, pages.composer, "/dashboard/projects/new"]) {
    const page = await stage.open(path ?? "");
    for (const width of [340, 320]) {
      await page.setViewportSize({ width, height: 844 });
      await settled(page);
      const { height } = await boxOf(page, ".write-bar");
      expect([path, width, await isSeen(page, ".write-bar .badge"), height < 60]).toEqual([path, width, true, true]);
      expect([path, width, await page.evaluate(covered)]).toEqual([path, width, []]);
    }
    await page.close();
  }
});

test("on a phone a published post that was opened from the list says so, and the menu stands as high as what is beside it", async () => {
  const at = stage.now();
  for (const [title, publishedAt] of [
    ["Fog", at],
    ["Haze", new Date(at.getTime() - 3_600_000)],
  ] as const)
    await posts.save(stage.db, { slug: title, title, published: true, publishedAt }, at);
  for (const width of [360, 390]) {
    const page = await stage.open("/dashboard/posts", { viewport: { width, height: 844 }, hasTouch: true });
    await page.getByRole("link", { name: "Fog", exact: true }).click();
    await page.locator(".walk [rel=next][href]").waitFor();
    expect([width, await isSeen(page, "#post-line .badge")]).toEqual([width, true]);
    await settled(page);
    const middles = [".top .icon", ".write-bar .crumb .icon", "#more-post"].map(async (selector) => {
      const { y, height } = await boxOf(page, selector);
      return y + height / 2;
    });
    const [menu = 0, back, more] = await Promise.all(middles);
    const asHigh = expect.closeTo(menu, 1); // Firefox rounds a share of a length
    expect([back, more]).toEqual([asHigh, asHigh]);
    await page.close();
  }
});

test("a form that is a page of its own stands in the middle, and fills a phone", async () => {
  for (const width of [1280, 390]) {
    const page = await stage.open("/dashboard/newsletter/new", { viewport: { width, height: 844 } });
    const [form, main] = [await boxOf(page, ".card.sheet"), await boxOf(page, "main")];
    expect(Math.abs(form.x + form.width / 2 - (main.x + main.width / 2))).toBeLessThanOrEqual(1);
    if (width === 390) expect(form.width).toBeGreaterThan(340);
    await page.close();
  }
});

test("on a phone a row of tabs that goes on has a shadow where it does, and none at its end", async () => {
  const page = await stage.open("/dashboard", { viewport: { width: 390, height: 844 } });
  /** At the upper edge, inside the frame of a row that has one. */
  const ends = async (row: Locator, frame: number) => {
    const shot = (await row.screenshot()).toString("base64");
    return page.evaluate(`(async () => {
      const picture = await createImageBitmap(new Blob([Uint8Array.from(atob("${shot}"), (c) => c.charCodeAt(0))]));
      const canvas = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
      canvas.drawImage(picture, 0, 0);
      const at = (x) => canvas.getImageData(x, ${Math.sign(frame)}, 1, 1).data.reduce((sum, part) => sum + part);
      const isShaded = (x) => Math.abs(at(x) - at(picture.width / 2)) > 12; // and no rounding of a colour
      return [isShaded(${frame}), isShaded(picture.width - 1 - ${frame})];
    })()`);
  };
  for (const { path, of, frame, width } of [
    { path: "settings/site", of: ".settings-nav", frame: 0, width: 390 },
    { path: "contact", of: "#list .segments", frame: 10, width: 300 },
  ]) {
    await page.setViewportSize({ width, height: 844 });
    await page.goto(`/dashboard/${path}`);
    const row = page.locator(of);
    await eventually(() => ends(row, frame), [false, true]);
    await row.evaluate((nav) => nav.scrollTo(nav.scrollWidth, 0));
    await eventually(() => ends(row, frame), [true, false]);
  }
  await page.close();
});

test("on a phone the current page of Settings, of Storage and the current filter are in sight", async () => {
  const page = await stage.open("/dashboard", { viewport: { width: 390, height: 844 } });
  for (const path of [
    "settings/appearance",
    "settings/set-up",
    "storage/nodes",
    "storage/trash",
    "posts?status=trash",
  ]) {
    await page.goto(`/dashboard/${path}`);
    const current = ":is(.settings-nav, .tabs-nav, .segments) [aria-current]";
    await eventually(async () => {
      const { x, width } = await boxOf(page, current);
      return [path, x >= 0, x + width <= 390];
    }, [path, true, true]);
  }
  await page.close();
});

test("at 768 px the name of a row has room, boxes to tick keep their distance, and rows are as wide as their list", async () => {
  await addStorageFixtures(stage);
  await subscribers.unsubscribe(stage.db, "r0@example.com", { via: "manager" }, stage.now());
  const page = await stage.open("/dashboard", { viewport: { width: 768, height: 900 } });
  for (const path of ["storage/uploads", "broadcasts", "newsletter?status=unsubscribed"]) {
    await page.goto(`/dashboard/${path}`);
    const [name, tick, frame] = [
      await boxOf(page, "#list tbody td.main"),
      await boxOf(page, "#list tbody .pick input"),
      await boxOf(page, "#list .table-frame"),
    ];
    expect([path, name.width > 140, tick.x - frame.x > 12]).toEqual([path, true, true]);
  }
  await page.goto("/dashboard/contact");
  const [item, rows] = [await boxOf(page, ".item"), await boxOf(page, ".rows")];
  expect(item.width).toBe(rows.width);
  await page.close();
});

test("on a phone a list is sorted by the heads of its columns, and other heads are seen while the focus is in them", async () => {
  await store(stage, { filename: "tides.txt" });
  const page = await stage.open("/dashboard/newsletter", { viewport: { width: 390, height: 844 } });
  for (const [path, by] of [
    ["newsletter", "email"],
    ["storage", "-size"],
  ] as const) {
    await page.goto(`/dashboard/${path}`);
    const id = `#sort-${by.replace("-", "")}`;
    for (let clicks = by.startsWith("-") ? 2 : 1; clicks > 0; clicks--) {
      const sort = await boxOf(page, id);
      expect([path, sort.height >= 44, sort.x + sort.width <= 390]).toEqual([path, true, true]);
      const before = page.url();
      await page.locator(id).click();
      await eventually(() => page.url() === before, false);
    }
    expect(new URL(page.url()).searchParams.get("sort")).toBe(by);
  }
  await page.goto("/dashboard/outbox");
  const head = page.locator("#list thead");
  expect((await head.boundingBox())?.width).toBeLessThan(2);
  await page.locator("#pick-all").focus();
  expect((await boxOf(page, "#list thead")).width).toBeGreaterThan(300);
  await page.locator("#q").focus();
  expect((await head.boundingBox())?.width).toBeLessThan(2);
  await page.close();
});

test("on a phone a screen reader finds each cell of a list below its own head, in sight or not", async () => {
  await posts.save(stage.db, { slug: "heads", title: "Heads", published: true }, stage.now());
  await store(stage, { filename: "tides.txt" });
  const page = await stage.open("/dashboard", { viewport: { width: 390, height: 844 } });
  for (const [path, head, kind] of [
    ["posts", "Status", "state"],
    ["posts", "Published", "when"],
    ["newsletter", "Joined", "when"],
    ["storage", "Modified", "when"],
    ["outbox", "Created", "when"],
    ["broadcasts", "When", "when"],
  ] as const) {
    await page.goto(`/dashboard/${path}`);
    const table = page.locator("#list .table").first();
    const heads = (await table.getByRole("columnheader").allInnerTexts()).map((text) => text.trim());
    const cells = await table.getByRole("row").nth(1).getByRole("cell").all();
    const kinds = await Promise.all(cells.map((cell) => cell.getAttribute("class")));
    expect([path, head, kinds[heads.indexOf(head)]]).toEqual([path, head, kind]);
  }
  await page.close();
});

test("on a phone each post says how often it was viewed, by which its list is sorted, and nothing lies on anything else", async () => {
  const { db, now } = stage;
  await posts.save(db, { slug: "seen", title: "Seen", published: true }, now());
  await posts.save(db, { slug: "seen-again", title: "Seen before it was scheduled again", published: true }, now());
  const later = now().getTime() + 9 * 86_400_000;
  await look(db, "update posts set views = 4321 where slug in ('seen', 'seen-again')");
  await look(db, "update posts set published_at = ? where slug = 'seen-again'", [later]);
  for (const width of [390, 320]) {
    const page = await stage.open("/dashboard/posts?sort=-views", { viewport: { width, height: 844 } });
    const [rows, lying] = await page.evaluate<[string[], string[]]>(`(() => {
      const rows = [...document.querySelectorAll("#list .post")].slice(0, 2);
      const cellsOf = (row) => [...row.querySelectorAll("td:not(.pick)")].filter((cell) => cell.offsetHeight > 1);
      const words = (cell) => (getComputedStyle(cell, "::before").content === "none" ? "" : cell.dataset.lineOf) + cell.innerText;
      const boxes = (cell) => [...cell.querySelectorAll("a, time, .badge")].map((each) => each.getBoundingClientRect());
      const meet = (one, other) => one.left < other.right && other.left < one.right && one.top < other.bottom - 1 && other.top < one.bottom - 1;
      const lying = rows.flatMap((row) => cellsOf(row).flatMap((cell, at, all) =>
        all.slice(at + 1).filter((other) => boxes(cell).some((one) => boxes(other).some((two) => meet(one, two)))).map(words)));
      return [rows.map((row) => cellsOf(row).map(words).find((text) => /^Views/.test(text))), lying];
    })()`);
    expect([width, rows, lying]).toEqual([width, ["Views4,321", "Views4,321"], []]);
    await page.close();
  }
});

test("on a phone the buttons of a dialog stay beside each other, below what it says", async () => {
  const page = await stage.open("/dashboard/newsletter", { viewport: { width: 390, height: 844 } });
  await page.locator("#filter-button").click();
  const cancel = page.getByRole("dialog").locator("footer").getByText("Cancel");
  await cancel.waitFor();
  await settled(page);
  const [first, second] = [await cancel.boundingBox(), await boxOf(page, "#dialog footer .primary")];
  expect(first?.y).toBe(second.y);
  await page.close();
});

const phone = { viewport: { width: 390, height: 844 } };

test("on a phone the menu of the segments is whole and keeps the page's margin, however long their names are", async () => {
  for (const name of ["People who came through the talk at the library in Bergen and stayed for the tides", "Sailors"])
    await saveSegment(stage.db, { name, definition: {} }, { actor: "a manager" }, stage.now());
  const page = await stage.open("/dashboard/newsletter", phone);
  await page.locator("#segments-button").click();
  await page.locator("#segments-menu:popover-open").waitFor();
  await settled(page);
  const [menu, list] = [await boxOf(page, "#segments-menu"), await boxOf(page, "#list")];
  expect([menu.x >= list.x, menu.x + menu.width <= list.x + list.width]).toEqual([true, true]);
  for (const link of await page.locator("#segments-menu > *").all()) {
    const { x, width } = (await link.boundingBox()) ?? { x: -1, width: 0 };
    expect([x >= menu.x, x + width <= menu.x + menu.width]).toEqual([true, true]);
    expect(await link.evaluate((each) => each.scrollWidth <= each.clientWidth)).toBe(true);
  }
  await page.close();
});

test("on a phone the actions on what is selected are one line, and each date of a filter is beside its word", async () => {
  const page = await stage.open("/dashboard/newsletter", phone);
  await page.locator("tbody input[name=ids]").first().check();
  await page.locator(".bulk").waitFor();
  const tops = `[...new Set([...document.querySelectorAll(".bulk .btn")].map((each) => each.getBoundingClientRect().y))].length`;
  expect(await page.evaluate(tops)).toBe(1);
  const [bar, actions] = [await boxOf(page, ".bulk"), await boxOf(page, ".bulk .acts")];
  expect([actions.x, actions.x + actions.width]).toEqual([bar.x, bar.x + bar.width]); // they go on to its very edges
  await page.goto("/dashboard/audit");
  await page.locator(".period summary").click();
  for (const name of ["from", "to"]) {
    const [label, field] = [await boxOf(page, `[for=filter-${name}]`), await boxOf(page, `#filter-${name}`)];
    expect([name, Math.abs(label.y + label.height / 2 - field.y - field.height / 2) < 2]).toEqual([name, true]);
  }
  await page.close();
});

test("on a phone everything that a search says it looks through can be read", async () => {
  await store(stage, { filename: "pier.png", mimeType: "image/png" });
  const page = await stage.open("/dashboard", phone);
  const room = (selector: string) =>
    page.evaluate(`((field) => {
      const { font, paddingLeft, paddingRight, borderLeftWidth, borderRightWidth } = getComputedStyle(field);
      const pen = Object.assign(document.createElement("canvas").getContext("2d"), { font });
      const around = [paddingLeft, paddingRight, borderLeftWidth, borderRightWidth].map(parseFloat);
      return field.offsetWidth - around.reduce((sum, width) => sum + width) - pen.measureText(field.placeholder).width;
    })(document.querySelector("${selector}"))`);
  for (const path of ["newsletter", "posts", "storage/pictures", "storage", "audit", "contact"]) {
    await page.goto(`/dashboard/${path}`);
    expect([path, Number(await room(".search .input")) >= 0]).toEqual([path, true]);
  }
  await page.goto("/dashboard/posts/new");
  await page.getByText("Add cover…").filter({ visible: true }).first().click();
  await page.locator("#picture-q").waitFor();
  expect(await room("#picture-q")).toBeGreaterThanOrEqual(0);
  await page.close();
});

test("an explanation begins where its button does, and on a phone keeps the page's margin at the end", async () => {
  for (const path of ["storage", "newsletter/import", "suppressions", "webhooks"]) {
    const page = await stage.open(`/dashboard/${path}`);
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 860 });
      await page.locator(".help").first().click();
      await page.locator(".help-text:popover-open").waitFor();
      const [text, button] = [await boxOf(page, ".help-text:popover-open"), await boxOf(page, ".help")];
      if (width === 1280) expect([path, text.x]).toEqual([path, button.x]);
      expect([path, text.x >= 0, text.x + text.width <= width - 16]).toEqual([path, true, true]);
      await page.keyboard.press("Escape");
    }
    await page.close();
  }
});

test("on a phone the account's menu keeps the distance of its button from both edges of the navigation", async () => {
  const page = await stage.open("/dashboard", phone);
  await page.getByRole("button", { name: "Menu" }).click();
  await page.locator("#account").click();
  const [menu, button] = [await boxOf(page, "#account-menu"), await boxOf(page, "#account")];
  expect([menu.x, menu.width]).toEqual([button.x, button.width]);
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

test("in the headers of an email, names, addresses and URLs go on in the next line only after a sign", async () => {
  await stage.owner.submit("/dashboard/newsletter", {
    email: "ada.lovelace@analytical-engines.example.com",
    welcome: "yes",
  });
  for (const width of [1280, 390]) {
    const page = await stage.open("/dashboard/outbox?q=ada.lovelace", { viewport: { width, height: 860 } });
    await page.locator("#list a[id^=open-]").first().click();
    await page.locator(".headers").waitFor();
    const broken = await page.evaluate(`[...document.querySelectorAll(".headers :is(dt, dd)")].flatMap((part) => {
      const tops = [];
      const range = document.createRange();
      const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
      while (walker.nextNode())
        for (let at = 0; at < walker.currentNode.length; at++) {
          range.setStart(walker.currentNode, at);
          range.setEnd(walker.currentNode, at + 1);
          tops.push([walker.currentNode.data[at], Math.round(range.getBoundingClientRect().top)]);
        }
      const isWithin = (at) => /[a-z0-9]/i.test(tops[at - 1][0]) && /[a-z0-9]/i.test(tops[at][0]);
      const isBroken = tops.some(([, top], at) => at > 0 && top !== tops[at - 1][1] && isWithin(at));
      return isBroken ? part.textContent : [];
    })`);
    expect([width, broken]).toEqual([width, []]);
    await page.close();
  }
});

test("a row of Settings opens wherever it is clicked", async () => {
  const page = await stage.open("/dashboard/settings/security");
  await page.locator(".opens", { hasText: "API keys" }).click({ position: { x: 300, y: 8 } });
  await page.waitForURL("**/dashboard/api-keys");
  await page.close();
});

test("the meanings of shortcuts stand below each other, on a wide page in three columns", async () => {
  const page = await stage.open("/dashboard/shortcuts", { viewport: { width: 1440, height: 860 } });
  const lefts = await page
    .locator(".key-groups > div:first-child dd")
    .evaluateAll((all) =>
      (all as unknown as { getBoundingClientRect(): Box }[]).map((one) => one.getBoundingClientRect().x),
    );
  expect(new Set(lefts).size).toBe(1);
  const columns = await page
    .locator(".key-groups > div")
    .evaluateAll((all) =>
      (all as unknown as { getBoundingClientRect(): Box }[]).map((one) => one.getBoundingClientRect().y),
    );
  expect(new Set(columns).size).toBe(1);
  await page.close();
});
