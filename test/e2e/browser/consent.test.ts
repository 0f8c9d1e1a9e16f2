import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import * as subscribers from "../../../db/newsletter/subscribers";
import { set } from "../../support/settings";
import { confirmLink } from "../../../src/security/links";
import { flaws, violations } from "./axe";
import { openStage, type Stage } from "./stage";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
  await set(stage.db, "doubleOptIn", "true", { by: "cli" }, stage.now());
});
afterAll(() => stage.close());

/** Someone who has just subscribed, and the link in their email. */
async function pending(email: string) {
  await stage.post("/api/newsletter/subscribe", { email });
  const person = async () => await subscribers.byEmail(stage.db, email);
  return { person, link: confirmLink(stage.config, email, (await person())?.pendingAt ?? new Date(0)) };
}

test("a subscription is confirmed by one button, without a script, in both themes and widths", async () => {
  const found: string[] = [];
  const email = "reader@example.com";
  const { person, link } = await pending(email);
  const eyes = await (await stage.visitor()).newPage(); // with scripts, which axe needs
  const page = await (await stage.visitor({ javaScriptEnabled: false })).newPage();
  const check = async (url: string) => {
    await eyes.goto(url);
    found.push(...(await flaws(eyes)));
  };
  const late = confirmLink(stage.config, email, new Date(0));
  await check(late);
  await page.goto(late);
  await page.getByRole("button", { name: "Send a new link" }).click();
  await page.getByRole("heading", { name: "Check your inbox" }).waitFor();

  await check(link);
  await page.goto(link);
  expect((await person())?.confirmedAt).toBeNull();
  await page.getByRole("button", { name: "Confirm subscription" }).click();
  await page.getByRole("heading", { name: "You’re subscribed" }).waitFor();
  expect(await person()).toMatchObject({ state: "active", pendingAt: null, confirmedAt: expect.any(Date) });
  await check(link);

  await page.getByRole("button", { name: "Unsubscribe" }).click();
  await page.getByRole("heading", { name: "You’re unsubscribed" }).waitFor();
  await check(link.slice(0, -3));
  expect(found).toEqual([]);
  expect(stage.complaints).toEqual([]);
});

test("a manager confirms someone manually with a note, and lifts a suppression with another", async () => {
  const { person } = await pending("paper@example.com");
  const page = await stage.open("/dashboard/newsletter?status=pending");
  await page.locator("a.who", { hasText: "paper@example.com" }).click();
  await page.getByRole("button", { name: "Confirm…" }).click();
  await page.locator("#confirm-note").fill("Agreed on paper");
  expect(await violations(page)).toEqual([]);
  await page.locator("#dialog button[type=submit]").click();
  await page.getByText("Confirmed by Olive Owner (Agreed on paper)").waitFor();
  expect((await person())?.pendingAt).toBeNull();

  await page.goto("/dashboard/suppressions");
  await page.locator("#add").click();
  await page.locator("#new-email").fill("paper@example.com");
  await page.locator("#dialog button[type=submit]").click();
  await page.locator("input[name=ids]").check();
  await page.locator("button[value=lift]").click();
  await page.locator("#lift-note").fill("Asked again");
  await page.locator("#dialog button[type=submit]").click();
  await page.getByRole("heading", { name: "No suppressions" }).waitFor();
  expect((await person())?.suppressedAt).toBeNull();
  expect(stage.complaints).toEqual([]);
});
