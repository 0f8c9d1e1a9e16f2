import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { atMost, inTurn } from "./turns";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const turn = () => new Promise<unknown>((resolve) => process.nextTick(resolve));

/** Work that ends when the test says so. */
function works() {
  const under = new Map<string, PromiseWithResolvers<string>>();
  const begin = (name: string) => () => {
    const work = Promise.withResolvers<string>();
    under.set(name, work);
    return work.promise;
  };
  return {
    begin,
    begun: () => [...under.keys()].join(""),
    end: (name: string) => under.get(name)?.resolve(name),
    under,
  };
}

test("as many run at the same time as may, and the others in their order", async () => {
  const run = atMost(2, 1_000, () => new Error("too late"));
  const { begin, begun, end, under } = works();
  const all = ["a", "b", "c", "d"].map((name) => run(begin(name)));
  await turn();
  expect(begun()).toBe("ab");
  under.get("b")?.reject(new Error("b failed"));
  await expect(all[1]).rejects.toThrow("b failed");
  await turn();
  expect(begun()).toBe("abc");
  for (const name of ["a", "c", "d"]) {
    end(name);
    await turn();
  }
  expect(await Promise.all([all[0], all[2], all[3]])).toEqual(["a", "c", "d"]);
});

test("work that has waited too long is not run, and the next one is", async () => {
  const run = atMost(1, 1_000, () => new Error("too late"));
  const { begin, begun, end } = works();
  const first = run(begin("a"));
  const second = run(begin("b"));
  await turn();
  jest.advanceTimersByTime(600);
  const third = run(begin("c"));
  await turn();
  jest.advanceTimersByTime(600);
  await expect(second).rejects.toThrow("too late");
  end("a");
  await first;
  await turn();
  end("c");
  expect([await third, begun()]).toEqual(["c", "ac"]);
});

test("work for one key runs one at a time, also what comes while the second runs; another key waits for none", async () => {
  const inTurnFor = inTurn();
  const { begin, begun, end } = works();
  const [a, b] = [inTurnFor("key", begin("a")), inTurnFor("key", begin("b"))];
  const other = inTurnFor("other", begin("o"));
  await turn();
  expect(begun()).toBe("ao");
  end("a");
  await a;
  await turn();
  const c = inTurnFor("key", begin("c"));
  await turn();
  expect(begun()).toBe("aob");
  end("b");
  await b;
  await turn();
  expect(begun()).toBe("aobc");
  end("c");
  end("o");
  expect(await Promise.all([c, other])).toEqual(["c", "o"]);
});
