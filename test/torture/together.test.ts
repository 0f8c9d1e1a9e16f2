import { expect, test } from "bun:test";
import { tortureTogether } from "./together";

test("a post and its newsletter go out together or not at all, wherever the process is killed", async () => {
  const { kills, apart } = await tortureTogether({ posts: 5, lifeMs: 400 });
  expect(apart).toBe(0);
  expect(kills).toBeGreaterThanOrEqual(1);
}, 300_000);
