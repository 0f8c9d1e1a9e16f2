import { expect, test } from "bun:test";
import { smtpSink } from "../../../test/support/providers/smtp";
import { Pace } from "../pace";
import type { Email } from "../provider";
import { openSmtp, Pool } from "./smtp";

/** A provider with a pool of five connections, and a server that may allow fewer. */
async function smtp(options: Parameters<typeof smtpSink>[0] = {}) {
  const sink = await smtpSink(options);
  const clock = { time: Date.parse("2026-11-23T12:00:00Z") };
  const pace = new Pace(() => new Date(clock.time), 1e9);
  const provider = openSmtp({ server: { host: "127.0.0.1", port: sink.port, tls: "none", pool: 5 }, pace });
  const email = (n: number): Email => ({
    ...{ from: "ada@x.example", to: `r${n}@example.com`, subject: "News", html: "News", text: "News", headers: {} },
  });
  const send = (count: number) =>
    Promise.all(Array.from({ length: count }, (_, n) => provider.send(email(n), "").then(({ kind }) => kind)));
  return { sink, clock, pace, send, stop: () => Promise.all([provider.close(), sink.stop()]) };
}

test("a server that allows three of five connections gets everything over three, and nothing rests", async () => {
  const { sink, pace, send, stop } = await smtp({ server: { maxClients: 3 } });
  expect(new Set(await send(100))).toEqual(new Set(["accepted"]));
  expect([sink.messages.length, pace.pausedUntil]).toEqual([100, undefined]);
  expect([...sink.counts.values()].every((count) => count === 1)).toBe(true);
  await stop();
});

test("concurrent connections exceeded after the message (432, Exchange) make the pool smaller too", async () => {
  const { sink, pace, send, stop } = await smtp();
  let inWork = 0;
  sink.behave = (command) => {
    if (command === "MAIL") inWork++;
    if (command !== "DATA" && command !== "ACCEPTED") return;
    if (command === "DATA" && inWork <= 2) return;
    inWork--;
    return command === "DATA" ? { code: 432, text: "4.3.2 STOREDRV; concurrent connections exceeded" } : undefined;
  };
  expect(new Set(await send(60))).toEqual(new Set(["accepted"]));
  expect([sink.messages.length, pace.pausedUntil]).toEqual([60, undefined]);
  await stop();
});

test("a server that rejects the only connection rests everyone", async () => {
  const { sink, pace, send, stop } = await smtp();
  sink.behave = (command) => (command === "CONNECT" ? { code: 421, text: "4.3.2 Shutting down" } : undefined);
  expect(await send(5)).toEqual(Array(5).fill("refused"));
  expect(pace.pausedUntil).toBeDefined();
  await stop();
});

test("the pool grows again by one after a minute, and later each time that was too much", async () => {
  const clock = { time: 1e12 };
  const pool = new Pool(5, () => new Date(clock.time));
  /** Five enter while the server allows three. Returns how many got in before it rejected any. */
  const fill = async () => {
    let used = 0;
    for (let n = 0; n < 5; n++) void pool.enter().then(() => used++);
    await Promise.resolve();
    const first = used;
    let left = 0;
    for (; used - left > 3; left++) {
      expect(pool.crowded()).toBe(true);
      pool.leave();
      await Promise.resolve();
    }
    for (; left < 5; left++) {
      pool.leave();
      await Promise.resolve();
    }
    return first;
  };
  const got: number[] = [];
  for (const seconds of [0, 59, 1, 60, 60, 119, 121, 239, 241]) {
    clock.time += seconds * 1_000;
    got.push(await fill());
  }
  expect(got[0]).toBe(5);
  expect(got.slice(1)).toEqual([3, 4, 3, 4, 3, 4, 3, 4]);
});

test("a pool that was rejected with its last connection was not too large", async () => {
  const pool = new Pool(2, () => new Date());
  await Promise.all([pool.enter(), pool.enter()]);
  expect(pool.crowded()).toBe(true);
  pool.leave();
  expect(pool.crowded()).toBe(false);
  pool.leave();
  await Promise.all([pool.enter(), pool.enter()]);
});
