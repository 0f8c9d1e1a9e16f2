import { afterEach, expect, test } from "bun:test";
import { recentlyReached } from "../../db/limits/hourly-limits";
import * as subscriberList from "../../db/newsletter/list";
import * as outboxList from "../../db/mail/list";
import { claim } from "../../db/mail/claim";
import * as outbox from "../../db/mail/outbox";
import * as settings from "../../test/support/settings";
import { fakeProvider, refusal } from "../../test/support/mail";
import { testService } from "../../test/support/service";
import { startWorker } from "../../test/support/outbox";

const hour = 3_600_000;
const afterwards: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of afterwards.splice(0).reverse()) await stop();
});

/** A service with a provider, and a worker that sends only when told to. */
async function mailroom(limit?: string) {
  const provider = await fakeProvider();
  const service = await testService(provider.env);
  const { db, now, clock } = service;
  const limitTo = (value: string) =>
    settings.set(db, "emailsToStrangersPerHour", value, { by: "manager@example.com" }, now());
  if (limit) await limitTo(limit);
  const worker = startWorker(service, { everyMs: 1e9 });
  afterwards.push(provider.stop, worker.close);
  let people = 0;
  const subscribe = async (n: number) => {
    for (; n > 0; n -= 100) {
      const answers = await Promise.all(
        Array.from({ length: Math.min(n, 100) }, () =>
          service.post("/api/newsletter/subscribe", { email: `p${people++}@example.com` }),
        ),
      );
      expect([...new Set(answers.map(({ status }) => status))]).toEqual([201]);
    }
  };
  const write = () =>
    service.post("/api/contact", { name: "Hana", email: "hana@example.com", message: "May I ask you something?" });
  const recipients = () => new Set(provider.delivered().map(({ to }) => String(to)));
  const later = async (milliseconds: number) => {
    clock.time += milliseconds;
    await worker.drain();
    return recipients().size;
  };
  const count = async (state: outbox.Mail["state"]) => (await outboxList.counts(db))[state];
  return { ...service, provider, worker, limitTo, subscribe, write, recipients, later, count };
}

test("in any hour 300 welcome emails are sent; the others wait, and all of them are sent in the end", async () => {
  const { subscribe, later, count, db, now, signIn } = await mailroom();
  const manager = await signIn();
  await subscribe(310);
  expect([await later(0), await count("queued")]).toEqual([300, 10]);
  expect(await recentlyReached(db, hour, now())).toMatchObject([{ limit: "emailsToStrangersPerHour", max: 300 }]);
  const overview = async () => (await (await manager.get("/dashboard")).text()).replace(/<[^>]+>/g, "");
  expect(await overview()).toMatch(
    /The limit of 300 emails to new subscribers an hour was reached just now\. 10 emails are waiting for the limit\./,
  );
  const waiting = await (await manager.get("/dashboard/outbox?state=queued")).text();
  expect(waiting.split("Waiting for the hourly limit")).toHaveLength(11);
  const [, id] = /id="open-([^"]+)"/.exec(waiting) ?? [];
  expect(await (await manager.get(`/dashboard/outbox/${id}`)).text()).toContain("As soon as the hourly limit allows.");
  expect([await later(hour - 1), await later(1), await count("queued")]).toEqual([300, 310, 0]);
  expect(await overview()).toContain("No emails are waiting for it.");
});

test("the limit was reached when its last turn was taken, whatever is sent while others wait", async () => {
  const { subscribe, write, later, recipients, db, now } = await mailroom("2");
  await subscribe(3);
  await later(0);
  const reachedAt = now();
  await write(); // the owner's email takes no turn
  expect([await later(hour / 2), recipients().size]).toEqual([3, 3]);
  expect(await recentlyReached(db, hour, now())).toMatchObject([{ reachedAt }]);
});

test("emails to the owner and to managers never wait behind them", async () => {
  const { subscribe, write, later, recipients, signIn } = await mailroom("2");
  await subscribe(5);
  expect(await later(0)).toBe(2);
  await write();
  await (await signIn({ email: "bo@example.com" })).submit("/dashboard/settings/test-mail");
  expect(await later(0)).toBe(4);
  expect([...recipients()].slice(2).sort()).toEqual(["bo@example.com", "owner@example.com"]);
});

test("those who waited longest are first, and no clock's hour is special", async () => {
  const { subscribe, later, recipients } = await mailroom("3");
  await subscribe(2);
  expect(await later(0)).toBe(2);
  await subscribe(4);
  expect(await later(50 * 60_000)).toBe(3);
  expect(await later(10 * 60_000)).toBe(5);
  expect(await later(50 * 60_000)).toBe(6);
  expect([...recipients()].sort()).toEqual([0, 1, 2, 3, 4, 5].map((n) => `p${n}@example.com`));
});

test("several workers together send as many as one, including those of a dead one", async () => {
  const { db, now, subscribe } = await mailroom("25");
  await subscribe(100);
  const claims = await Promise.all(Array.from({ length: 20 }, () => claim(db, 10, now())));
  expect(claims.flat()).toHaveLength(25);
  expect(await claim(db, 10, new Date(now().getTime() + hour - 60_001))).toHaveLength(10); // leases: these had their turn
  expect(await claim(db, 100, new Date(now().getTime() + hour - 60_001))).toHaveLength(15);
  expect(await claim(db, 100, new Date(now().getTime() + hour - 60_001))).toEqual([]);
});

test("what fails is sent again within the hour without another turn; an outage of hours does not add up", async () => {
  const { provider, subscribe, later, recipients, count } = await mailroom("3");
  provider.behave = () => refusal(503, "internal_server_error");
  await subscribe(9);
  for (let minutes = 0; minutes < 300; minutes += 1) await later(60_000);
  expect(recipients().size).toBe(0);
  provider.behave = () => undefined;
  const perHour: number[] = [];
  for (let hours = 0, before = 0; hours < 12; hours++) {
    for (let minutes = 0; minutes < 60; minutes++) await later(60_000);
    perHour.push(recipients().size - before);
    before = recipients().size;
  }
  expect(Math.max(...perHour)).toBeLessThanOrEqual(3);
  expect([recipients().size, await count("queued"), await count("dead")]).toEqual([9, 0, 0]);
});

test("those that no one wants any more take no turn from the others", async () => {
  const { db, now, subscribe, later, count } = await mailroom("2");
  for (let i = 0; i < 40; i++) await subscribe(1); // in this order
  expect(await later(0)).toBe(2);
  await subscriberList.remove(db, { matching: { q: "p1" } }, { actor: "cli", address: null }, now()); // 1 and 10 to 19
  await subscriberList.remove(db, { matching: { q: "p2" } }, { actor: "cli", address: null }, now());
  expect([await later(hour), await count("cancelled")]).toEqual([4, 1]); // 3 and 4, after 2
  expect([await later(hour), await later(hour), await later(hour)]).toEqual([6, 8, 10]);
  expect([await later(hour), await count("cancelled")]).toEqual([12, 21]); // 30 and 31, after all of 10 to 29
});

test("one that a manager sends again waits its turn like the others", async () => {
  const { db, subscribe, later, signIn, provider } = await mailroom("1");
  const manager = await signIn();
  provider.behave = () => refusal(422, "validation_error");
  await subscribe(1);
  await later(0);
  provider.behave = () => undefined;
  await subscribe(1);
  expect(await later(hour)).toBe(1);
  await manager.submit("/dashboard/outbox/bulk", { do: "retry", all: "matching", filter: "state=dead" });
  expect(await later(0)).toBe(1);
  expect(await later(hour)).toBe(2);
  expect((await outboxList.counts(db)).sent).toBe(2);
});

test("0 turns the limit off; another value applies from the next email on", async () => {
  const { subscribe, later, limitTo } = await mailroom("0");
  await subscribe(320);
  expect(await later(0)).toBe(320);
  await limitTo("321");
  await subscribe(5);
  expect(await later(0)).toBe(321);
  await limitTo("");
  expect(await later(0)).toBe(321);
  await limitTo("0");
  expect(await later(0)).toBe(325);
});

test("waiting for the limit is not a fault of the service; a worker that has stopped is", async () => {
  const { subscribe, later, get, clock, logged } = await mailroom("2");
  const mail = async () => ((await (await get("/readyz")).json()) as { checks: { mail: { ok: boolean } } }).checks.mail;
  await subscribe(9);
  await later(0);
  for (let hours = 0; hours < 3; hours++) {
    await later(hour);
    clock.time += 59 * 60_000;
    expect(await mail()).toEqual({ ok: true });
    clock.time -= 59 * 60_000;
  }
  clock.time += 2 * hour;
  expect(await mail()).toMatchObject({ ok: false });
  expect(logged.filter(({ level }) => level === "error")).toEqual([]);
});
