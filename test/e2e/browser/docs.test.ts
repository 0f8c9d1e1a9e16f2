import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { flaws, looks } from "./axe";
import { openStage, type Stage, walkTo } from "./stage";

setDefaultTimeout(900_000);

let stage: Stage;
let paths: string[];
beforeAll(async () => {
  stage = await openStage();
  const start = await (await stage.get("/docs")).text();
  paths = [...new Set([...start.matchAll(/href="(\/docs[^"#]*)"/g)].map(([, path]) => path ?? ""))];
});
afterAll(() => stage.close());

test("axe finds nothing on any page of the documentation, and nothing sticks out, light or dark, wide or narrow", async () => {
  const page = await (await stage.visitor(looks[0])).newPage();
  const found: string[] = [];
  for (const path of paths) {
    await walkTo(page, path);
    found.push(...(await flaws(page)).map((flaw) => `${path}: ${flaw}`));
  }
  expect(paths.length).toBeGreaterThan(10);
  expect([...found, ...stage.complaints]).toEqual([]);
});
