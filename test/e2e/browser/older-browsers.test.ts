import { afterAll, beforeAll, expect, test } from "bun:test";
import { openStage, type Stage } from "./stage";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

/** As in Chromium up to 146. */
const strictParser = `
  const parse = Document.parseHTMLUnsafe;
  Document.parseHTMLUnsafe = (...given) => {
    if (given.length > 1) throw new TypeError("Overload resolution failed.");
    return parse.apply(Document, given);
  };`;

test("a browser whose parser takes no options swaps all the same", async () => {
  const page = await (await stage.manager()).newPage();
  await page.addInitScript(strictParser);
  await page.goto("/dashboard/newsletter");
  await page.getByRole("link", { name: "Add subscriber" }).click();
  await page.locator("#dialog dialog[open]").waitFor();
  expect(stage.complaints).toEqual([]);
});
