import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { ofPost } from "../../../db/broadcasts/with-post";
import * as subscribers from "../../../db/newsletter/subscribers";
import * as postEdits from "../../../db/posts/edit";
import { violations } from "./axe";
import { contentOf, eventually, focusOn, openMenu, openStage, settled, type Stage } from "./stage";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ time: Date.parse("2026-11-10T12:00:00Z") });
  for (const email of ["ada@example.com", "bob@example.com"])
    await subscribers.subscribe(stage.db, { email }, { via: "form" }, stage.now());
});
afterAll(() => stage.close());
afterEach(() => expect(stage.complaints.splice(0)).toEqual([]));

/** The editor of a new draft. */
async function write(title: string, look: BrowserContextOptions = {}, content = "Words.") {
  const { headers } = await stage.owner.submit("/dashboard/posts/new", { title, content, excerpt: "Few" });
  const path = headers.get("location") ?? "";
  const id = path.split("/").at(-1) ?? "";
  const page = await stage.open(path, { timezoneId: "UTC", ...look });
  const stored = async () => {
    const post = await postEdits.byId(stage.db, id);
    const [newsletter] = await ofPost(stage.db, id);
    return [post?.publishedAt?.toISOString(), newsletter?.state, newsletter?.scheduledAt?.toISOString()];
  };
  return { page, path, stored };
}

/** Whether a click on the middle of an element meets it. */
const isInSight = (page: Page, id: string) =>
  page.evaluate(`(() => {
    const { x, y, width, height } = document.getElementById("${id}").getBoundingClientRect();
    return document.elementFromPoint(x + width / 2, y + height / 2)?.id === "${id}";
  })()`);

const both = ["2026-11-12T09:30:00.000Z", "scheduled", "2026-11-12T09:30:00.000Z"];

test("by keyboard, a post and its newsletter are scheduled together; the sentence and the button follow", async () => {
  const { page, stored } = await write("Both");
  await page.locator("#content.cm-content").press("Control+Shift+Enter");
  const sheet = page.getByRole("dialog");
  await sheet.getByText("Goes live immediately at").waitFor();
  await sheet.getByRole("button", { name: "Publish", exact: true }).waitFor();
  await sheet.getByLabel("Day").fill("2026-11-12");
  await sheet.getByLabel("Time", { exact: true }).fill("09:30");
  await sheet.getByLabel("At a time").check();
  await sheet.getByRole("button", { name: "Schedule", exact: true }).waitFor();
  await sheet.getByLabel(/Also send it as a newsletter/).press("Space");
  await sheet.getByText("2 people get it as an email then. Neither goes out without the other.").waitFor();
  expect(await violations(page)).toEqual([]);
  for (const tick of await sheet.getByLabel(/^Simulate /).all()) await tick.press("Space");
  await sheet.getByRole("button", { name: "Schedule both" }).press("Enter");
  await eventually(stored, both);
  await page.close();
});

test("a day or a time that is entered is chosen: nothing goes out now with a time beside it", async () => {
  const { page, stored } = await write("At that time");
  await page.locator("#content.cm-content").press("Control+Shift+Enter");
  const sheet = page.getByRole("dialog");
  await sheet.getByLabel("Time", { exact: true }).fill("09:30");
  await sheet.getByRole("button", { name: "Schedule", exact: true }).waitFor();
  expect(await sheet.getByLabel("At a time").isChecked()).toBe(true);
  await sheet.getByText("Now", { exact: true }).click(); // and can be taken back
  await sheet.getByRole("button", { name: "Publish", exact: true }).waitFor();
  await sheet.getByLabel("Day").fill("2026-11-12");
  await sheet.getByRole("button", { name: "Schedule", exact: true }).click();
  await eventually(stored, ["2026-11-12T09:30:00.000Z", undefined, undefined]);
  await page.close();
  const draft = await stage.owner.submit("/dashboard/broadcasts/new", {});
  const composer = await stage.open(draft.headers.get("location") ?? "", { timezoneId: "UTC" });
  await composer.getByLabel("Subject").fill("Tides");
  await composer.locator("#content.cm-content").pressSequentially("Words.");
  await composer.getByRole("button", { name: "Review and send" }).click();
  const question = composer.getByRole("dialog");
  await question.getByLabel("Time", { exact: true }).fill("09:30");
  expect(await question.getByLabel("At a time").isChecked()).toBe(true);
  await composer.close({ runBeforeUnload: false });
});

test("what is wrong in the text leads to its line, from the checks of the post and of its newsletter", async () => {
  const content = "Low water.\n\n![](https://images.example/pier.png)\n\nToo {long";
  for (const [link, place] of [
    [/^line 5$/, "{long"],
    [/^Post, line 3$/, "https://images"],
  ] as const) {
    const { page } = await write("Wrong", {}, content);
    await page.locator("#content.cm-content").press("Control+Shift+Enter");
    const sheet = page.getByRole("dialog");
    await sheet.getByLabel(/Also send it as a newsletter/).press("Space");
    await sheet.getByText("2 people get it as an email a minute later").waitFor();
    await sheet.getByRole("link", { name: link }).first().click();
    await sheet.waitFor({ state: "detached" });
    expect(await focusOn(page, "content")).toBe("content");
    await page.keyboard.insertText("Here: ");
    await eventually(() => contentOf(page), content.replace(place, `Here: ${place}`));
    await page.close({ runBeforeUnload: false });
  }
});

test("what is wrong in the subject or the preview line leads to its field, on a phone and without scripts, too", async () => {
  const { page } = await write("Lines");
  await page.locator("#content.cm-content").press("Control+Shift+Enter");
  const sheet = page.getByRole("dialog");
  await sheet.getByLabel(/Also send it as a newsletter/).press("Space");
  await sheet.getByLabel("Preview line").fill("From {town}");
  await sheet.getByRole("link", { name: "Preview line" }).click();
  expect(await focusOn(page, "publish-preheader")).toBe("publish-preheader");
  await sheet.locator("#publish-subject").fill("");
  await sheet.getByRole("link", { name: "Subject" }).click();
  expect(await focusOn(page, "publish-subject")).toBe("publish-subject");
  await page.close({ runBeforeUnload: false });

  const draft = await stage.owner.submit("/dashboard/broadcasts/new", {});
  const path = draft.headers.get("location") ?? "";
  const composer = await stage.open(path, { viewport: { width: 390, height: 844 } });
  await composer.getByLabel("Preview line").fill("From {town}");
  await composer.locator("#content.cm-content").pressSequentially("Words.");
  await composer.locator("#tally a").click();
  const checks = composer.locator("#checks");
  for (const [name, id] of [
    ["Subject", "subject"],
    ["Preview line", "preheader"],
  ] as const) {
    await checks.getByRole("link", { name }).click();
    expect(await focusOn(composer, id)).toBe(id);
    await composer.locator("#tally a").click();
  }
  await composer.locator("#review").click();
  await composer.getByRole("dialog").getByRole("link", { name: "Subject" }).click();
  expect(await focusOn(composer, "subject")).toBe("subject");
  await composer.keyboard.type("Tides");
  await composer.locator("#tally a").click();
  await composer.locator("#review").click();
  await composer.getByRole("dialog").getByRole("link", { name: "Preview line" }).click();
  expect(await focusOn(composer, "preheader")).toBe("preheader");
  await composer.close({ runBeforeUnload: false });
  const plain = await stage.open(`${path}/send`, { javaScriptEnabled: false });
  await plain.getByRole("link", { name: "Preview line" }).click();
  await plain.waitForURL("**#preheader");
  expect(await focusOn(plain, "preheader")).toBe("preheader");
  await plain.close();
});

test("what is wrong in the post of a broadcast leads from the broadcast to its line", async () => {
  const content = `Low water.\n\n${"Tides. ".repeat(2_000)}\n\n![](https://images.example/pier.png)`;
  const post = await stage.owner.submit("/dashboard/posts/new", { title: "From a broadcast", content });
  const from = (post.headers.get("location") ?? "").replace("/posts/", "/broadcasts/from-post/");
  const broadcast = await stage.owner.submit(from, {});
  const page = await stage.open(`${broadcast.headers.get("location")}/send`);
  await page.getByRole("link", { name: "Post, line 5" }).first().click();
  await page.waitForURL("**/posts/**");
  expect(await focusOn(page, "content")).toBe("content");
  await page.keyboard.insertText("Here: ");
  await eventually(() => contentOf(page), content.replace("https://images", "Here: https://images"));
  const caret = page.locator(".cm-line", { hasText: "Here: " });
  const { y = -1 } = (await caret.boundingBox()) ?? {};
  expect([y > 0, y < (page.viewportSize()?.height ?? 0)]).toEqual([true, true]);
  await page.close({ runBeforeUnload: false });
});

test("what has the focus after publishing is in sight, and says the state", async () => {
  for (const width of [1280, 390]) {
    const { page } = await write("Seen", { viewport: { width, height: 844 } });
    await page.locator("#content.cm-content").press("Control+Shift+Enter");
    await page.getByRole("dialog").getByRole("button", { name: "Publish", exact: true }).click();
    await page.locator(".toast", { hasText: "published" }).waitFor();
    await page.locator(":focus:not(.sr)", { hasText: /^\s*Published/ }).waitFor();
    expect(await focusOn(page, "post-line")).toBe("post-line");
    expect(
      await page.evaluate("document.activeElement.checkVisibility() && document.activeElement.offsetWidth > 20"),
    ).toBe(true);
    await page.close();
  }
});

test("on a phone, too, what was published is a press away, and a menu in which it is chosen closes", async () => {
  const { page } = await write("Live", { viewport: { width: 390, height: 844 } });
  await page.context().route("**/posts/live", (route) => route.fulfill({ body: "Live" }));
  await page.locator("#content.cm-content").press("Control+Shift+Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Publish", exact: true }).click();
  const chosen = async (link: Locator) => {
    const [tab] = await Promise.all([page.waitForEvent("popup"), link.click()]);
    await tab.waitForURL("**/posts/live");
    await tab.close();
  };
  await chosen(page.locator(".toast", { hasText: "published" }).getByRole("link", { name: "View live" }));
  await openMenu(page, "post");
  await chosen(page.locator(".menu:popover-open").getByRole("link", { name: "View live" }));
  await eventually(() => page.locator(".menu:popover-open").count(), 0);
  await page.close();
});

test("the sheet opens at its beginning, Tab goes down it, and closing it leaves the text where it is", async () => {
  for (const look of [{}, { viewport: { width: 390, height: 844 } }]) {
    const { page, stored } = await write("Calm", look);
    await page.locator("#content.cm-content").waitFor();
    const { x, y } = (await page.locator("#publish").boundingBox()) ?? { x: 0, y: 0 };
    await page.mouse.click(x + 9, y + 9); // Playwright's own click scrolls
    const sheet = page.getByRole("dialog");
    await sheet.getByRole("button", { name: "Publish", exact: true }).waitFor();
    expect(await focusOn(page, "DIALOG")).toBe("DIALOG");
    expect(await sheet.evaluate((dialog) => (dialog as unknown as { scrollTop: number }).scrollTop)).toBe(0);
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    expect(await focusOn(page, "when-now")).toBe("when-now");
    await page.keyboard.press("Escape");
    expect(await focusOn(page, "publish")).toBe("publish");
    expect(await page.evaluate("scrollY")).toBe(0);
    expect(await stored()).toEqual([undefined, undefined, undefined]);
    await page.close();
  }
});

test("on a phone in the dark axe finds nothing, and what is ticked or typed survives the answers", async () => {
  const { page } = await write("Small", { viewport: { width: 390, height: 844 }, colorScheme: "dark" });
  await page.locator("#content.cm-content").waitFor();
  await page.locator("#publish").click();
  const sheet = page.getByRole("dialog");
  await sheet.getByLabel(/Also send it as a newsletter/).check();
  await sheet.getByLabel("Subject").fill("Another subject");
  await sheet.getByText("2 people get it as an email a minute later").waitFor();
  await settled(page);
  expect(await isInSight(page, "publish-now")).toBe(true); // though the sheet is longer than the screen
  const tick = sheet.getByLabel("Simulate it");
  await tick.check();
  await settled(page);
  await sheet.getByRole("button", { name: "Send me a test" }).click();
  await sheet.getByText("Test queued for owner@example.com. It will be simulated.").waitFor();
  expect(await sheet.getByLabel("Subject").inputValue()).toBe("Another subject");
  expect(await tick.isChecked()).toBe(true);
  expect(await violations(page)).toEqual([]);
  await page.close({ runBeforeUnload: false });
});

test("without JavaScript the sheet is a page", async () => {
  const { page, path, stored } = await write("Plain", { javaScriptEnabled: false });
  await page.goto(`${path}/publish`);
  await page.getByLabel("Day").fill("2026-11-12");
  await page.getByLabel("Time", { exact: true }).fill("09:30");
  await page.getByLabel("At a time").check();
  await page.getByLabel(/Also send it as a newsletter/).check();
  await page.locator("#publish-now").click();
  await page.getByText("Nothing has happened yet").waitFor();
  for (const tick of await page.getByLabel(/^Simulate /).all()) await tick.check();
  await page.getByRole("button", { name: "Schedule both" }).click();
  await eventually(stored, both);
  await page.close();
});
