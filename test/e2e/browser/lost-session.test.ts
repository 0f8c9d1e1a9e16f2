import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { testPassword } from "../../support/service";
import { fillDatabase } from "./fixtures";
import { eventually, openStage, type Stage } from "./stage";

setDefaultTimeout(300_000);

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
