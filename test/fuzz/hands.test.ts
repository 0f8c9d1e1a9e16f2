import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { fillDatabase } from "../e2e/browser/fixtures";
import { openStage, type Stage } from "../support/broadcasts/stage";
import type { Step } from "./hands/hand";
import { tasksOf } from "./hands/tasks";
import { testTimeoutMs } from "../support/within";

setDefaultTimeout(testTimeoutMs);

let stage: Stage;
let rooms: Record<string, string>;
beforeAll(async () => {
  stage = await openStage();
  rooms = await fillDatabase(stage);
});
afterAll(() => stage.close());

/** What a step acts on. */
const targetOf = (step: Step): string | undefined =>
  ("press" in step && step.press) || ("key" in step && step.at) || ("type" in step && step.into) || undefined;
/** What HTMLRewriter cannot look for. */
const notHere = /:has\(|:disabled/;

test("what the hands of npm run fuzz hands act on first is on its page", async () => {
  const pages = new Map<string, string>();
  const missing: string[] = [];
  for (const { name, path, steps, isVisitor } of tasksOf(rooms)) {
    const target = steps.map(targetOf).find((target) => target !== undefined);
    if (!target || notHere.test(target)) continue;
    const get = isVisitor ? stage.get : stage.owner.get;
    const html = pages.get(path) ?? (await pageAt(get, path));
    pages.set(path, html);
    let isThere = false;
    new HTMLRewriter().on(target, { element: () => void (isThere = true) }).transform(html);
    if (!isThere) missing.push(`${name}: ${target} on ${path}: ${html.slice(0, 200)}`);
  }
  expect(missing).toEqual([]);
});

/** With one redirect at most. */
async function pageAt(get: (path: string) => Promise<Response>, path: string): Promise<string> {
  const response = await get(path);
  const location = response.headers.get("location");
  return (location ? await get(location) : response).text();
}
