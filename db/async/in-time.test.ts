import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { unlessSilent } from "./in-time";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const never = new Promise<string>(() => undefined);
const outcome = (promise: Promise<string>) => promise.catch((error: Error) => error.message);

test("an answer gives all that are pending more time, and silence rejects them all", async () => {
  const answered = unlessSilent(1_000, () => new Error("silent"));
  const { promise, resolve } = Promise.withResolvers<string>();
  const outcomes = [never, promise, never].map((each) => outcome(answered(each)));
  jest.advanceTimersByTime(900);
  resolve("answer");
  expect(await outcomes[1]).toBe("answer");
  await promise;
  jest.advanceTimersByTime(900);
  const late = outcome(answered(Promise.resolve("late")));
  expect(await late).toBe("late");
  jest.advanceTimersByTime(900);
  const last = outcome(answered(never));
  jest.advanceTimersByTime(900);
  expect(await Promise.all([...outcomes, last])).toEqual(["silent", "answer", "silent", "silent"]);
});

test("time without anything pending is no silence", async () => {
  const answered = unlessSilent(1_000, () => new Error("silent"));
  expect(await answered(Promise.resolve("first"))).toBe("first");
  jest.advanceTimersByTime(5_000);
  const { promise, resolve } = Promise.withResolvers<string>();
  const second = outcome(answered(promise));
  jest.advanceTimersByTime(900);
  resolve("second");
  expect(await second).toBe("second");
});
