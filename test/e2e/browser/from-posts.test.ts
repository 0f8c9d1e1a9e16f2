import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Locator } from "playwright-core";
import { allRules } from "../../../db/broadcasts/from-posts/rules";
import * as postEdits from "../../../db/posts/edit";
import { flaws } from "./axe";
import { openMenu, openStage, type Stage } from "./stage";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const path = "/dashboard/broadcasts/from-posts";

/** A draft of a post. Returns its ID. */
async function draft(title: string): Promise<string> {
  const { db, now, owner } = stage;
  const blank = { slug: "", excerpt: "Three sensors", coverImage: "", author: "", published: false };
  const fields = { ...blank, title, tags: [], content: "Wet.", publishedAt: null };
  const made = await postEdits.create(db, fields, { actor: owner.manager.email }, now());
  if (made.outcome !== "saved") throw new Error(made.outcome);
  return made.post.id;
}

test("a manager has posts gathered for a weekly digest, in both themes and widths", async () => {
  const found: string[] = [];
  const page = await stage.open(path);
  const check = async () => void found.push(...(await flaws(page)));
  await check();
  await page.getByRole("link", { name: "Add rule" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Become").selectOption("A part of a weekly digest");
  await dialog.getByLabel("A digest goes out on").selectOption("Fridays");
  await dialog.getByLabel("At", { exact: true }).fill("17:30");
  await dialog.getByLabel("In the time zone").fill("Europe/Nowhere");
  await dialog.getByRole("button", { name: "Add rule" }).click();
  await page.getByText("Enter the name of a time zone").first().waitFor();
  await check();
  await dialog.getByLabel("In the time zone").fill("Europe/Lisbon");
  await dialog.getByRole("button", { name: "Add rule" }).click();
  await page.getByText("A weekly digest, Fridays at 17:30 (Europe/Lisbon)").waitFor();
  await page.getByText("No post waits for it.").waitFor();
  const id = await draft("The longest rain since records of this weather station began");
  await page.goto(`/dashboard/posts/${id}/publish`);
  await page.getByText("A rule puts it into the weekly digest that goes out at").waitFor();
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.waitForURL(`**/dashboard/posts/${id}`);
  await page.goto(path);
  await page.getByText("with “The longest rain").waitFor();
  await check();
  await openMenu(page, await ruleId());
  await page.getByRole("button", { name: "Leave out what waits" }).click();
  await page.getByText("No post waits for it.").waitFor();
  expect(found).toEqual([]);
  expect(stage.complaints).toEqual([]);
});

const ruleId = async (): Promise<string> => {
  const [rule] = await stage.db.read(allRules);
  if (!rule) throw new Error("There is no rule");
  return rule.id;
};

test("rules are added, edited, moved, turned off and deleted without a script", async () => {
  const page = await stage.open(path, { javaScriptEnabled: false, viewport: { width: 390, height: 800 } });
  await page.getByRole("link", { name: "Add rule" }).click();
  await page.getByLabel("Become").selectOption("Nothing");
  await page.getByRole("button", { name: "Add rule" }).click();
  await page.getByText("Nothing is sent", { exact: true }).waitFor();
  const choose = async (row: Locator, role: "button" | "link", name: string) => {
    await row.getByRole("button", { name: /^Actions for/ }).click();
    await row.getByRole(role, { name }).click();
  };
  await choose(page.getByRole("row").last(), "button", "Move up");
  await page.getByText("Rule moved up.").waitFor();
  const first = page.getByRole("row").nth(1);
  expect(await first.textContent()).toContain("Nothing is sent");
  await choose(first, "link", "Edit…");
  await page.getByLabel("Become").selectOption("A newsletter that is sent 10 minutes later");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Rule saved.").waitFor();
  for (const [action, answer] of [
    ["Turn off", "Rule turned off."],
    ["Turn on", "Rule turned on."],
    ["Delete", "Rule deleted."],
  ] as const) {
    await choose(first, "button", action);
    await page.getByText(answer).waitFor();
  }
  await page.close();
});
