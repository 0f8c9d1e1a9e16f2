import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page, Route } from "playwright-core";
import { testPassword } from "../../support/service";
import { testTimeoutMs, within } from "../../support/within";
import { fillDatabase } from "./fixtures";
import { contentOf, eventually, focused, focusKept, focusOn, goTo, openStage, settled, type Stage } from "./stage";

setDefaultTimeout(testTimeoutMs);

let stage: Stage;
let pages: Record<string, string>;
beforeAll(async () => {
  stage = await openStage();
  pages = await fillDatabase(stage);
});
afterAll(() => stage.close());

const press = async (page: Page, ...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key);
};
/** Tabs until the control with this name has the focus; the mouse is never used. */
async function tabTo(page: Page, name: string | RegExp, most = 80) {
  const wanted = typeof name === "string" ? new RegExp(`^${RegExp.escape(name)}$`) : name;
  for (let i = 0; i < most; i++) {
    await page.keyboard.press("Tab");
    const words = (await page.evaluate(
      "(e => (e.getAttribute('aria-label') || (e.labels && e.labels[0] && e.labels[0].textContent) || document.getElementById(e.getAttribute('aria-labelledby'))?.textContent || e.textContent || '').trim())(document.activeElement)",
    )) as string;
    if (wanted.test(words)) return;
  }
  throw new Error(`Tab never reached ${name}`);
}

test("sign in, and sign out", async () => {
  const page = await (await stage.visitor()).newPage();
  await page.goto("/dashboard/newsletter");
  await page.locator("input[type=email]:focus").waitFor();
  await page.keyboard.type("owner@example.com");
  await tabTo(page, /^Password/);
  await page.keyboard.type(testPassword);
  await press(page, "Enter");
  await page.waitForURL("**/dashboard/newsletter");
  await tabTo(page, /Signed in as/);
  await press(page, "Enter");
  await tabTo(page, "Sign out");
  await press(page, "Enter");
  await page.waitForURL("**/dashboard/sign-in**");
  await page.close();
});

test("the first Tab on a page reaches the link that skips the navigation, even where that scrolls", async () => {
  const page = await stage.open("/dashboard", { viewport: { width: 1280, height: 720 } }); // tells what was done before
  for (const path of ["/dashboard/newsletter", "/dashboard/audit"]) {
    await page.goto(path);
    await press(page, "Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to content");
  }
  await page.close();
});

test("find a subscriber and delete them: the focus goes into the dialog and returns to the list", async () => {
  const page = await stage.open("/dashboard/newsletter");
  await press(page, "/");
  expect(await focusOn(page, "q")).toBe("q");
  await page.keyboard.type("reader10@");
  await page.locator(".found", { hasText: /^1 / }).waitFor();
  expect(await focusOn(page, "q")).toBe("q");
  await tabTo(page, "Actions for reader10@example.org");
  await press(page, "Enter");
  await tabTo(page, "Delete…");
  await press(page, "Enter");
  await page.locator("#dialog dialog[open]").waitFor();
  await page.locator("[data-close]:focus", { hasText: "Cancel" }).waitFor();
  await press(page, "Tab", "Enter");
  await page.getByText("reader10@example.org deleted").waitFor();
  expect(await focusKept(page)).not.toBe("BODY");
  await page.close();
});

test("who follows a link to a field of Settings types into it, without scripts, too", async () => {
  for (const javaScriptEnabled of [true, false]) {
    const page = await stage.open("/dashboard/settings/site#site-siteTitle", { javaScriptEnabled });
    expect(await focusOn(page, "site-siteTitle")).toBe("site-siteTitle");
    await page.close();
  }
});

test("arrow keys, Home and End move among what a menu offers, and Escape gives its button the focus back", async () => {
  const page = await stage.open("/dashboard/newsletter");
  for (const [button, menu] of [
    ["#more-newsletter", "#menu-newsletter"],
    ["tbody tr:first-child [popovertarget]", "tbody tr:first-child .menu"],
  ] as const) {
    const names = await page
      .locator(`${menu} :is(a, button)`)
      .evaluateAll((all) => all.map(({ textContent }) => textContent));
    const now = () => page.evaluate("document.activeElement.textContent") as Promise<string>;
    await page.locator(button).focus();
    await press(page, "Enter");
    await page.locator(`${menu}:popover-open`).waitFor();
    for (const [key, at] of [
      ...([
        ["ArrowDown", 0],
        ["ArrowUp", -1],
        ["ArrowDown", 0],
        ["ArrowDown", 1 % names.length],
      ] as const),
      ...([
        ["Home", 0],
        ["End", -1],
        ["ArrowUp", -2],
      ] as const),
    ] as const) {
      await press(page, key);
      expect([menu, key, await now()]).toEqual([menu, key, names.at(Math.max(at, -names.length)) ?? ""]);
    }
    await press(page, "Escape");
    await eventually(() => page.locator(`${menu}:popover-open`).count(), 0);
    await page.locator(`${button}:focus`).waitFor();
  }
  await page.close();
});

test("a menu closes once a file is chosen in it", async () => {
  const page = await stage.open("/dashboard/newsletter");
  await page.locator("#more-newsletter").click();
  const file = page.locator("#menu-newsletter").getByRole("link", { name: "Export list as CSV" });
  await Promise.all([page.waitForEvent("download"), file.click()]);
  await page.locator("#menu-newsletter:popover-open").waitFor({ state: "detached" });
  await page.close();
});

test("Escape closes a dialog and the focus is where it was", async () => {
  const page = await stage.open("/dashboard/newsletter");
  await tabTo(page, "Add subscriber");
  await press(page, "Enter");
  await page.locator("#dialog dialog[open]").waitFor();
  await press(page, "Escape");
  await page.locator("#dialog dialog").waitFor({ state: "detached" });
  expect(await focusOn(page, "add")).toBe("add");
  await page.close();
});

test("j, k and x walk and choose rows; a filter and a sort keep the focus", async () => {
  const page = await stage.open("/dashboard/newsletter");
  await press(page, "j", "x", "j", "x");
  await eventually(() => page.locator("input[name=ids]:checked").count(), 2);
  await page.locator("[data-picked]", { hasText: /^2 selected$/ }).waitFor();
  await page.locator("#sort-joined").focus();
  await press(page, "Enter");
  await page.waitForURL("**sort=joined");
  expect(await focusOn(page, "sort-joined")).toBe("sort-joined");
  await page.locator("#segment-unsubscribed").focus();
  await press(page, "Enter");
  await page.waitForURL("**status=unsubscribed**");
  expect(await focusOn(page, "segment-unsubscribed")).toBe("segment-unsubscribed");
  await page.close();
});

test("from the page of a row, j and k go to those of its neighbours, in the order of the list", async () => {
  const page = await stage.open("/dashboard/newsletter?sort=email");
  const rows = page.locator('#list tbody a[href^="/dashboard/newsletter/"]:not([hx-target])');
  const [first, second] = [await rows.nth(0).getAttribute("href"), await rows.nth(1).getAttribute("href")];
  await press(page, "j", "Enter");
  await page.waitForURL(`**${first}`);
  expect(await page.locator(".walk [rel=prev]").getAttribute("aria-disabled")).toBe("true");
  await press(page, "j");
  await page.waitForURL(`**${second}`);
  await press(page, "k");
  await page.waitForURL(`**${first}`);
  await page.locator(".walk [rel=next]").click();
  await page.waitForURL(`**${second}`);
  await page.goto("/dashboard/newsletter/import");
  expect(await page.locator(".walk").isVisible()).toBe(false);
  await page.close();
});

test("the way back from the page of a row leads to the list as it was, of one row or of many", async () => {
  const page = await stage.open("/dashboard/newsletter");
  const thereAndBack = async (query: string) => {
    await page.goto(`/dashboard/newsletter${query}`);
    await page.locator('#list tbody a[href^="/dashboard/newsletter/"]:not([hx-target])').first().click();
    await page.locator("#edit").click();
    const email = (await page.locator("#dialog-title").innerText()).replace("Edit ", "");
    await page.getByLabel("Name (optional)").press("Enter");
    await page.locator("[data-toast]", { hasText: `${email} saved.` }).waitFor();
    await page.locator(`.crumb > a[href="/dashboard/newsletter${query}"]`).waitFor();
    const isWalk = await page.locator(".walk").isVisible();
    await page.locator(".crumb > a").click();
    await page.waitForURL(`**/dashboard/newsletter${query}`);
    return { email, isWalk };
  };
  const { email, isWalk } = await thereAndBack("?sort=email");
  expect(isWalk).toBe(true);
  expect(await thereAndBack(`?q=${encodeURIComponent(email)}`)).toEqual({ email, isWalk: false });
  await page.goto("/dashboard/posts");
  expect(await page.evaluate("JSON.stringify(sessionStorage)")).toContain(encodeURIComponent(email));
  await page.close();
});

test("the way back names the list that one came from, also where the page belongs to another", async () => {
  const page = await stage.open(`${pages.recipients}?q=example`);
  await page.locator("#list tbody a.who").first().click();
  const back = page.locator(".crumb > a", { hasText: /^\s*Recipients\s*$/ });
  await back.click();
  await page.waitForURL(`**${pages.recipients}?q=example`);
  await page.goto("/dashboard/newsletter");
  await page.locator("#list tbody a.who").first().click();
  await page.locator(".crumb > a", { hasText: /^\s*Subscribers\s*$/ }).click();
  await page.waitForURL("**/dashboard/newsletter");
  await page.close();
});

test("what is kept of a list to come back to is forgotten on signing out, also from that list", async () => {
  const page = await (await stage.visitor()).newPage();
  await page.goto("/dashboard/newsletter?q=imported");
  await page.locator("input[type=email]").fill("owner@example.com");
  await page.locator("input[type=password]").fill(testPassword);
  await press(page, "Enter");
  await page.waitForURL("**/dashboard/newsletter?q=imported", { waitUntil: "load" });
  await page.locator("#account").click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL("**/dashboard/sign-in**", { waitUntil: "load" });
  expect(await page.evaluate("JSON.stringify(sessionStorage)")).not.toContain("imported");
  await page.close();
});

test("c creates what the page lists, and in a field it is a letter, also while the list is on its way", async () => {
  const page = await stage.open("/dashboard/newsletter");
  const asked = Promise.withResolvers<Route>();
  await page.route(/newsletter\?.*q=c/, (route) => asked.resolve(route), { times: 1 });
  await page.locator("#q").pressSequentially("c");
  const list = await within(asked.promise, "the request for what matches");
  expect(await page.locator("#dialog dialog[open]").count()).toBe(0);
  await page.keyboard.press("Escape");
  await press(page, "c");
  await list.continue();
  expect(await focusOn(page, "new-email")).toBe("new-email");
  await page.goto("/dashboard/posts");
  await press(page, "c");
  await page.waitForURL(/\/dashboard\/posts\/new$/);
  await page.close();
});

test("G and a letter go to a page, also if the page is busy in between", async () => {
  const page = await stage.open("/dashboard");
  await page.evaluate(`{
    const [first, second] = ["g", "k"].map((key) => new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    document.body.dispatchEvent(first);
    const late = Date.now() + 2_000;
    Date.now = () => late;
    document.body.dispatchEvent(second);
  }`);
  await page.waitForURL("**/dashboard/api-keys");
  await page.close();
});

test("generate an API key: the focus is on what to do next, and afterwards on the list", async () => {
  const page = await stage.open("/dashboard");
  await goTo(page, "k");
  await page.waitForURL("**/dashboard/api-keys");
  await tabTo(page, "Generate new key");
  await press(page, "Enter");
  await page.locator("#dialog dialog[open]").waitFor();
  await page.locator("#dialog input[name=name]:focus").waitFor();
  await page.keyboard.type("Made by keyboard");
  await press(page, "Enter");
  await page.getByLabel("API key", { exact: true }).waitFor();
  expect(await page.getByLabel("API key", { exact: true }).inputValue()).toMatch(/^site_live_[0-9a-f]{32}$/);
  await press(page, "Escape"); // only after it was copied
  expect(await page.locator("#dialog dialog[open]").count()).toBe(1);
  await tabTo(page, "I have saved the key");
  await press(page, "Enter");
  await page.locator("#dialog dialog").waitFor({ state: "detached" });
  await page.getByText("Made by keyboard").first().waitFor();
  expect(await focusKept(page)).not.toBe("BODY");
  await page.goBack();
  await page.waitForURL("**/dashboard");
  expect(await page.getByLabel("API key", { exact: true }).count()).toBe(0);
  await page.close();
});

test("triage a message: open, mark unread, archive", async () => {
  const page = await stage.open("/dashboard/contact");
  await press(page, "j", "Enter");
  await page.waitForURL("**/dashboard/contact/**");
  await page.getByRole("button", { name: "Archive", exact: true }).waitFor();
  await tabTo(page, "Archive");
  await press(page, "Enter");
  await page
    .locator(".toast")
    .getByText(/archive/i)
    .waitFor();
  expect(await focusKept(page)).not.toBe("BODY");
  await page.close();
});

test("change a setting", async () => {
  const page = await stage.open("/dashboard/settings");
  await tabTo(page, "Title");
  await press(page, "Control+a");
  await page.keyboard.type("Written with keys");
  await press(page, "Enter");
  await page.locator(".toast", { hasText: /saved/i }).waitFor();
  expect(await focusKept(page)).not.toBe("BODY");
  await page.reload();
  expect(await page.getByLabel("Title", { exact: true }).inputValue()).toBe("Written with keys");
  await page.close();
});

test("single-key shortcuts can be switched off (WCAG 2.1.4)", async () => {
  const page = await stage.open("/dashboard/settings/appearance");
  await page
    .getByLabel(/shortcuts/i)
    .first()
    .selectOption("off")
    .catch(() =>
      page
        .getByLabel(/shortcuts/i)
        .first()
        .uncheck(),
    );
  await page
    .locator("form", { has: page.getByLabel(/shortcuts/i) })
    .getByRole("button", { name: /^Save/ })
    .click();
  await page.locator(".toast", { hasText: /saved/i }).waitFor();
  await page.goto("/dashboard/newsletter");
  await press(page, "/");
  await settled(page);
  expect(await focused(page)).not.toBe("q");
  await page.close();
});

test("no page made the browser complain", () => {
  expect(stage.complaints).toEqual([]);
});

test("write a post: marks, the way to a problem, a cover, and saving", async () => {
  const page = await stage.open("/dashboard/posts/new");
  expect(await focusOn(page, "title")).toBe("title");
  await page.keyboard.type("By keyboard");
  await tabTo(page, "Text");
  await page.keyboard.type("Late to the sea <br>");
  await press(page, "Tab", "ArrowRight");
  expect(await focusOn(page, "tool-italic")).toBe("tool-italic");
  await page.locator("#preview [data-caret]").waitFor();
  await tabTo(page, "Line 1, column 17");
  await press(page, "Enter");
  expect(await focusOn(page, "content")).toBe("content");
  await page.keyboard.type("\\");
  await page.locator("#preview .prose p", { hasText: "Late to the sea <br>" }).waitFor();
  await tabTo(page, "Details");
  await press(page, "Enter");
  await tabTo(page, "Choose or upload…");
  await press(page, "Enter");
  expect(await focusOn(page, "picture-q")).toBe("picture-q");
  await tabTo(page, /^Use [^]*harbour\.png/);
  await press(page, "Enter");
  expect(await focusOn(page, "cover-image")).toBe("cover-image");
  await press(page, "Control+s");
  await page.waitForURL(/\/dashboard\/posts\/[\w-]{20,}/);
  await eventually(() => contentOf(page), "Late to the sea \\<br>");
  await page.close();
});
