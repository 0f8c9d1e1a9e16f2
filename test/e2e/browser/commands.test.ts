import { expect, test } from "bun:test";
import { limitCommands } from "../../support/browser";
import { openStage } from "./stage";

test("a command that the browser never answers ends, and says which it was and where it was sent", async () => {
  const stage = await openStage();
  const page = await (await stage.visitor()).newPage();
  const restore = limitCommands(3_000);
  const problem = page.evaluate("new Promise(() => {})").catch(String);
  expect(await problem).toMatch(/Not after 3000 ms: a response to Frame\.evaluateExpression, sent in .*commands\.test/);
  restore();
  expect(await page.evaluate("1 + 1")).toBe(2);
  await stage.close();
});
