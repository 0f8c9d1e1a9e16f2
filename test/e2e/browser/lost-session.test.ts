import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import * as passkeys from "../../../db/access/passkeys";
import * as subscribers from "../../../db/newsletter/subscribers";
import { look } from "../../support/look";
import { testPassword } from "../../support/service";
import { fillDatabase } from "./fixtures";
import { fillNode } from "./node-fixtures";
import { eventually, openStage, type Stage } from "./stage";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
  await fillDatabase(stage);
});
afterAll(() => stage.close());

test("an expired session leads to the sign-in, and from there back to the same view", async () => {
  const page = await stage.open("/dashboard/newsletter?status=unsubscribed");
  await page.context().clearCookies({ name: "__Host-postroom" });
  await page.locator("tbody [id^=more-]").first().click();
  await page.locator("a[id^=delete-]").first().click();
  await page.waitForURL("**/dashboard/sign-in?**");
  await page.getByText("Your session has ended, and nothing was changed.").waitFor();
  await page.getByLabel("Email address").fill("owner@example.com");
  await page.getByLabel("Password", { exact: true }).fill(testPassword);
  await page.keyboard.press("Enter");
  await page.waitForURL("**/dashboard/newsletter?status=unsubscribed");
  await page.close();
});

async function signIn(page: Page, email = "owner@example.com") {
  await page.waitForURL("**/dashboard/sign-in?**");
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(testPassword);
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => !url.pathname.startsWith("/dashboard/sign-in"));
}

const endSession = (page: Page) => page.context().clearCookies({ name: "__Host-postroom" });
const keptIn = (page: Page) => page.evaluate<string>("JSON.stringify(sessionStorage)");
const isBack = (page: Page) => page.getByText("What you typed is here again. It is not saved yet.");

test("what was typed in a dialog when the session ended is there again after signing in, and can be saved", async () => {
  const page = await stage.open("/dashboard/newsletter?status=unsubscribed");
  await page.locator("#add").click();
  await page.locator("dialog [name=email]").fill("late@example.com");
  await page.locator("dialog [name=name]").fill("Late");
  await endSession(page);
  await page.keyboard.press("Enter");
  await signIn(page);
  const dialog = page.locator("dialog[open]");
  await dialog.getByText("What you typed is here again").waitFor();
  expect(await dialog.locator("[name=email]").inputValue()).toBe("late@example.com");
  expect(await dialog.locator("[name=name]").inputValue()).toBe("Late");
  expect(await keptIn(page)).not.toContain("late@example.com"); // once
  await dialog.locator("[type=submit]").last().click();
  await dialog.waitFor({ state: "detached" });
  expect(await subscribers.byEmail(stage.db, "late@example.com")).toBeDefined();
  await page.close();
});

test("so is what was typed on a page, which can be left without a question", async () => {
  const page = await stage.open("/dashboard/settings/site");
  const title = page.locator("#form-site input.input").first();
  await title.fill("Typed late");
  await endSession(page);
  await page.keyboard.press("Control+s");
  await signIn(page);
  await isBack(page).waitFor();
  expect(await title.inputValue()).toBe("Typed late");
  await page.getByText("Unsaved: ").waitFor();
  await page.keyboard.press("Control+s");
  await page.getByText("Site details saved.").first().waitFor();
  await page.reload();
  expect(await title.inputValue()).toBe("Typed late");
  expect(await isBack(page).count()).toBe(0);
  await page.close();
});

test("someone else who signs in on the same tab finds nothing of it", async () => {
  await stage.signIn({ email: "bo@example.com", name: "Bo", role: "owner" });
  const page = await stage.open("/dashboard/settings/site");
  const title = page.locator("#form-site input.input").first();
  await title.fill("Private until saved");
  await endSession(page);
  await page.keyboard.press("Control+s");
  await signIn(page, "bo@example.com");
  await page.waitForURL("**/dashboard/settings/site");
  await eventually(() => keptIn(page), expect.not.stringContaining("Private"));
  expect(await title.inputValue()).not.toBe("Private until saved");
  await page.close();
});

test("what was typed is there again after the password had to be confirmed", async () => {
  const page = await stage.open("/dashboard/webhooks/new");
  await page.locator("#f-name").fill("Late blog");
  await page.locator("#f-url").fill("https://blog.example.com/hook");
  stage.clock.time += 16 * 60_000;
  await page.keyboard.press("Enter");
  await page.waitForURL("**/dashboard/confirm?**");
  await page.locator("#f-password").fill(testPassword);
  await page.keyboard.press("Enter");
  await page.waitForURL("**/dashboard/webhooks/new");
  await isBack(page).waitFor();
  expect(await page.locator("#f-name").inputValue()).toBe("Late blog");
  expect(await page.locator("#f-url").inputValue()).toBe("https://blog.example.com/hook");
  await page.close();
});

test("a form that asked for the password first is there after it", async () => {
  const page = await stage.open("/dashboard/api-keys");
  stage.clock.time += 16 * 60_000;
  await page.locator("#generate").click();
  await page.locator("#f-password").fill(testPassword);
  await page.keyboard.press("Enter");
  await page.waitForURL("**/dashboard/api-keys**");
  await page.locator("#f-name").fill("Blog");
  await page.close();
});

test("so is what was typed on a page one of whose dialogs was asked for when the session had ended, and it opens", async () => {
  const passkey = { id: "lost", publicKey: Buffer.from("key"), counter: 0, transports: [], name: "Old phone" };
  const { manager } = stage.owner;
  await passkeys.add(stage.db, { manager, passkey }, { actor: manager.email }, stage.now());
  const page = await stage.open("/dashboard/account");
  const name = page.locator("[aria-labelledby=you] [name=name]");
  await name.fill("Olive Overdue");
  await endSession(page);
  await page.locator("#remove-lost").click();
  await signIn(page);
  await isBack(page).waitFor();
  await page.locator("dialog[open]").getByText("Old phone").first().waitFor();
  await page.keyboard.press("Escape");
  expect(await name.inputValue()).toBe("Olive Overdue");
  await page.close({ runBeforeUnload: false });
});

test("“Now” that was chosen after a day had been entered is chosen again", async () => {
  const post = await stage.owner.submit("/dashboard/posts/new", { title: "Tides", content: "Words.", excerpt: "Few" });
  const page = await stage.open(post.headers.get("location") ?? "");
  await page.locator("#content.cm-content").press("Control+Shift+Enter");
  const sheet = page.getByRole("dialog");
  await sheet.getByLabel("Day").fill("2099-11-11");
  await sheet.getByRole("button", { name: "Schedule", exact: true }).click();
  await page.locator("#publish-date").click();
  await sheet.getByLabel("Day").fill("2099-11-12");
  await sheet.getByText("Now", { exact: true }).click();
  await endSession(page);
  await sheet.locator("footer [type=submit]").last().click();
  await signIn(page);
  await isBack(page).waitFor();
  expect(await sheet.getByLabel("Day").inputValue()).toBe("2099-11-12");
  expect(await sheet.getByLabel("Now").isChecked()).toBe(true);
  await page.close({ runBeforeUnload: false });
});

test("conditions that were drawn since a filter was opened are there again, with their values", async () => {
  const page = await stage.open("/dashboard/newsletter");
  await page.locator("#filter-button").click();
  const dialog = page.locator("dialog[open]");
  await dialog.locator("#w-0-field").selectOption("source");
  await dialog.locator("#w-0-of-0").check();
  await dialog.locator("#w-add").click();
  await dialog.locator("#w-1-field").selectOption("joined");
  await dialog.locator("#w-1-of").fill("12");
  await endSession(page);
  await dialog.locator("#w-show").click();
  await signIn(page);
  await isBack(page).waitFor();
  expect(await dialog.locator("#w-0-field").inputValue()).toBe("source");
  expect(await dialog.locator("#w-0-of-0").isChecked()).toBe(true);
  expect(await dialog.locator("#w-1-field").inputValue()).toBe("joined");
  expect(await dialog.locator("#w-1-of").inputValue()).toBe("12");
  await page.close();
});

test("a page whose session ended is left once, however much it had requested, or again if someone chose to stay", async () => {
  const page = await stage.open("/dashboard/newsletter");
  /** Whether htmx goes on with a 401, which means to the sign-in. */
  const follows = () =>
    page.evaluate<boolean>(`dispatchEvent(new CustomEvent("htmx:before:response", {
      cancelable: true,
      detail: { ctx: { response: { status: 401, headers: new Headers({ "HX-Redirect": "/dashboard/sign-in" }) } } },
    }))`);
  const leave = (stays: boolean) =>
    page.evaluate(`{
      const event = new Event("beforeunload", { cancelable: true });
      if (${stays}) event.preventDefault();
      dispatchEvent(event);
    }`);
  expect(await follows()).toBe(true);
  await leave(false);
  expect(await follows()).toBe(false);
  await page.reload();
  expect(await follows()).toBe(true);
  await leave(true);
  expect(await follows()).toBe(true);
  await page.close();
});

test("what is there again overwrites nothing that someone else saved meanwhile: saving says so, at the field", async () => {
  const page = await stage.open("/dashboard/settings/site");
  const title = page.locator("#form-site input.input").first();
  const name = (await title.getAttribute("name")) ?? "";
  await title.fill("Mine");
  await endSession(page);
  await page.keyboard.press("Control+s");
  const other = await stage.open("/dashboard/settings/site");
  await other.locator("#form-site input.input").first().fill("Theirs");
  await other.keyboard.press("Control+s");
  await other.getByText("Site details saved.").first().waitFor();
  await signIn(page);
  await isBack(page).waitFor();
  await page.keyboard.press("Control+s");
  await page.getByText("Someone else saved changes while you were editing.").waitFor();
  await page.getByText("Theirs").first().waitFor();
  const stored = await look(stage.db, "select value from settings where key = ?", [name]);
  expect(JSON.stringify(stored)).toContain("Theirs");
  await Promise.all([page.close(), other.close()]);
});

test("a secret that was typed is kept nowhere", async () => {
  const page = await stage.open("/dashboard/storage/nodes/new");
  await fillNode(page, "attic");
  await endSession(page);
  await page.keyboard.press("Enter");
  await page.waitForURL("**/dashboard/sign-in?**");
  expect(await keptIn(page)).toContain("attic");
  expect(await keptIn(page)).not.toMatch(/the-(access|secret)-key/);
  await signIn(page);
  await isBack(page).waitFor();
  expect(await page.locator("#f-name").inputValue()).toBe("attic");
  expect(await page.locator("#f-accessKey").inputValue()).toBe("");
  await page.close();
});

test("a server error never replaces a row, and the text that was typed stays", async () => {
  const page = await stage.open("/dashboard/newsletter");
  const rows = await page.locator("tbody tr").count();
  await page.route("**/dashboard/newsletter?q=**", (route) =>
    route.fulfill({ status: 500, body: "<p>broken</p>", headers: { "x-request-id": "number-1" } }),
  );
  await page.locator("#q").pressSequentially("reader1", { delay: 20 });
  await page.locator(".toast").getByText("number-1").first().waitFor();
  expect(await page.locator("tbody tr").count()).toBe(rows);
  expect(await page.locator("#q").inputValue()).toBe("reader1");
  await page.route("**/dashboard/newsletter?q=**", (route) => route.abort());
  await page.locator("#q").pressSequentially("2");
  await page.locator(".toast").getByText("Check your connection").first().waitFor();
  expect(await page.locator("tbody tr").count()).toBe(rows);
  await page.close();
});

test("a row that someone else deleted says so, and disappears", async () => {
  const page = await stage.open("/dashboard/newsletter?q=reader20%40");
  const other = await stage.open("/dashboard/newsletter?q=reader20%40");
  for (const [at, words] of [
    [page, "deleted"],
    [other, "Already deleted"],
  ] as const) {
    await at.locator("tbody [id^=more-]").first().click();
    await at.locator("a[id^=delete-]").first().click();
    const button = at.getByRole("button", { name: "Delete subscriber" });
    const told = at.locator(".toast").getByText(words).first();
    await button.or(told).first().waitFor();
    if (await button.isVisible()) await button.click();
    await told.waitFor();
    await eventually(() => at.locator("tbody tr").count(), 0);
  }
  await Promise.all([page.close(), other.close()]);
});
