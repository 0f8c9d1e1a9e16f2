import { expect, test } from "bun:test";
import { within } from "./within";

test("what does not come is named, and what does is returned", async () => {
  const never = Promise.withResolvers<string>().promise;
  await expect(within(never, "the answer", 1)).rejects.toThrow("Not after 1 ms: the answer");
  expect(await within(Promise.resolve("come"), "the answer")).toBe("come");
  await expect(within(Promise.reject(new Error("Lost")), "the answer")).rejects.toThrow("Lost");
});
