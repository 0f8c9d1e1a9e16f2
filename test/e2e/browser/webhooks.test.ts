import { afterAll, expect, test } from "bun:test";
import * as endpoints from "../../../db/webhooks/endpoints";
import { focusOn, goTo, openStage, settled } from "./stage";
import { addWebhookFixtures } from "./webhook-fixtures";

const stage = await openStage();
afterAll(() => stage.close());
const secretOf = (page: { locator: (selector: string) => { inputValue: () => Promise<string> } }) =>
  page.locator("#new-secret").inputValue();

test.each([
  ["by keyboard", true],
  ["without JavaScript", false],
])("an endpoint is added, pinged, turned off, and its secret replaced, %s", async (how, javaScriptEnabled) => {
  const page = await stage.open("/dashboard", { javaScriptEnabled });
  if (javaScriptEnabled) await goTo(page, "w");
  else {
    await page.locator("summary", { hasText: "System" }).click();
    await page.getByRole("link", { name: "Webhooks" }).click();
  }
  await page.waitForURL("**/dashboard/webhooks");
  await page.getByRole("link", { name: "Add endpoint" }).focus();
  await page.keyboard.press("Enter");
  await page.locator("#f-name").fill(how);
  await page.locator("#f-url").fill("https://10.0.0.1/");
  await page.keyboard.press("Enter");
  await page
    .getByText("The host must be on the public Internet, or allowed by the server’s administrator.")
    .first()
    .waitFor();
  await page.locator("#f-url").fill("https://example.com/hook");
  await page.getByLabel("Readers see a post for the first time").check();
  await page.locator("#f-url").press("Enter");
  await page.getByText("This is the only time").waitFor();
  const secret = await secretOf(page);
  expect(secret).toStartWith("whsec_");
  expect(await focusOn(page, "new-secret")).toBe("new-secret");
  await page.getByRole("link", { name: "I have saved the secret" }).click();
  await page.getByRole("heading", { name: how }).waitFor();
  await page.getByRole("button", { name: "Send ping" }).focus();
  await page.keyboard.press("Enter");
  await page.locator("summary", { hasText: "ping" }).waitFor();
  await page.getByRole("button", { name: "More actions for this endpoint" }).click();
  await page.getByRole("button", { name: "Turn off" }).click();
  await page.getByRole("button", { name: "Turn on" }).waitFor();
  await page.getByRole("link", { name: "Replace signing secret" }).click();
  await page.getByRole("button", { name: "Replace secret" }).click();
  await page.getByText("calls are signed with the previous secret too").waitFor();
  expect(await secretOf(page)).not.toBe(secret);
  expect(await focusOn(page, "new-secret")).toBe("new-secret");
  if (javaScriptEnabled) await settled(page);
  const found = (await endpoints.list(stage.db)).find(({ name }) => name === how);
  expect(found).toMatchObject({ state: "off", events: ["post.published"], url: "https://example.com/hook" });
  await page.close();
  expect(stage.complaints).toEqual([]);
});

test("on a phone, too, a call says what came back, once something did", async () => {
  const { "failing endpoint": path = "" } = await addWebhookFixtures(stage);
  const page = await stage.open(path, { viewport: { width: 390, height: 844 } });
  const row = (status: string) => page.locator("tbody tr", { has: page.getByText(status, { exact: true }) });
  const answer = row("Retrying").locator("td", { hasText: /^500/ });
  expect(await answer.isVisible()).toBe(true);
  const [state, said] = [await row("Retrying").locator(".state").boundingBox(), await answer.boundingBox()];
  expect(said?.y).toBeGreaterThanOrEqual((state?.y ?? 0) + (state?.height ?? 0)); // in a line of its own
  expect(await row("Waiting").getByText(/^None/).isVisible()).toBe(false);
  await page.close();
});
