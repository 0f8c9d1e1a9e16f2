import { expect, setDefaultTimeout, test } from "bun:test";
import { tortureTogether } from "./together";
import { testTimeoutMs } from "../support/within";

setDefaultTimeout(testTimeoutMs);

test("a post and its newsletter go out together or not at all, wherever the process is killed", async () => {
  const { kills, apart } = await tortureTogether({ posts: 5, lifeMs: 400 });
  expect(apart).toBe(0);
  expect(kills).toBeGreaterThanOrEqual(1);
});
