import { afterEach, expect, test } from "bun:test";
import { sendAgain } from "../../db/broadcasts/sending/promote";
import * as settings from "../../test/support/settings";
import { broadcastStage, by } from "../../test/support/broadcasts/broadcasts";
import { look } from "../../test/support/look";
import { fakeProvider, refusal } from "../../test/support/mail";

/* In no 60 minutes are more attempted than `broadcastEmailsPerHour`, whatever makes a batch due. */

const [minute, hour] = [60_000, 3_600_000];
const afterwards: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of afterwards.splice(0).reverse()) await stop();
});

async function post(people: number) {
  const clock = { time: 0 };
  const provider = await fakeProvider({ now: () => new Date(clock.time) });
  const stage = await broadcastStage({ people, env: provider.env });
  const sender = stage.sender();
  clock.time = stage.clock.time;
  afterwards.push(
    provider.stop,
    () => stage.db.close(),
    () => sender.close(),
  );
  const later = async (ms: number) => {
    clock.time = stage.clock.time += ms;
    await sender.drain();
  };
  const limitTo = (max: number) =>
    settings.set(stage.db, "broadcastEmailsPerHour", String(max), { by: "manager@example.com" }, stage.now());
  return { ...stage, provider, sender, later, limitTo, got: () => provider.delivered().length };
}

test("sending again waits for the limit, like everything else", async () => {
  const { confirmed, sender, db, limitTo, later, got, broadcast, now } = await post(250);
  const id = await confirmed();
  await sender.drain();
  await look(db, "update broadcast_recipients set state = 3");
  await limitTo(100);
  await later(2 * hour);
  await sendAgain(db, { seen: await broadcast(id), to: "uncertain" }, by, now());
  await sender.drain();
  expect([got() - 250, (await broadcast(id)).pausedFor]).toEqual([100, "hourly-limit"]);
  await later(hour - 1);
  expect(got() - 250).toBe(100);
  await later(1);
  expect(got() - 250).toBe(200);
  await later(hour);
  expect([got() - 250, (await broadcast(id)).state]).toEqual([250, "sent"]);
});

test("what was sent just before it was sent again counts", async () => {
  const { confirmed, sender, db, limitTo, later, got, broadcast, now } = await post(80);
  const id = await confirmed();
  await limitTo(100);
  await sender.drain();
  await look(db, "update broadcast_recipients set state = 3");
  await sendAgain(db, { seen: await broadcast(id), to: "uncertain" }, by, now());
  await sender.drain();
  expect(got()).toBe(100);
  await later(hour);
  expect(got()).toBe(160);
});

test("a batch that rested for an hour needs a place of its own", async () => {
  const { confirmed, provider, sender, limitTo, later, got } = await post(300);
  await confirmed();
  await limitTo(100);
  provider.behave = () => refusal(429, "rate_limit_exceeded", { "retry-after": "3900" });
  await sender.drain();
  provider.behave = () => undefined;
  expect(got()).toBe(0);
  await later(65 * minute);
  await later(minute);
  expect(got()).toBe(100);
  await later(59 * minute);
  expect(got()).toBe(200);
});

test("within the hour it counts as the same emails", async () => {
  const { confirmed, provider, sender, limitTo, later, got } = await post(300);
  await confirmed();
  await limitTo(100);
  provider.behave = () => refusal(429, "rate_limit_exceeded", { "retry-after": "600" });
  await sender.drain();
  provider.behave = () => undefined;
  await later(10 * minute);
  expect(got()).toBe(100);
  await later(50 * minute); // since the first attempt, but not since the last
  expect(got()).toBe(100);
  await later(10 * minute);
  expect(got()).toBe(200);
});

test("of a batch above the limit the part that fits is sent; one in doubt goes as it was, when nothing else counts", async () => {
  const { confirmed, provider, sender, limitTo, later, got } = await post(160);
  await confirmed();
  const refused = refusal(429, "rate_limit_exceeded", { "retry-after": "7200" });
  provider.behave = () => (provider.attempts.length === 100 ? "reset" : refused);
  await sender.drain();
  await later(1_000);
  expect(provider.attempts.length).toBe(160);
  await limitTo(30);
  provider.behave = () => undefined;
  const counts: number[] = [];
  for (let hours = 0; hours < 6; hours++) {
    await later(hours ? hour : 2 * hour + minute);
    counts.push(got());
  }
  expect(counts.at(-1)).toBe(160);
  const added = counts.map((count, i) => count - (counts[i - 1] ?? 0));
  expect(added.filter((n) => n > 30)).toEqual([100]); // at once, under its key
});
