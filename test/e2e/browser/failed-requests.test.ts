import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { violations } from "./axe";
import { fillDatabase } from "./fixtures";
import { eventually, onChromium, openStage, type Stage } from "./stage";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
  await fillDatabase(stage);
});
afterAll(() => stage.close());

const notices = (page: Page) => page.locator(".toast[data-toast=bad]").allTextContents();
/** Whether leaving the page asks first. */
const isGuarded = (page: Page) => page.evaluate("!dispatchEvent(new Event('beforeunload', { cancelable: true }))");

test("a list that polls and gets no response reports nothing: no one did anything", async () => {
  const page = await stage.open("/dashboard/storage/uploads");
  const poll = `htmx.ajax("GET", "/dashboard/storage/uploads?poll", { source: "#list", target: "#list", swap: "outerMorph" })`;
  await page.route("**/uploads?poll", (route) => route.abort());
  await page.evaluate(poll);
  await page.route("**/uploads?poll", (route) => route.fulfill({ status: 502, body: "Bad gateway" }));
  await page.evaluate(poll);
  expect(await notices(page)).toEqual([]);
  await page.close();
});

test.each([
  [502, "Nothing was saved. Try again. (502)"],
  [429, "Too many requests. Try again later."],
])("a %i of a proxy is explained in a sentence, although it has none of our headers", async (status, words) => {
  const page = await stage.open("/dashboard/newsletter");
  await page.route("**/dashboard/newsletter?q=**", (route) => route.fulfill({ status, body: "No" }));
  await page.locator("#q").fill("reader1");
  await eventually(async () => (await notices(page))[0], `${words}Dismiss`);
  await page.close();
});

test("a palette that gets no response says so once, however much is typed, where a screen reader notices it", async () => {
  const page = await stage.open("/dashboard");
  const words = "The server could not be reached. Check your connection and try again.";
  await page.route("**/dashboard/search?**", (route) => route.abort());
  await page.keyboard.press("Control+k");
  await page.locator("#palette [role=alert]", { hasText: words }).waitFor();
  await page.evaluate("document.querySelector('.toast').id = 'first'");
  await page.keyboard.type("tides");
  await page.locator("#first").waitFor({ state: "detached" });
  await eventually(() => notices(page), [`${words}Dismiss`]); // each try begins without one
  await page.close();
});

test("an error of a dialog is announced in it, can be dismissed there, and disappears with the next try", async () => {
  const page = await stage.open("/dashboard/newsletter");
  const dialog = page.locator("#dialog dialog[open]");
  await page.getByLabel("Actions for reader0@example.org").click();
  await page.getByRole("link", { name: "Delete…" }).click();
  await page.route("**/delete", (route) => route.fulfill({ status: 502, body: "Bad gateway" }));
  const verb = dialog.getByRole("button", { name: "Delete subscriber" });
  await verb.click();
  await dialog.getByRole("alert").getByRole("button", { name: "Dismiss" }).click();
  await eventually(() => notices(page), []);
  await verb.click();
  await dialog.getByRole("alert").waitFor();
  expect(await violations(page)).toEqual([]);
  await page.unroute("**/delete");
  await verb.click();
  await dialog.waitFor({ state: "detached" });
  expect(await notices(page)).toEqual([]);
  await page.close();
});

test("an error does not hold back the next try, even while a mouse button is down", async () => {
  const page = await stage.open("/dashboard/newsletter");
  const dialog = page.locator("#dialog dialog[open]");
  await page.locator("tbody [id^=more-]").first().click();
  await page.locator("a[id^=delete-]").first().click();
  let tries = 0;
  await page.route("**/delete", (route) => (tries++, route.fulfill({ status: 502, body: "Bad gateway" })));
  await dialog.getByRole("heading").hover();
  await page.mouse.down();
  for (const n of [1, 2]) {
    await dialog.getByRole("button", { name: "Delete subscriber" }).press("Enter");
    await eventually(() => tries, n);
    await dialog.getByRole("alert").waitFor();
  }
  await page.close();
});

test.each([
  ["no answer", undefined],
  ["an error", 500],
])("text whose saving got %s is unsaved: leaving asks first", async (_, status) => {
  const page = await stage.open("/dashboard/settings");
  await page.route("**/*", (route) =>
    route.request().method() !== "POST" ? route.continue() : status ? route.fulfill({ status }) : route.abort(),
  );
  const form = page.locator("form[data-guard][hx-post]").first();
  await form.locator("input[type=text], input:not([type])").first().fill("Other words");
  expect(await isGuarded(page)).toBe(true);
  await form.locator("button[type=submit]:not([aria-hidden])").first().click();
  await page.locator(".toast[data-toast=bad]").first().waitFor();
  expect(await isGuarded(page)).toBe(true);
  await page.close();
});

test("Shift does not choose from where an earlier list had its row", async () => {
  const page = await stage.open("/dashboard/newsletter");
  const boxes = page.locator("#list input[name=ids]");
  const gone = (await page.locator("tbody tr").nth(0).getAttribute("id")) ?? "";
  await boxes.nth(0).check();
  await page.locator("#list a[href*='page=2']").first().click();
  await eventually(() => page.locator(`[id="${gone}"]`).count(), 0);
  await boxes.nth(3).click({ modifiers: ["Shift"] });
  expect(await page.locator("#list input[name=ids]:checked").count()).toBe(1);
  await page.close();
});

test("a notice that can be undone does not leave while a dialog is in front of it", async () => {
  const page = await stage.open("/dashboard/contact");
  await page.clock.install();
  await page.goto("/dashboard/contact");
  await page.locator("#list .rows a").first().click();
  await page.locator("#do-archive").click();
  const notice = page.locator(".toast", { hasText: "Undo" });
  await notice.waitFor();
  await page.keyboard.press("Control+k");
  await page.clock.runFor(60_000);
  expect(await notice.count()).toBe(1);
  await page.keyboard.press("Escape");
  await page.clock.runFor(60_000);
  expect(await notice.count()).toBe(0);
  await page.close();
});

test("a button that copies twice gets its own words back", async () => {
  const context = await stage.manager({ permissions: ["clipboard-read", "clipboard-write"] });
  const page = await context.newPage();
  await page.clock.install();
  await page.goto("/dashboard/contact");
  await page.locator("#list .rows a").first().click();
  const button = page.locator("#copy-email");
  const words = await button.textContent();
  for (let times = 0; times < 2; times++) {
    await button.click();
    await eventually(() => button.textContent(), expect.stringContaining("Copied"));
    await page.clock.runFor(1_000);
  }
  await page.clock.runFor(10_000);
  await eventually(() => button.textContent(), words); // what was copied last may be there only now
  await page.close();
});

test("a passkey without a response is reported in our own words", async () => {
  const page = await (await stage.visitor()).newPage();
  await page.goto("/dashboard/sign-in");
  await page.route("**/passkey/challenge", (route) => route.abort());
  await page.locator("[data-passkey] button").click();
  const problem = page.locator("[data-passkey] [data-problem]");
  await eventually(
    () => problem.textContent(),
    "The server could not be reached. Check your connection and try again.",
  );
  await page.unroute("**/passkey/challenge");
  await page.route("**/passkey/challenge", (route) => route.fulfill({ status: 502, body: "<p>Bad gateway</p>" }));
  await page.locator("[data-passkey] button").click();
  await eventually(
    () => problem.textContent(),
    "The server could not be reached. Check your connection and try again.",
  );
  await page.close();
});

/** Firefox has no authenticator that a test could play. */
onChromium(
  "a device that has a passkey already, or does not allow one, is told of in our words where it is added",
  async () => {
    const page = await stage.open("/dashboard/account");
    const debuggee = await page.context().newCDPSession(page);
    await debuggee.send("WebAuthn.enable");
    const device = {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
    } as const;
    const { authenticatorId } = await debuggee.send("WebAuthn.addVirtualAuthenticator", {
      options: { ...device, isUserVerified: true, automaticPresenceSimulation: true },
    });
    const problem = page.locator("[data-passkey] [data-problem]");
    await page.getByRole("button", { name: "Add passkey" }).click();
    await page.getByText("added.").first().waitFor();
    await page.getByRole("button", { name: "Add passkey" }).click();
    await eventually(() => problem.textContent(), "This device has a passkey for your account already.");
    await page.getByRole("link", { name: "Remove " }).click();
    await page.locator("dialog[open]").getByRole("button", { name: "Remove passkey" }).click();
    await page.getByText("removed.").first().waitFor();
    await debuggee.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
    await page.getByRole("button", { name: "Add passkey" }).click();
    await eventually(
      () => problem.textContent(),
      "No passkey was added: it was cancelled, or the device did not allow it.",
    );
    await page.close();
  },
);
