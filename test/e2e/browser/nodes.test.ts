import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { extremes, violations } from "./axe";
import { addNodeFixtures } from "./node-fixtures";
import { focusOn, openStage, type Stage } from "./stage";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

let stage: Stage;
let rooms: Record<string, string>;
beforeAll(async () => {
  stage = await openStage();
  rooms = await addNodeFixtures(stage);
});
afterAll(() => stage.close());

const path = "/dashboard/storage/nodes";
const notice = (page: Page, words: string) => page.locator("#toasts", { hasText: words }).waitFor();
const fields = {
  name: "attic",
  endpoint: "http://127.0.0.1:1",
  bucket: "parcels",
  accessKey: "an-access-key",
  secretKey: "a-secret-key",
  capacity: "3GB",
};
const fill = async (page: Page, values: Record<string, string>) => {
  for (const [name, value] of Object.entries(values)) await page.locator(`#f-${name}`).fill(value);
};
const submit = (page: Page) => page.locator(".node-form button.primary").click();

test("without a script a node is added, drained, edited and removed, and says what is wrong with it", async () => {
  const page = await stage.open(path, { javaScriptEnabled: false });
  await page.getByRole("link", { name: "Add node" }).click();
  await fill(page, fields);
  await submit(page);
  await page.getByText("failed a health check: No server is listening at").first().waitFor();
  await fill(page, { accessKey: fields.accessKey, secretKey: fields.secretKey }); // keys are never shown again
  await page.getByRole("button", { name: "Add anyway" }).click();
  await notice(page, "attic failed a health check");
  const broken = page.locator(".capabilities .broken", { hasText: "No server is listening at http://127.0.0.1:1" });
  await broken.first().waitFor();
  await page.getByRole("button", { name: "Drain: attic" }).click();
  await notice(page, "attic no longer takes new uploads");
  await page.getByRole("link", { name: "Edit" }).click();
  expect([await page.locator("#f-secretKey").inputValue(), await page.locator("#f-capacity").inputValue()]).toEqual([
    "",
    "3GB",
  ]);
  await page.locator("#f-name").fill("loft");
  await submit(page);
  await page.locator("h1", { hasText: /^loft$/ }).waitFor();
  await page.getByRole("link", { name: "Remove" }).click();
  await page.getByRole("button", { name: "Remove node" }).click();
  await notice(page, "Storage node “loft” removed");
  await page.close();
});

test("a health check started from the keyboard keeps the focus and announces its result", async () => {
  const page = await stage.open(path);
  stage.clock.time = Date.now(); // a minute later, the check of the clocks would not pass
  const button = page.getByRole("button", { name: "Test now: embedded" });
  const id = (await button.getAttribute("id")) ?? "";
  await button.focus();
  await page.keyboard.press("Enter");
  await page.getByText("embedded passed all health checks.").waitFor();
  expect(await focusOn(page, id)).toBe(id);
  await page.close();
});

test("a question in the dialog leads back to the button when it is left", async () => {
  const page = await stage.open(rooms["a node with a failing check"] ?? "");
  await page.locator("#remove-node").press("Enter");
  await page.getByRole("button", { name: "Remove node" }).waitFor();
  await page.keyboard.press("Escape");
  expect(await focusOn(page, "remove-node")).toBe("remove-node");
  await page.close();
});

test("mistakes are pointed out, nothing typed but the keys is lost, and axe finds nothing", async () => {
  for (const look of extremes) {
    const page = await stage.open(`${path}/new`, look);
    await fill(page, { ...fields, endpoint: "http://127.0.0.1/path", bucket: "Parcels", capacity: "much" });
    await submit(page);
    await page.getByText("Please correct 3 fields").waitFor();
    expect(await page.locator("#f-name").inputValue()).toBe("attic");
    expect(await page.locator("#f-secretKey").inputValue()).toBe("");
    expect(await violations(page)).toEqual([]);
    await page.close();
  }
});

test("the browser reports no errors", () => {
  expect(stage.complaints).toEqual([]);
});
