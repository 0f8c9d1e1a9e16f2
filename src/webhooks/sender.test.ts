import { afterEach, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import * as submissions from "../../db/contact/submissions";
import * as contactBulk from "../../db/contact/list";
import { list as outboxList } from "../../db/mail/list";
import * as subscriberList from "../../db/newsletter/list";
import * as subscribers from "../../db/newsletter/subscribers";
import * as bulk from "../../db/posts/bulk";
import { save } from "../../db/posts/posts";
import { save as saveProject } from "../../db/projects/projects";
import { deleteOld, list, redeliver, redeliverFailed } from "../../db/webhooks/deliveries";
import * as endpoints from "../../db/webhooks/endpoints";
import { look } from "../../test/support/look";
import { testService } from "../../test/support/service";
import { webhookReceiver } from "../../test/support/webhooks";
import { compose } from "../emails/compose";
import { makeSecret } from "./secrets";
import { WebhookSender } from "./sender";

const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000];
const by = { actor: "ada@example.com" };
const via = { via: "form" as const };
const afterwards: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of afterwards.splice(0).reverse()) await stop();
});

type Fields = Partial<endpoints.EndpointFields>;

/** A service, a receiver with one endpoint, and a sender. */
async function stage(fields: Fields = {}) {
  const receiver = webhookReceiver({ now: () => service.now() });
  const service = await testService(receiver.env);
  const { config, db, now } = service;
  const add = async (more: Fields, to = receiver) => {
    const { secret, sealed } = makeSecret(config);
    to.secrets.push(secret);
    const whole = { name: "Blog", url: to.url, events: [], withPeople: false, ...more };
    const endpoint = await endpoints.add(db, { fields: whole, secret: sealed }, by, now());
    if (!endpoint) throw new Error("There are too many");
    return endpoint;
  };
  const endpoint = await add(fields);
  const sender = new WebhookSender(service, { random: () => 0.5 });
  afterwards.push(
    () => receiver.stop(),
    () => db.close(),
    () => sender.close(),
  );
  const later = async (ms: number) => {
    service.clock.time += ms;
    await sender.drain();
  };
  const subscribe = (email: string) => subscribers.subscribe(db, { email, name: "Ada" }, via, now());
  const deliveries = async () => (await list(db, { endpointId: endpoint.id }, { page: 1, per: 100 })).rows;
  const current = async () => endpoints.byId(db, endpoint.id);
  return { ...service, add, current, endpoint, later, deliveries, receiver, sender, subscribe };
}

test("what is sent passes the reference implementation, and contains nothing but the ID", async () => {
  const { receiver, sender, subscribe, clock, deliveries } = await stage();
  clock.time = Date.now(); // because the reference implementation uses it
  await subscribe("ada@example.com");
  await sender.drain();
  const [arrival] = receiver.accepted;
  const verified = new Webhook(receiver.secrets[0] ?? "").verify(arrival?.body ?? "", arrival?.headers ?? {});
  expect(verified).toMatchObject({ type: "subscriber.subscribed", timestamp: new Date(clock.time).toISOString() });
  expect(Object.keys(arrival?.data ?? {}).sort()).toEqual(["id", "source", "via"]);
  expect(arrival?.headers).toMatchObject({ "user-agent": "Postroom", "content-type": "application/json" });
  const [row] = await deliveries();
  expect(row).toMatchObject({ id: arrival?.id, state: "delivered", status: 200, attempts: 1, leaseUntil: null });
});

test("an endpoint gets the event types it chose, and personal data only if allowed", async () => {
  const { add, receiver, sender, subscribe, db, now } = await stage({ events: ["message.received"] });
  await add({
    name: "Sheet",
    withPeople: true,
    events: ["subscriber.subscribed", "subscriber.deleted", "message.received"],
  });
  const made = await subscribe("ada@example.com");
  const id = "subscriber" in made ? made.subscriber.id : "";
  await submissions.submit(
    db,
    { name: "Eve", email: "eve@example.com", message: "é".repeat(5_000), source: "blog" },
    {},
    now(),
  );
  await submissions.submit(
    db,
    { name: "Bot", email: "b@example.com", message: "x", source: "blog" },
    { spamReason: "trap" },
    now(),
  );
  await subscriberList.remove(db, { ids: [id] }, by, now());
  await sender.drain();
  const types = receiver.accepted.map(({ type, data }) => `${type} ${data.email ?? ""}`).sort();
  expect(types).toEqual([
    "message.received ",
    "message.received eve@example.com",
    "subscriber.deleted ada@example.com",
    "subscriber.subscribed ada@example.com",
  ]);
  const message = receiver.accepted.find(({ data }) => data.email === "eve@example.com")?.data;
  expect(message).toMatchObject({ name: "Eve", message: "é".repeat(2_000), truncated: true });
});

test("an endpoint that may no longer have people gets none of those that waited, or are sent again", async () => {
  const { current, db, endpoint, later, now, receiver, sender, subscribe } = await stage({ withPeople: true });
  await subscribe("ada@example.com");
  await sender.drain();
  receiver.answer = () => 500;
  await subscribe("bo@example.com");
  await sender.drain();
  const { name, url, events, version } = (await current()) ?? endpoint;
  await endpoints.edit(
    db,
    { seen: { id: endpoint.id, version }, fields: { name, url, events, withPeople: false } },
    by,
    now(),
  );
  receiver.answer = () => 200;
  await redeliver(db, { endpoint, id: receiver.accepted[0]?.id ?? "" }, by, now());
  await later(minute);
  const emails = receiver.accepted.map(({ data }) => data.email);
  expect(emails).toEqual(["ada@example.com", undefined, undefined]);
  expect(receiver.accepted.map(({ data }) => Object.keys(data).length)).toEqual([5, 3, 3]);
});

test("a message in quarantine is reported when it is released, once", async () => {
  const { db, now, receiver, sender } = await stage();
  await look(db, "insert into settings (key, value, updated_at) values ('messagesPerHourBeforeQuarantine', '1', 0)");
  const submit = (message: string) =>
    submissions.submit(db, { name: "Eve", email: "eve@example.com", message, source: "blog" }, {}, now());
  await submit("one");
  const held = await submit("two");
  await sender.drain();
  expect(receiver.accepted).toHaveLength(1);
  for (let i = 0; i < 2; i++)
    await contactBulk.applyAction(
      db,
      { action: "release", selection: { ids: ["id" in held ? held.id : ""] } },
      by,
      now(),
    );
  await sender.drain();
  expect(receiver.accepted.map(({ data }) => data.id)).toHaveLength(2);
});

test("posts are reported as readers see them: published, updated, unpublished, and a scheduled one at its time, once", async () => {
  const { db, now, later, receiver, sender, ...service } = await stage();
  const types = () => receiver.accepted.splice(0).map(({ type, data }) => `${type} ${data.slug}`);
  const post = (slug: string, more: object = {}) => save(db, { slug, title: slug, published: true, ...more }, now());
  const { id } = await post("now");
  await post("draft", { published: false });
  const { id: scheduled } = await post("later", { publishedAt: new Date(now().getTime() + hour) });
  await later(second);
  expect(types()).toEqual(["post.published now"]);
  await post("now", { title: "New" });
  await bulk.applyAction(db, { action: "tag", selection: { ids: [id, scheduled] }, tagName: "Sea" }, by, now());
  await later(second);
  expect(types()).toEqual(["post.updated now", "post.updated now"]);
  await later(hour);
  const other = new WebhookSender(service as never, { isOnlySender: true });
  await Promise.all([sender.drain(), other.drain()]);
  await other.close();
  expect(types()).toEqual(["post.published later"]);
  await bulk.applyAction(db, { action: "unpublish", selection: { ids: [id] } }, by, now());
  await bulk.applyAction(db, { action: "trash", selection: { ids: [scheduled] } }, by, now());
  await bulk.applyAction(db, { action: "restore", selection: { ids: [scheduled] } }, by, now());
  await post("late", { publishedAt: new Date(now().getTime() + minute) });
  await post("late", { published: false });
  await saveProject(db, { slug: "p", title: "P" }, now());
  await later(hour);
  expect(types()).toEqual([
    "post.unpublished now",
    "post.unpublished later",
    "post.published later",
    "project.updated p",
  ]);
});

test("a receiver that is down for a day gets everything, and nothing under two IDs", async () => {
  const { db, later, deliveries, receiver, subscribe, current } = await stage();
  receiver.answer = () => 500;
  const made: string[] = [];
  for (let i = 0; i < 24; i++) {
    const result = await subscribe(`p${i}@example.com`);
    made.push("subscriber" in result ? result.subscriber.id : "");
    await later(hour);
  }
  expect(receiver.accepted).toEqual([]);
  expect((await current())?.failingSince).not.toBeNull();
  receiver.answer = () => 200;
  for (let i = 0; i < 48; i++) await later(hour);
  expect(receiver.accepted.map(({ data }) => data.id).sort()).toEqual([...made].sort());
  expect(new Set(receiver.attempts.map(({ id, data }) => `${id} ${data.id}`)).size).toBe(24);
  expect((await deliveries()).every(({ state }) => state === "delivered")).toBe(true);
  expect((await current())?.failingSince).toBeNull();
  expect(await look(db, "select 1 from outbox where kind = 'notice'")).toEqual([]);
});

test("ten attempts are made in three days, with the planned delay or the one the receiver asks for, and then no more", async () => {
  const { later, deliveries, receiver, sender, subscribe } = await stage();
  receiver.answer = () => 500;
  await subscribe("ada@example.com");
  await sender.drain();
  const delays = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour];
  for (const [made, delay] of delays.entries()) {
    await later(delay - 1);
    expect(receiver.attempts).toHaveLength(made + 1);
    await later(1);
  }
  await later(30 * day);
  expect([receiver.attempts.length, (await deliveries())[0]?.state]).toEqual([10, "dead"]);

  receiver.answer = () => 200;
  await subscribe("bea@example.com");
  await sender.drain();
  receiver.answer = () => new Response(null, { status: 429, headers: { "retry-after": "7200" } });
  await subscribe("eve@example.com");
  await sender.drain();
  await later(2 * hour - 1);
  expect(receiver.attempts).toHaveLength(12);
  receiver.answer = () => new Response(null, { status: 302, headers: { location: receiver.url } });
  await later(1);
  expect([receiver.attempts.length, receiver.accepted.length]).toEqual([13, 1]);
});

test("a receiver may ask for a day at most", async () => {
  const { later, receiver, sender, subscribe } = await stage();
  receiver.answer = () => new Response(null, { status: 429, headers: { "retry-after": String((10 * day) / second) } });
  await subscribe("ada@example.com");
  await sender.drain();
  await later(day - 1);
  expect(receiver.attempts).toHaveLength(1);
  await later(1);
  expect(receiver.attempts).toHaveLength(2);
});

test("a Retry-After longer than any date is not read", async () => {
  const { later, now, receiver, sender, subscribe } = await stage();
  const inTwoHours = `${new Date(now().getTime() + 2 * hour).toUTCString()} (${"x".repeat(40)})`;
  receiver.answer = () => new Response(null, { status: 429, headers: { "retry-after": inTwoHours } });
  await subscribe("ada@example.com");
  await sender.drain();
  await later(5 * second);
  expect(receiver.attempts).toHaveLength(2);
});

test("410 turns the endpoint off, five days of failures break it, and the owner is notified", async () => {
  const { add, config, current, db, later, now, receiver, subscribe } = await stage();
  const gone = webhookReceiver({ now: () => new Date() });
  afterwards.push(() => gone.stop());
  receiver.answer = ({ type }) => (type === "ping" ? 410 : 500);
  for (let i = 0; i < 6; i++) {
    await subscribe(`p${i}@example.com`);
    await later(day);
  }
  expect((await current())?.state).toBe("broken");
  const other = await add({ name: "Chat" });
  await endpoints.ping(db, other.id, by, now());
  await later(0);
  expect((await endpoints.byId(db, other.id))?.state).toBe("off");
  const [refused] = (await list(db, { endpointId: other.id }, { page: 1, per: 1 })).rows;
  expect(refused).toMatchObject({ type: "ping", state: "dead", attempts: 1 });
  expect(await look(db, "select recipient, payload from outbox where kind = 'notice'")).toEqual(
    Array.from({ length: 2 }, () => ({ recipient: "owner@example.com", payload: '{"about":"webhook"}' })),
  );
  const [mail] = (await outboxList(db, { kind: "notice" }, { page: 1, per: 1 })).rows;
  const letter = mail && (await compose({ config, db }, mail));
  expect(letter).toMatchObject({ to: "owner@example.com", subject: "Webhook “Chat” turned off" });
  expect(letter?.text).toContain("said that it no longer exists (410)");
  expect(await look(db, "select action from audit_events where actor = 'system' order by created_at, id")).toEqual([
    { action: "webhook.break" },
    { action: "webhook.gone" },
  ]);
});

test("one delivery per endpoint at a time, oldest first, four endpoints in parallel, and a slow one delays no other", async () => {
  const { add, receiver, sender, subscribe } = await stage();
  for (let i = 1; i < 6; i++) await add({ name: `More ${i}` });
  for (let i = 0; i < 3; i++) await subscribe(`p${i}@example.com`);
  const counts = { now: 0, most: 0 };
  receiver.answer = async () => {
    counts.most = Math.max(counts.most, ++counts.now);
    await new Promise(setImmediate);
    counts.now--;
    return 200;
  };
  await sender.drain();
  expect(receiver.accepted).toHaveLength(18);
  expect(counts.most).toBeLessThanOrEqual(4);
  const ids = receiver.accepted.map(({ id }) => id);
  expect(new Set(ids).size).toBe(18);
  const people = receiver.accepted.map(({ data }) => data.id);
  expect(people.slice(0, 6).every((id) => id === people[0])).toBe(true); // each endpoint's oldest before any other
});

test("after a rotation both secrets sign for a day; then the new one alone", async () => {
  const { config, db, endpoint, later, now, receiver, subscribe, sender } = await stage();
  const { secret, sealed } = makeSecret(config);
  await endpoints.rotate(db, { seen: endpoint, secret: sealed }, by, now());
  await subscribe("a@example.com");
  await sender.drain(); // with the old secret only
  expect(receiver.accepted).toHaveLength(1);
  receiver.secrets.push(secret);
  await later(day);
  receiver.secrets.shift();
  await subscribe("b@example.com");
  await later(second);
  expect([receiver.accepted.length, receiver.forged.length]).toEqual([2, 0]);
});

test("what failed is sent again under its ID, one or all since then; after 30 days it is deleted", async () => {
  const { db, endpoint, later, deliveries, now, receiver, sender, subscribe } = await stage();
  receiver.answer = () => 500;
  for (const email of ["a@example.com", "b@example.com"]) await subscribe(email);
  await sender.drain();
  const [newest, oldest] = await deliveries();
  receiver.answer = () => 200;
  await redeliver(db, { endpoint, id: oldest?.id ?? "" }, by, now());
  await sender.drain();
  expect(receiver.accepted.map(({ id }) => id)).toEqual([oldest?.id ?? ""]);
  expect(await redeliverFailed(db, { endpoint, since: new Date(0) }, by, now())).toBe(1);
  await sender.drain();
  expect(receiver.accepted.map(({ id }) => id)).toEqual([oldest?.id ?? "", newest?.id ?? ""]);
  await later(30 * day);
  expect(await deleteOld(db, new Date(now().getTime() + 1))).toBe(2);
  const log = await look(db, "select details from audit_events where action = 'webhook.redeliver' order by id");
  expect(log.length).toBeGreaterThan(0);
});

test("a sender that died is replaced: one of two others sends its delivery again with the same ID", async () => {
  const { receiver, subscribe, later, ...service } = await stage();
  await subscribe("a@example.com");
  const death = Promise.withResolvers<void>();
  const dying = new WebhookSender(service as never, {
    reach: (point) => (point === "after post" ? (death.resolve(), new Promise(() => {})) : undefined),
  });
  void dying.drain();
  await death.promise;
  const others = [1, 2].map(() => new WebhookSender(service as never));
  await Promise.all(others.map((other) => other.drain()));
  expect(receiver.attempts).toHaveLength(1); // it may still be working
  service.clock.time += minute;
  await Promise.all(others.map((other) => other.drain()));
  for (const other of others) await other.close();
  expect(receiver.attempts).toHaveLength(2);
  expect(new Set(receiver.attempts.map(({ id }) => id)).size).toBe(1);
});

test("a sender that resumes after its claim sends again with the same ID, and changes nothing about the later result", async () => {
  const { receiver, subscribe, later, deliveries, ...service } = await stage();
  await subscribe("a@example.com");
  const [claimed, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const reach = (point: string) => (point === "after claim" ? (claimed.resolve(), resumed.promise) : undefined);
  const draining = new WebhookSender(service as never, { reach }).drain();
  await claimed.promise;
  await later(minute);
  receiver.answer = () => 500;
  resumed.resolve();
  await draining;
  expect(new Set(receiver.attempts.map(({ id }) => id)).size).toBe(1);
  expect(await deliveries()).toMatchObject([{ state: "delivered", attempts: 2, status: 200 }]);
});
