import { afterEach, expect, test } from "bun:test";
import * as broadcasts from "../../db/broadcasts/broadcasts";
import { page } from "../../db/broadcasts/report/recipients";
import { sendAgain } from "../../db/broadcasts/sending/promote";
import { cancel, pause, resume } from "../../db/broadcasts/states";
import * as subscriberList from "../../db/newsletter/list";
import * as subscribers from "../../db/newsletter/subscribers";
import * as settings from "../../test/support/settings";
import { broadcastStage, by } from "../../test/support/broadcasts/broadcasts";
import { fakeProvider, refusal } from "../../test/support/mail";
import { look, refuse } from "../../test/support/look";

const [second, minute, hour] = [1_000, 60_000, 3_600_000];
const afterwards: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of afterwards.splice(0).reverse()) await stop();
});

type Options = { people?: number; rules?: Parameters<typeof fakeProvider>[0] };
/** People, a provider, and a sender. */
async function post({ people = 250, rules = {} }: Options = {}) {
  const clock = { time: 0 };
  const provider = await fakeProvider({ ...rules, now: () => new Date(clock.time) });
  const stage = await broadcastStage({ people, env: provider.env });
  const sender = stage.sender();
  const tick = () => (clock.time = stage.clock.time);
  tick();
  afterwards.push(
    provider.stop,
    () => stage.db.close(),
    () => sender.close(),
  );
  const later = async (ms: number, by = sender) => {
    stage.clock.time += ms;
    tick();
    await by.drain();
  };
  const doubled = () => [...provider.resend.counts.values()].filter((count) => count > 1).length;
  return { ...stage, provider, sender, another: stage.sender, later, doubled, got: () => provider.resend.counts.size };
}

test("everyone gets it once, in batches of at most a hundred, and the owner is told that it was sent", async () => {
  const { confirmed, sender, provider, broadcast, recipients, got, db } = await post();
  const id = await confirmed();
  await sender.drain();
  expect([got(), provider.attempts.length]).toEqual([250, 250]);
  expect([...new Set(provider.attempts.map(({ key }) => key))].sort()).toEqual(
    [1, 2, 3].map((row) => `b/${id}/${row}/0`),
  );
  expect(await broadcast(id)).toMatchObject({ state: "sent", claimed: 250, accepted: 250, cursor: 250, ceiling: 250 });
  expect(await recipients()).toEqual({ accepted: 250 });
  const last = "select provider_id id from broadcast_recipients where row = 250";
  const [sent] = await look<{ id: Uint8Array }>(db, last);
  expect(Buffer.from(sent?.id ?? []).toString()).toBe(`re_b/${id}/3/0.49`);
  expect(await look(db, "select state, frozen, lease_until from broadcast_batches")).toEqual(
    [1, 2, 3].map(() => ({ state: "accepted", frozen: null, lease_until: null })),
  );
  expect(await look(db, "select kind, recipient, subject_id from outbox")).toEqual([
    { kind: "notice", recipient: "owner@example.com", subject_id: id },
  ]);
});

test("people who leave before their turn get nothing, and people who join later are not included", async () => {
  const { confirmed, sender, provider, db, now, broadcast, got } = await post();
  const id = await confirmed();
  provider.behave = async ({ to }) => {
    if (to[0] !== "p1@example.com") return;
    await subscribers.unsubscribe(db, "p240@example.com", { via: "link" }, now());
    await subscriberList.remove(db, { ids: ["s241"] }, by, now());
    await subscribers.subscribe(db, { email: "late@example.com" }, { via: "form" }, now());
    return undefined;
  };
  await look(db, "update subscribers set pending_at = 1 where row = 7");
  await look(db, "update subscribers set suppressed_at = 1 where row = 8");
  await sender.drain();
  const { claimed, accepted, audience } = await broadcast(id);
  expect([audience, claimed, accepted, got()]).toEqual([250, 246, 246, 246]);
  for (const row of [7, 8, 240, 241]) expect(provider.resend.counts.has(`p${row}@example.com`)).toBe(false);
  expect(provider.resend.counts.has("late@example.com")).toBe(false);
});

test("an unknown outcome is repeated with the same key and bytes, even if someone has left since", async () => {
  const { confirmed, sender, provider, db, later, got, doubled, now } = await post({ people: 100 });
  await confirmed();
  provider.behave = (email) => (provider.deliver(email), "reset");
  await sender.drain();
  const [first] = provider.attempts;
  await subscribers.unsubscribe(db, "p5@example.com", { via: "link" }, now());
  provider.behave = () => undefined;
  await later(5 * second - 1);
  expect(provider.attempts).toHaveLength(100);
  await later(1);
  expect(provider.attempts[100]).toEqual(first as never);
  expect([got(), doubled()]).toEqual([100, 0]);
});

test("a rejection says nothing about an earlier attempt without a response: the batch keeps its key", async () => {
  const { confirmed, sender, provider, later, got, doubled, broadcast, db, now } = await post({ people: 100 });
  const id = await confirmed();
  provider.behave = (email) => (provider.deliver(email), "reset");
  await sender.drain();
  for (const [status, name] of [
    [429, "rate_limit_exceeded"],
    [429, "daily_quota_exceeded"],
    [401, "restricted_api_key"],
  ] as const) {
    provider.behave = () => refusal(status, name);
    await later(hour);
    if ((await broadcast(id)).state === "paused") await resume(db, await broadcast(id), by, now());
  }
  provider.behave = () => undefined;
  await later(13 * hour);
  expect(new Set(provider.attempts.map(({ key }) => key)).size).toBe(1);
  expect([got(), doubled(), (await broadcast(id)).state]).toEqual([100, 0, "sent"]);
});

test("a refused batch gets a new key, and those who have left since are skipped", async () => {
  const { confirmed, sender, provider, db, later, got, broadcast, recipients, now } = await post({ people: 100 });
  const id = await confirmed();
  provider.behave = () => refusal(429, "rate_limit_exceeded", { "retry-after": "7" });
  await sender.drain();
  expect(await broadcast(id)).toMatchObject({ pausedUntil: new Date(now().getTime() + 7 * second), pausedFor: "rate" });
  await subscribers.unsubscribe(db, "p5@example.com", { via: "link" }, now());
  provider.behave = () => undefined;
  await later(7 * second - 1);
  expect(got()).toBe(0);
  await later(2 * second);
  expect([got(), provider.attempts.at(-1)?.key]).toEqual([99, `b/${id}/1/1`]);
  expect(await recipients()).toEqual({ accepted: 99, skipped: 1 });
  expect((await broadcast(id)).state).toBe("sent");
});

test("a batch that is refused for one address is halved until only that one has failed", async () => {
  const { confirmed, sender, broadcast, got, recipients, db } = await post({
    people: 100,
    rules: { refused: /^p37@/ },
  });
  const id = await confirmed();
  await sender.drain();
  expect(await recipients()).toEqual({ accepted: 99, failed: 1 });
  expect([got(), (await broadcast(id)).state]).toEqual([99, "sent"]);
  const row = (await look(db, "select subscriber_row, error from broadcast_recipients where state = 2"))[0];
  expect(row).toEqual({ subscriber_row: 37, error: "422: Refused: validation_error" });
});

test("three addresses refused before anything was accepted mean that the letter is at fault: the broadcast pauses", async () => {
  const { confirmed, sender, provider, broadcast, db } = await post();
  const id = await confirmed();
  provider.behave = () => refusal(422, "validation_error");
  await sender.drain();
  const paused = {
    state: "paused",
    stateReason: "refused",
    stateDetail: "422: Refused: validation_error",
    accepted: 0,
  };
  expect(await broadcast(id)).toMatchObject(paused);
  expect((await broadcast(id)).failed).toBeLessThanOrEqual(6); // including those in flight
  expect(await look(db, "select payload from outbox")).toEqual([{ payload: '{"about":"paused"}' }]);
});

test("a wrong key pauses with the provider's words; resumed, everyone gets it once", async () => {
  const { confirmed, sender, provider, broadcast, got, doubled, db, now } = await post();
  const id = await confirmed();
  provider.behave = () => refusal(401, "restricted_api_key");
  await sender.drain();
  expect(await broadcast(id)).toMatchObject({ state: "paused", stateReason: "credentials", failed: 0 });
  provider.behave = () => undefined;
  await resume(db, await broadcast(id), by, now());
  await sender.drain();
  expect([got(), doubled(), (await broadcast(id)).state]).toEqual([250, 0, "sent"]);
});

test("what is left of a daily quota is used, the rest waits until 00:05 UTC; a monthly one pauses", async () => {
  const { confirmed, sender, provider, broadcast, got, later, clock, doubled } = await post({
    people: 150,
    rules: { perDay: 99 },
  });
  const id = await confirmed();
  await sender.drain();
  expect(got()).toBe(99);
  const midnight = Date.parse("2026-11-22T00:05:00Z");
  expect(await broadcast(id)).toMatchObject({
    pausedFor: "daily-quota",
    pausedUntil: new Date(midnight),
    state: "sending",
  });
  await later(midnight - clock.time - 1);
  expect(got()).toBe(99);
  await later(1);
  expect([got(), doubled(), (await broadcast(id)).state]).toEqual([150, 0, "sent"]);
  const other = await confirmed();
  provider.resend.rules = { ...provider.resend.rules, perMonth: 160 };
  await sender.drain();
  expect(await broadcast(other)).toMatchObject({ state: "paused", stateReason: "quota" });
});

test("a request that is too large is halved, and so are all that follow", async () => {
  const { confirmed, sender, provider, got } = await post({ people: 600 });
  await confirmed({ bytes: 40_000 });
  provider.behave = (_, emails) => (emails.length > 60 ? refusal(413, "too_large") : undefined);
  await sender.drain();
  expect(got()).toBe(600);
  const keys = Map.groupBy(provider.attempts, ({ key }) => key);
  expect([...keys.values()].filter((emails) => emails.length > 60).length).toBeLessThanOrEqual(4); // in flight at the same time
});

test("a large letter goes out in smaller batches: a request has at most 4 MiB", async () => {
  const { confirmed, sender, provider } = await post({ people: 30 });
  await confirmed({ bytes: 400_000 });
  await sender.drain();
  const sizes = [...Map.groupBy(provider.attempts, ({ key }) => key).values()].map(({ length }) => length);
  expect(sizes).toEqual([10, 10, 10]);
});

test("different content under the same key (a restored backup) is uncertain, and sent to no one twice", async () => {
  const { confirmed, sender, provider, recipients, broadcast } = await post({ people: 10 });
  const id = await confirmed();
  provider.behave = () => refusal(409, "invalid_idempotent_request");
  await sender.drain();
  expect(await recipients()).toEqual({ uncertain: 10 });
  expect((await broadcast(id)).state).toBe("sent");
});

test("N2: a provider that is down for 30 hours leaves at most 500 uncertain, all listed; sent again, none is missing", async () => {
  const { confirmed, provider, later, broadcast, got, doubled, recipients, db, now, clock } = await post({
    people: 2_000,
  });
  const id = await confirmed();
  const downUntil = clock.time + 30 * hour;
  provider.behave = () => "reset";
  while (clock.time < downUntil) await later(10 * minute);
  provider.behave = () => undefined;
  for (let i = 0; i < 30; i++) await later(minute);
  const { state, uncertain } = await broadcast(id);
  expect(state).toBe("sent");
  expect(uncertain).toBeGreaterThan(0);
  expect(uncertain).toBeLessThanOrEqual(500);
  expect(await recipients()).toEqual({ accepted: 2_000 - uncertain, uncertain });
  expect(got()).toBe(2_000 - uncertain);
  expect(await sendAgain(db, { seen: await broadcast(id), to: "uncertain" }, by, now())).toMatchObject({
    outcome: "changed",
  });
  await later(0);
  expect([got(), doubled(), (await broadcast(id)).state]).toEqual([2_000, 0, "sent"]);
  expect(await recipients()).toEqual({ accepted: 2_000 });
});

test("after five requests in a row without an answer no other batch is begun until one is answered", async () => {
  const { confirmed, provider, later, broadcast, got } = await post({ people: 1_000 });
  const id = await confirmed();
  provider.behave = () => "reset";
  for (let i = 0; i < 40; i++) await later(second / 2);
  expect((await broadcast(id)).claimed).toBe(500);
  provider.behave = () => undefined;
  for (let i = 0; i < 20; i++) await later(minute);
  expect([got(), (await broadcast(id)).accepted]).toEqual([1_000, 1_000]);
});

test("a batch in doubt is repeated for 23 hours, not longer: the provider forgets its key after 24", async () => {
  const { confirmed, sender, provider, later, recipients, clock, got, doubled } = await post({ people: 1 });
  await confirmed();
  provider.behave = (email) => (provider.deliver(email), "reset");
  await sender.drain();
  provider.behave = () => undefined;
  const started = clock.time;
  await pauseAll();
  await later(23 * hour - 1);
  expect(await recipients()).toEqual({ claimed: 1 });
  await later(1);
  expect(await recipients()).toEqual({ uncertain: 1 });
  await later(2 * hour);
  expect([got(), doubled(), clock.time - started]).toEqual([1, 0, 25 * hour]);

  /** Nothing is repeated during this time: the provider does not respond. */
  async function pauseAll() {
    provider.behave = () => "reset";
  }
});

test("after five unknown outcomes in a row the sender rests, longer each time, and probes with one batch", async () => {
  const { confirmed, sender, provider, later, broadcast, got, doubled, now } = await post({ people: 1_000 });
  const id = await confirmed();
  provider.behave = () => "reset";
  await sender.drain();
  const keys = () => new Set(provider.attempts.map(({ key }) => key)).size;
  for (let i = 0; i < 20; i++) await later(minute);
  expect(keys()).toBeLessThanOrEqual(5);
  expect(await broadcast(id)).toMatchObject({ state: "sending", pausedFor: "unknown" });
  const { pausedUntil } = await broadcast(id);
  expect(pausedUntil?.getTime()).toBeGreaterThan(now().getTime());
  expect(pausedUntil?.getTime()).toBeLessThanOrEqual(now().getTime() + 10 * minute);
  const before = provider.attempts.length;
  await later((pausedUntil?.getTime() ?? 0) - now().getTime());
  expect(provider.attempts.length - before).toBe(100);
  provider.behave = () => undefined;
  await later(10 * minute);
  expect([got(), doubled(), (await broadcast(id)).state]).toEqual([1_000, 0, "sent"]);
});

test("paused, nothing more is sent or repeated; what was in flight is settled. Cancelled, the rest gets nothing", async () => {
  const { confirmed, sender, provider, later, broadcast, db, now, got, recipients } = await post({ people: 450 });
  const id = await confirmed();
  provider.behave = async () => {
    if ((await broadcast(id)).state === "sending") await pause(db, await broadcast(id), by, now());
    return undefined;
  };
  await sender.drain();
  await later(hour);
  const { accepted, claimed } = await broadcast(id);
  expect([claimed, accepted, got()]).toEqual([100, 100, 100]);
  provider.behave = () => "reset";
  await resume(db, await broadcast(id), by, now());
  await later(0);
  const inDoubt = (await broadcast(id)).claimed - 100;
  expect(inDoubt).toBeGreaterThan(0);
  await cancel(db, await broadcast(id), by, now());
  expect(await recipients()).toEqual({ accepted: 100, uncertain: inDoubt });
  provider.behave = () => undefined;
  await later(30 * hour);
  expect([got(), (await broadcast(id)).state]).toEqual([100, "cancelled"]);
});

test("what is in flight when a broadcast is cancelled ends as its response says, and not as uncertain before that", async () => {
  const { confirmed, sender, provider, broadcast, db, now, recipients } = await post({ people: 100 });
  const cancelled = async (response: ReturnType<typeof provider.behave>) => {
    const id = await confirmed();
    provider.behave = async () => {
      if ((await broadcast(id)).state === "sending") await cancel(db, await broadcast(id), by, now());
      return response;
    };
    await sender.drain();
    const { row } = await broadcast(id);
    return (await look<{ state: string }>(db, `select state from broadcast_batches where broadcast_row = ${row}`)).map(
      ({ state }) => state,
    );
  };
  expect(await cancelled(undefined)).toEqual(["accepted"]);
  expect(await cancelled("reset")).toEqual(["uncertain"]);
  expect(await cancelled(refusal(429, "rate_limit_exceeded"))).toEqual(["skipped"]);
  expect(await recipients()).toEqual({ accepted: 100, skipped: 100, uncertain: 100 });
});

test("a repetition that is refused after a cancellation leaves its batch uncertain: the first attempt may have arrived", async () => {
  const { confirmed, sender, provider, broadcast, db, now, later, recipients } = await post({ people: 100 });
  const id = await confirmed();
  provider.behave = () => "reset";
  await sender.drain();
  provider.behave = async () => {
    if ((await broadcast(id)).state === "sending") await cancel(db, await broadcast(id), by, now());
    return refusal(429, "rate_limit_exceeded");
  };
  await later(hour);
  expect([(await broadcast(id)).state, await recipients()]).toEqual(["cancelled", { uncertain: 100 }]);
});

test("broadcasts take turns, a batch each", async () => {
  const { another, confirmed, db, recipients } = await post({ people: 400 });
  await confirmed();
  await confirmed();
  const claimed: number[][] = [];
  // the order of claims, and not of requests: which of two in flight reaches the provider first is chance
  const sender = another(async (point) => {
    if (point !== "before claim") return;
    const rows = await look<{ n: number }>(db, "select count(*) n from broadcast_batches group by broadcast_row");
    claimed.push(rows.map(({ n }) => n));
  });
  afterwards.push(() => sender.close());
  await sender.drain();
  expect(await recipients()).toEqual({ accepted: 800 });
  expect(claimed).toContainEqual([2, 2]);
  expect(claimed.filter(([one = 0, other = 0]) => Math.abs(one - other) > 1)).toEqual([]);
});

test("too many bounces or complaints pause a broadcast; after resuming, those seen by a manager no longer count", async () => {
  const { confirmed, sender, provider, broadcast, db, now, got } = await post({ people: 900 });
  const id = await confirmed();
  provider.behave = async () => {
    await look(
      db,
      "update broadcast_recipients set delivered_at = 1 where state = 1 and row > 10 and delivered_at is null",
    );
    await look(
      db,
      "update broadcast_recipients set bounced_at = 1 where row between 11 and 60 and state = 1 and bounced_at is null",
    );
    return undefined;
  };
  await sender.drain();
  expect(await broadcast(id)).toMatchObject({ state: "paused", stateReason: "bounces" });
  expect(got()).toBeLessThan(900);
  await resume(db, await broadcast(id), by, now());
  await sender.drain();
  expect([got(), (await broadcast(id)).state]).toEqual([900, "sent"]);
});

test("in no hour are more sent than the setting allows, even across restarts", async () => {
  const { confirmed, sender: first, later, got, db, now, broadcast } = await post({ people: 500 });
  const id = await confirmed();
  await settings.set(db, "broadcastEmailsPerHour", "150", { by: "manager@example.com" }, now());
  await first.drain();
  expect([got(), (await broadcast(id)).pausedFor]).toEqual([150, "hourly-limit"]);
  await later(hour - 1);
  expect(got()).toBe(150);
  await later(1);
  expect(got()).toBe(300);
});

test("a segment or letter that cannot be read pauses the broadcast, and harms nothing else", async () => {
  const { confirmed, sender, broadcast, db, got, logged } = await post({ people: 5 });
  const [segment, letter, fine] = [await confirmed(), await confirmed(), await confirmed()];
  await look(db, "update broadcasts set frozen_segment = '{\"tags\":[1]}' where id = ?", [segment]);
  await look(db, "update broadcast_letters set letter = null where broadcast_row = 2");
  await sender.drain();
  expect(await broadcast(segment)).toMatchObject({ state: "paused", stateReason: "segment" });
  expect(await broadcast(letter)).toMatchObject({ state: "paused", stateReason: "letter" });
  expect([got(), (await broadcast(fine)).state]).toEqual([5, "sent"]);
  expect(logged.filter(({ level }) => level === "error")).toEqual([]);
});

test("without a provider recipients are simulated, with one log line per batch and no address in it", async () => {
  const stage = await broadcastStage({ people: 130 });
  afterwards.push(() => stage.db.close());
  const id = await stage.confirmed();
  await stage.sender().drain();
  expect(await stage.broadcast(id)).toMatchObject({ state: "sent", simulated: 130, accepted: 0 });
  const lines = stage.logged
    .filter(({ event }) => event === "broadcast simulated")
    .sort((a, b) => Number(a.batch) - Number(b.batch));
  expect(lines).toMatchObject([
    { id, batch: 1, count: 100 },
    { id, batch: 2, count: 30 },
  ]);
  expect(JSON.stringify(stage.logged)).not.toContain("@example.com");
});

for (const point of ["before claim", "after claim", "after send"] as const)
  test(`a process that dies ${point} loses no one and sends no one twice`, async () => {
    const { confirmed, later, got, doubled, broadcast, recipients, another } = await post({ people: 250 });
    const id = await confirmed();
    let reached = 0;
    const died = Promise.withResolvers<void>();
    const dying = another((at) => {
      if (at !== point && reached < 2) return;
      if (++reached < 2) return;
      died.resolve();
      return new Promise<never>(() => undefined);
    });
    void dying.drain();
    await died.promise;
    const next = another(undefined, true); // knows that it is the only one, and need not wait for the lease
    await later(0, next);
    await later(hour, next);
    expect([got(), doubled(), (await broadcast(id)).state]).toEqual([250, 0, "sent"]);
    expect(await recipients()).toEqual({ accepted: 250 });
  });

test("a process that cannot know whether it is alone waits for the lease of the one that died", async () => {
  const { confirmed, later, got, another } = await post({ people: 100 });
  await confirmed();
  const died = Promise.withResolvers<void>();
  const dying = another((at) => {
    if (at !== "after claim") return;
    void dying.close(); // the dead look no more: they would take the batch again, or use the pace that both share here
    died.resolve();
    return new Promise<never>(() => undefined);
  });
  void dying.drain();
  await died.promise;
  await later(90 * second - 1);
  expect(got()).toBe(0);
  await later(1);
  expect(got()).toBe(100);
});

test("what a process had in flight that died, and whose broadcast was cancelled, ends when the lease is over", async () => {
  const { confirmed, later, got, another, broadcast, db, now, recipients } = await post({ people: 100 });
  const id = await confirmed();
  const died = Promise.withResolvers<void>();
  const dying = another((at) => {
    if (at !== "after claim") return;
    void dying.close();
    died.resolve();
    return new Promise<never>(() => undefined);
  });
  void dying.drain();
  await died.promise;
  await cancel(db, await broadcast(id), by, now());
  await later(90 * second - 1);
  expect(await recipients()).not.toEqual({ uncertain: 100 });
  await later(1);
  expect([got(), await recipients()]).toEqual([0, { uncertain: 100 }]); // nobody knows whether it had begun
});

test("a process that resumes after its lease changes nothing about an attempt that another has made since", async () => {
  const { confirmed, provider, later, got, doubled, broadcast, another } = await post({ people: 100 });
  const id = await confirmed();
  provider.behave = () => refusal(429, "rate_limit_exceeded");
  const [sent, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const paused = another((at) => (at === "after send" ? (sent.resolve(), resumed.promise) : undefined));
  const draining = paused.drain();
  await sent.promise;
  provider.behave = (email) => (provider.deliver(email), "reset");
  await later(2 * minute);
  provider.behave = () => undefined;
  resumed.resolve();
  await draining;
  await later(hour);
  expect(new Set(provider.attempts.map(({ key }) => key))).toEqual(new Set([`b/${id}/1/0`]));
  expect([got(), doubled(), (await broadcast(id)).state]).toEqual([100, 0, "sent"]);
});

test("a response that comes after its batch became uncertain is a fact: all of it is accepted", async () => {
  const { confirmed, later, got, doubled, recipients, another, db } = await post({ people: 100 });
  await confirmed();
  const [sent, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const paused = another((at) => (at === "after send" ? (sent.resolve(), resumed.promise) : undefined));
  const draining = paused.drain();
  await sent.promise;
  await later(24 * hour); // the provider has forgotten the key, so no one may repeat it
  expect(await recipients()).toEqual({ uncertain: 100 });
  resumed.resolve();
  await draining;
  expect(await recipients()).toEqual({ accepted: 100 });
  expect(await look(db, "select state, frozen from broadcast_batches")).toEqual([{ state: "accepted", frozen: null }]);
  expect([got(), doubled()]).toEqual([100, 0]);
});

test("whoever leaves while their batch waits stays in the list of recipients, also as its first or last", async () => {
  const { confirmed, sender, provider, later, recipients, broadcast, db, now } = await post({ people: 4 });
  const id = await confirmed();
  provider.behave = () => refusal(429, "rate_limit_exceeded");
  await sender.drain();
  for (const row of [1, 4]) await subscribers.unsubscribe(db, `p${row}@example.com`, { via: "link" }, now());
  provider.behave = () => undefined;
  await later(minute);
  expect(await recipients()).toEqual({ accepted: 2, skipped: 2 });
  const { rows } = await page(db, await broadcast(id), {}, { after: 0, size: 10 });
  expect(rows.map(({ email }) => email)).toEqual([1, 2, 3, 4].map((row) => `p${row}@example.com`));
});

test("of two simultaneous senders one claims each batch", async () => {
  const { confirmed, got, doubled, broadcast, db, sender, another } = await post({ people: 2_000 });
  const id = await confirmed();
  await Promise.all([sender.drain(), another().drain(), another().drain()]);
  await sender.drain();
  expect([got(), doubled(), (await broadcast(id)).state, (await broadcast(id)).claimed]).toEqual([
    2_000,
    0,
    "sent",
    2_000,
  ]);
  expect((await broadcasts.byId(db, id))?.accepted).toBe(2_000);
});

test("a time in the hour that summer time repeats or skips is the moment that its zone says, to the millisecond", async () => {
  const { confirmed, later, got, broadcast, clock } = await post({ people: 3 });
  const moments = ["2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00", "2027-03-28T03:00:00+02:00"];
  for (const [i, moment] of moments.entries()) {
    const id = await confirmed({ at: new Date(moment) });
    await later(Date.parse(moment) - clock.time - 1);
    expect([(await broadcast(id)).state, got()]).toEqual(["scheduled", i ? 3 : 0]);
    await later(1);
    expect((await broadcast(id)).startedAt).toEqual(new Date(moment));
    expect((await broadcast(id)).state).toBe("sent");
  }
});

test("a clock that is put back sends no one anything twice", async () => {
  const { confirmed, sender, provider, later, got, doubled, broadcast } = await post({ people: 250 });
  const id = await confirmed();
  provider.behave = (email, emails) =>
    emails.some(({ to }) => to[0] === "p1@example.com") ? (provider.deliver(email), "reset") : undefined;
  await sender.drain();
  provider.behave = () => undefined;
  await later(-2 * hour);
  await later(3 * hour);
  expect([got(), doubled(), (await broadcast(id)).state]).toEqual([250, 0, "sent"]);
});

test("a process that dies while it splits a batch loses no one: the split is one commit", async () => {
  const { confirmed, sender, db, later, got, doubled, broadcast } = await post({
    people: 40,
    rules: { refused: /^p7@/ },
  });
  const id = await confirmed();
  const mend = await refuse(db, "insert", "broadcast_batches");
  await sender.drain(); // nothing can be claimed
  await mend();
  let splits = 0;
  const broken = await refuse(db, "update", "broadcast_recipients");
  await sender.drain(); // claimed and refused, but the split is rolled back with it
  splits = (await look(db, "select 1 from broadcast_batches where state = 'split'")).length;
  await broken();
  expect([splits, got()]).toEqual([0, 0]);
  await later(2 * minute);
  await later(hour);
  expect([got(), doubled(), (await broadcast(id)).failed, (await broadcast(id)).state]).toEqual([39, 0, 1, "sent"]);
});
