import { expect, test } from "bun:test";
import { cases, factsAfterKills } from "./one-commit";

test.each(Object.keys(cases))(
  "%s: a kill after any commit leaves the change and what follows from it, or neither",
  async (name) => {
    const facts = await factsAfterKills(name);
    for (const [first, ...others] of facts) expect(others).toEqual(others.map(() => first ?? -1));
    expect(facts.at(-1)?.[0]).toBeGreaterThan(0);
  },
  300_000,
);
