import { expect, test } from "bun:test";
import { delegateOf, limitCommands } from "../../support/browser";
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

test("a page that the browser forgot to close, while it opened another, is closed", async () => {
  const stage = await openStage();
  const page = await stage.visitor().then((visitor) => visitor.newPage());
  const delegate = delegateOf(page);
  const { closePage } = delegate;
  let calls = 0;
  delegate.closePage = (...args) => (++calls === 1 ? Promise.resolve() : closePage.apply(delegate, args));
  await page.close();
  await page.close();
  expect(calls).toBe(2);
  await stage.close();
});
