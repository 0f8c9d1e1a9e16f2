import { expect, test } from "bun:test";
import { Pace } from "./pace";

/** A pace with a clock that only the test advances. */
function pace(perSecond = 2) {
  const clock = { time: Date.parse("2026-11-22T12:00:00Z") };
  const now = () => new Date(clock.time);
  const waits = (of: Pace, sender: "outbox" | "broadcasts" = "outbox") => of.nextAt(sender).getTime() - clock.time;
  return { clock, waits, of: new Pace(now, perSecond) };
}

const headers = (limit: number, remaining: number, reset = 1, more: Record<string, string> = {}) =>
  new Headers({
    "ratelimit-limit": `${limit}`,
    "ratelimit-remaining": `${remaining}`,
    "ratelimit-reset": `${reset}`,
    ...more,
  });

/** How many requests a sender makes in that many seconds, trying every 50 ms. */
function requestsIn(seconds: number, { clock, of }: ReturnType<typeof pace>, sender: "outbox" | "broadcasts") {
  let requests = 0;
  for (let i = 0; i < seconds * 20; i++) {
    requests += of.take(100, sender);
    clock.time += 50;
  }
  return requests;
}

test("it starts at two a second", () => {
  const start = pace();
  expect(requestsIn(60, start, "outbox")).toBeWithin(120, 123);
});

test("it follows the provider's limit at 80 %, in whatever window that is counted", () => {
  for (const [limit, more, perSecond] of [
    [10, {}, 8],
    [100, { "ratelimit-policy": "100;w=60" }, 100 / 75],
    [5, { "ratelimit-policy": "5;w=1" }, 4],
  ] as const) {
    const start = pace();
    start.of.learn(headers(limit, limit, 1, more));
    expect(start.of.perSecond).toBeCloseTo(perSecond);
    const requests = requestsIn(60, start, "outbox");
    expect(requests).toBeWithin(Math.floor(60 * perSecond) - 1, Math.ceil(61 * perSecond) + 2);
  }
});

test("what is left of a window is not its length", () => {
  const { of } = pace();
  for (const reset of [60, 30, 1]) of.learn(headers(600, 100, reset));
  expect(of.perSecond).toBeCloseTo(8);
});

test("broadcasts leave one token to the outbox, and are no slower for it", () => {
  const both = pace();
  both.of.learn(headers(100, 100));
  expect(both.of.take(100, "broadcasts")).toBe(19);
  expect([both.of.take(1, "broadcasts"), both.waits(both.of, "broadcasts"), both.waits(both.of)]).toEqual([0, 13, 0]);
  expect(both.of.take(100, "outbox")).toBe(1);
  expect(requestsIn(60, both, "broadcasts")).toBeWithin(4_790, 4_801);
  const slow = pace(0.5);
  expect(requestsIn(60, slow, "broadcasts")).toBeWithin(29, 32);
});

test("after a pause, the burst and what follows stay within the limit per second", () => {
  for (const limit of [10, 100]) {
    const start = pace();
    start.of.learn(headers(limit, limit));
    start.clock.time += 60_000;
    expect(requestsIn(1, start, "outbox")).toBeWithin(limit * 0.9, limit + 1);
  }
});

test("if others use the same account, no request is made once the limit is used up", () => {
  const { of, clock, waits } = pace();
  of.learn(headers(10, 0));
  clock.time += 999;
  expect([of.take(1, "outbox"), waits(of)]).toEqual([0, 1]);
  clock.time += 1;
  expect(of.take(1, "outbox")).toBe(1);
});

test("a 429 rests everyone as long as it says, from a second to 15 minutes, and halves the pace for a minute", () => {
  for (const [retryAfterMs, rests] of [
    [undefined, 1_000],
    [0, 1_000],
    [30_000, 30_000],
    [86_400_000, 900_000],
  ] as const) {
    const { of, clock, waits } = pace();
    of.throttled(retryAfterMs);
    expect([of.take(1, "outbox"), of.take(1, "broadcasts"), waits(of)]).toEqual([0, 0, rests]);
    expect(of.pausedUntil).toEqual(new Date(clock.time + rests));
    clock.time += rests;
    expect([of.take(1, "outbox"), of.pausedUntil]).toEqual([1, undefined]);
  }
  const { of, clock } = pace(10);
  of.throttled();
  of.throttled();
  expect(of.perSecond).toBe(5);
  clock.time += 60_000;
  expect(of.perSecond).toBe(10);
});

test("an outage pauses requests for 5 seconds, doubling to 10 minutes, until there is a response", () => {
  const { of, clock, waits } = pace();
  const rests = Array.from({ length: 9 }, () => {
    of.unavailable();
    const rest = waits(of);
    clock.time += rest;
    return rest / 1000;
  });
  expect(rests).toEqual([5, 10, 20, 40, 80, 160, 320, 600, 600]);
  of.available();
  of.unavailable();
  expect(waits(of)).toBe(5_000);
});

test("a clock that was put back stops nothing", () => {
  const { of, clock } = pace();
  of.throttled(900_000);
  clock.time -= 3_600_000;
  expect([of.pausedUntil, of.take(1, "outbox")]).toEqual([undefined, 1]);
  clock.time += 1_000;
  expect(of.take(100, "outbox")).toBe(2);
});

test("tokens that were not used are there again", () => {
  const { of } = pace();
  expect(of.take(2, "outbox")).toBe(2);
  of.giveBack(1);
  expect(of.take(2, "outbox")).toBe(1);
  of.giveBack(100);
  expect(of.take(100, "outbox")).toBe(2);
});
