/**
 * Preloaded by every test. Bun's toMatchObject takes any date for any other, and any map, set or pattern: it compares
 * their own properties, of which they have none. Here they are compared by value.
 */
import { expect } from "bun:test";

type Match = (this: unknown, expected: unknown) => void;
const builtIn = (Object.getPrototypeOf(expect({})) as { toMatchObject: Match }).toMatchObject;

expect.extend({
  toMatchObject(received: unknown, expected: unknown) {
    try {
      builtIn.call(expect(received), expected);
    } catch (problem) {
      return { pass: false, message: () => (problem instanceof Error ? problem.message : String(problem)) };
    }
    const different = differenceIn(received, expected, "it");
    return { pass: different === undefined, message: () => different ?? "It matches" };
  },
});

/** The first value that only looks alike, in words; undefined if there is none. Both have the same shape. */
function differenceIn(received: unknown, expected: unknown, path: string): string | undefined {
  if (typeof expected !== "object" || expected === null || "asymmetricMatch" in expected) return undefined;
  if (expected instanceof Date || expected instanceof Map || expected instanceof Set || expected instanceof RegExp)
    return Bun.deepEquals(received, expected)
      ? undefined
      : `${path} is ${Bun.inspect(received)} instead of ${Bun.inspect(expected)}`;
  const values = new Map(Object.entries(received as object));
  return Object.entries(expected)
    .map(([name, value]) => differenceIn(values.get(name), value, `${path}.${name}`))
    .find((difference) => difference !== undefined);
}
