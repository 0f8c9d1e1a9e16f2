import { expect, test } from "bun:test";
import { SharedWindows } from "../../src/security/limits/open";
import { limits } from "../../src/security/limits/limits";
import { openDb } from "../../db/open";

/** The same database opened twice, as by two processes. */
const [one, two] = [new SharedWindows(await openDb("limits")), new SharedWindows(await openDb("limits"))];
const at = 1_800_000_000_000;

test("of 200 attempts of one client at two processes exactly five are admitted", async () => {
  const verdicts = await Promise.all(
    Array.from({ length: 200 }, (_, i) => (i % 2 ? one : two).take(limits.subscribe, "a", at + i)),
  );
  expect(verdicts.filter(({ admitted }) => admitted)).toHaveLength(5);
  expect(await two.take(limits.subscribe, "a", at + 599_000)).toMatchObject({ admitted: false, remaining: 0 });
  expect(await two.take(limits.subscribe, "a", at + 601_000)).toMatchObject({ admitted: true });
});

test("an attempt given back is free for the other process", async () => {
  for (let i = 0; i < 5; i++) await one.take(limits.signIn, "b", at);
  expect(await two.take(limits.signIn, "b", at)).toMatchObject({ admitted: false });
  await one.giveBack(limits.signIn, "b");
  expect(await two.take(limits.signIn, "b", at)).toMatchObject({ admitted: true });
});

test("a key's quota is never exceeded by two processes, and at most a block is lost to each other", async () => {
  const ask = (windows: SharedWindows, time: number) => windows.takeFromBlock(limits.key, "key", time);
  let admitted = 0;
  for (let round = 0; round < 60; round++) {
    const verdicts = await Promise.all(Array.from({ length: 20 }, (_, i) => ask(i % 2 ? one : two, at + round)));
    admitted += verdicts.filter((verdict) => verdict.admitted).length;
  }
  expect(admitted).toBeLessThanOrEqual(600);
  expect(admitted).toBeGreaterThanOrEqual(575);
  expect((await ask(one, at + 59_000)).admitted).toBe(false); // nor is what was left unused in a block
  expect((await ask(one, at + 66_000)).admitted).toBe(true);
});

test("what a process took and did not use is available to others: infrequent clients are never refused", async () => {
  const ask = (windows: SharedWindows, time: number) => windows.takeFromBlock(limits.key, "rare", time);
  for (let time = at; time < at + 180_000; time += 5_100)
    for (const windows of [one, two]) expect(await ask(windows, time)).toMatchObject({ admitted: true });
});

test("requests that come together take one block, not one each", async () => {
  const verdicts = await Promise.all(Array.from({ length: 24 }, () => one.takeFromBlock(limits.key, "page", at)));
  expect(verdicts.every(({ admitted }) => admitted)).toBe(true);
  expect(await two.takeFromBlock(limits.key, "page", at)).toMatchObject({ admitted: true });
  let admitted = 25;
  while ((await two.takeFromBlock(limits.key, "page", at + 1)).admitted) admitted++;
  expect(admitted).toBe(599); // one is in the first process's block
  expect(await one.takeFromBlock(limits.key, "page", at + 1)).toMatchObject({ admitted: true });
});

test("a clock that was ahead blocks no one", async () => {
  for (let i = 0; i < 5; i++) await one.take(limits.contact, "c", at + 86_400_000);
  expect(await two.take(limits.contact, "c", at)).toMatchObject({ admitted: true, remaining: 4 });
});

test("a block of one limit is none of another, whoever the client is", async () => {
  await one.takeFromBlock(limits.key, "both", at);
  for (let i = 0; i < 100; i++) await one.takeFromBlock(limits.visitorViews, "both", at);
  const { remaining } = await one.takeFromBlock(limits.key, "both", at + 1);
  expect(remaining).toBe(limits.key.max - 2);
});
