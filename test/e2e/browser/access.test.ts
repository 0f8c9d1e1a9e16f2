import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { codeAt } from "../../../src/security/totp";
import { flaws } from "./axe";
import { fillDatabase } from "./fixtures";
import { cookieOf, eventually, focusOn, openStage, type Stage } from "./stage";
import { look as lookInto } from "../../support/look";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

const day = 24 * 3_600_000;

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
  await fillDatabase(stage);
});
afterAll(() => stage.close());

/** The dashboard as another manager sees it. */
async function as(email: string, role: "owner" | "manager", options: BrowserContextOptions = {}): Promise<Page> {
  const { headers } = await stage.signIn({ email, name: email.split("@")[0] ?? "", role });
  const context = await stage.visitor(options);
  await context.addCookies([cookieOf(headers.cookie, stage.config.BASE_URL)]);
  return context.newPage();
}

const nodeId = async () => (await lookInto<{ id: string }>(stage.db, "select id from storage_nodes"))[0]?.id ?? "";

test("axe finds nothing on what managers see of owners’ business, nor above the pages of who is late", async () => {
  const carol = await as("carol@example.com", "manager");
  const found: string[] = [];
  const look = async (page: Page, path: string) => {
    await page.goto(path);
    found.push(...(await flaws(page)).map((words) => `${path}: ${words}`));
  };
  for (const path of ["storage/nodes", `storage/nodes/${await nodeId()}`, "settings"])
    await look(carol, `/dashboard/${path}`);
  expect(await carol.getByText("Only owners can").count()).toBeGreaterThan(0);

  await stage.owner.submit("/dashboard/managers/two-step", { required: "on" });
  await look(carol, "/dashboard");
  const owner = await as("olga@example.com", "owner");
  await look(owner, "/dashboard/managers");
  stage.clock.time += 8 * day;
  const late = await as("carol@example.com", "manager");
  await look(late, "/dashboard");
  expect(new URL(late.url()).pathname).toBe("/dashboard/account");
  await lookInto(stage.db, "delete from access_rules");
  expect([found, stage.complaints]).toEqual([[], []]);
  for (const page of [carol, owner, late]) await page.close();
});

test("without script and by keyboard an owner can require it, and a manager who is late can set it up and continue", async () => {
  const options = { javaScriptEnabled: false };
  const owner = await as("otto@example.com", "owner", options);
  await owner.goto("/dashboard/managers");
  await owner.getByRole("button", { name: "Require it for every manager" }).press("Enter");
  await owner.locator("#toasts", { hasText: "Every manager now needs" }).waitFor();
  expect(await owner.getByRole("button", { name: "Make it optional" }).count()).toBe(1);

  stage.clock.time += 8 * day;
  const late = await as("bert@example.com", "manager", options);
  await lookInto(stage.db, "update managers set created_at = 0 where email = 'bert@example.com'");
  await late.goto("/dashboard/posts");
  await late.getByRole("link", { name: "Set up two-step verification" }).first().press("Enter");
  const secret = (await late.locator("#totp-secret").inputValue()).replaceAll(" ", "");
  await late.locator("[name=code]").fill(codeAt(secret, Math.floor(stage.clock.time / 30_000)));
  await late.locator("[name=code]").press("Enter");
  await late.getByText("Recovery codes").first().waitFor();
  await late.goto("/dashboard/posts");
  expect([new URL(late.url()).pathname, await late.getByText("needs two-step").count()]).toEqual([
    "/dashboard/posts",
    0,
  ]);
  for (const page of [owner, late]) await page.close();
});

test("recovery codes are copied in one press, each on a line of its own", async () => {
  const page = await as("cora@example.com", "manager", { permissions: ["clipboard-read", "clipboard-write"] });
  await page.goto("/dashboard/account");
  await page.locator(".card").getByRole("link", { name: "Set up two-step verification" }).click();
  const secret = (await page.locator("#totp-secret").inputValue()).replaceAll(" ", "");
  await page.locator("[name=code]").fill(codeAt(secret, Math.floor(stage.clock.time / 30_000)));
  await page.locator("[name=code]").press("Enter");
  await eventually(() => page.evaluate("document.activeElement.textContent"), "Recovery codes");
  await page.locator("#copy-codes").click();
  await page.locator("#copy-codes", { hasText: "Copied" }).waitFor();
  const codes = await page.locator(".codes li").allInnerTexts();
  expect(codes.length).toBe(10);
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(codes.join("\n"));
  await page.close();
});

test("two-step verification is turned off only after a question, with a script and without one", async () => {
  await lookInto(stage.db, "delete from access_rules"); // the test before required it
  for (const javaScriptEnabled of [true, false]) {
    const email = `off-${javaScriptEnabled}@example.com`;
    const page = await as(email, "manager", { javaScriptEnabled, viewport: { width: 390, height: 844 } });
    await lookInto(stage.db, "update managers set totp_secret = 'sealed' where email = ?", [email]);
    await page.goto("/dashboard/account");
    await page.getByRole("link", { name: "Turn off…" }).click();
    await page.getByText("Your password alone will sign you in").waitFor();
    await page.getByRole("link", { name: "Cancel" }).click();
    await eventually(() => page.getByText("Your password alone").count(), 0);
    await page.getByRole("link", { name: "Turn off…" }).click();
    await page.getByRole("button", { name: "Turn off" }).click();
    await page.getByText("Two-step verification turned off.").waitFor();
    expect(await page.getByRole("link", { name: "Turn off…" }).count()).toBe(0);
    await page.close();
  }
  expect(stage.complaints).toEqual([]);
});

test("after the link of an invitation the focus is where it was opened, and the invitation is listed", async () => {
  const page = await as("ines@example.com", "owner");
  await page.goto("/dashboard/managers");
  for (const email of ["first@example.com", "second@example.com"]) {
    await page.locator("#invite").press("Enter");
    await page.locator("#dialog [name=email]").fill(email);
    await page.locator("#dialog [name=email]").press("Enter");
    await page.locator("#invitation").waitFor();
    await page.locator("#dialog").getByText("Done").press("Enter");
    await page.locator("#dialog dialog").waitFor({ state: "detached" });
    expect(await focusOn(page, "invite")).toBe("invite");
    await page.locator("#pending-invitations", { hasText: email }).waitFor();
  }
  expect(stage.complaints).toEqual([]);
  await page.close();
});
