import { describe, expect, setDefaultTimeout, test } from "bun:test";
import * as messageList from "../../db/contact/list";
import type { HourlyLimit } from "../../db/limits/hourly-limits";
import * as outboxList from "../../db/mail/list";
import * as settings from "../../test/support/settings";
import { whyNot } from "../mail/deliver";
import { claim } from "../../db/mail/claim";
import { emailRecord } from "../../db/newsletter/preferences";
import { fakeProvider } from "../../test/support/mail";
import { testService } from "../../test/support/service";
import { startWorker } from "../../test/support/outbox";
import { createLog } from "../platform/log";
import { look, onSqlite } from "../../test/support/look";
import { testTimeoutMs } from "../../test/support/within";

setDefaultTimeout(testTimeoutMs);

const hour = 3_600_000;
const silent = createLog("silent");
const htmx = {
  "hx-request": "true",
  "hx-request-type": "partial",
  "hx-current-url": "http://localhost:3000/dashboard/contact?box=quarantine",
};
const text = (html: string) => html.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");

type Limits = Partial<Record<HourlyLimit, number>>;

async function site(limits: Limits = {}) {
  const service = await testService();
  const { db, now, post, send, config } = service;
  for (const [key, value] of Object.entries(limits)) await settings.set(db, key, String(value), { by: "test" }, now());
  let written = 0;
  const message = () => ({
    name: `Visitor ${++written}`,
    email: `v${written}@example.com`,
    message: `Letter number ${written}`,
  });
  const write = (more: object = {}, headers = {}) => post("/api/contact", { ...message(), ...more }, headers);
  /** Sends that many at the same time, in groups that the service admits together. */
  const all = async (n: number, one: () => Promise<Response>) => {
    const statuses: number[] = [];
    for (let left = n; left > 0; left -= 100) {
      const answers = await Promise.all(Array.from({ length: Math.min(left, 100) }, one));
      statuses.push(...answers.map(({ status }) => status));
    }
    return statuses;
  };
  const boxes = () => messageList.counts(db);
  const mails = async () =>
    (await outboxList.list(db, {}, { page: 1, per: 10_000 })).rows.map(({ kind }) => kind).sort();
  const manager = await service.signIn();
  const page = async (path: string) => text(await (await manager.get(path)).text());
  return { ...service, write, all, boxes, mails, manager, page, config, send };
}

describe("the quarantine", () => {
  test("of 2,400 messages from six networks, 600 notify the owner, and one email summarises the rest", async () => {
    const { all, boxes, mails, send, config, clock, db } = await site();
    let sent = 0;
    const statuses = await all(2_400, async () => {
      const [network, client] = [sent % 6, Math.floor(sent / 30)]; // five messages from each of 480 households
      sent++;
      const body = { name: "A Visitor", email: `v${sent}@example.com`, message: `Letter number ${sent}` };
      const init = { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } };
      return send("/api/contact", init, `2001:db8:${network}:${client.toString(16)}::1`);
    });
    expect(new Set(statuses)).toEqual(new Set([201]));
    expect(await boxes()).toEqual({ inbox: 600, snoozed: 0, archived: 0, quarantine: 1_800, spam: 0, trash: 0 });
    expect(Map.groupBy(await mails(), (kind) => kind)).toMatchObject(
      new Map([
        ["contact", Array(600).fill("contact")],
        ["quarantine", ["quarantine"]],
      ]),
    );
    const provider = await fakeProvider();
    const worker = startWorker({
      config: { ...config, ...provider.env },
      db,
      log: silent,
      now: () => new Date(clock.time),
    });
    await worker.drain();
    const summaries = provider.delivered().filter(({ subject }) => subject.includes("quarantine"));
    expect(summaries.map(({ subject, to }) => [subject, to])).toEqual([
      ["1,800 messages in quarantine", ["owner@example.com"]],
    ]);
    expect(summaries[0]?.text).toContain("http://localhost:3000/dashboard/contact?box=quarantine");
    await worker.close();
    provider.stop();
  });

  test("counts any 60 minutes, including quarantined messages; bots' messages do not count", async () => {
    const { write, boxes, clock, db } = await site({ messagesPerHourBeforeQuarantine: 3 });
    for (let i = 0; i < 10; i++) await write({ website: "https://spam.example" });
    for (let i = 0; i < 4; i++) await write();
    clock.time += hour - 1;
    await write();
    expect(await boxes()).toMatchObject({ inbox: 3, quarantine: 2, spam: 10 });
    clock.time += 1; // the first four are an hour old
    for (let i = 0; i < 3; i++) await write();
    expect(await boxes()).toMatchObject({ inbox: 5, quarantine: 3 });
    expect(
      (await look(db, "select count(*) n from messages where (quarantined = 1) <> (quarantined_at is not null)"))[0],
    ).toEqual({ n: 0 });
  });

  test("exactly as many of a hundred simultaneous messages get through as the limit allows, whatever managers do with them", async () => {
    const { write, all, boxes, manager } = await site({ messagesPerHourBeforeQuarantine: 40 });
    await all(100, write);
    expect(await boxes()).toMatchObject({ inbox: 40, quarantine: 60 });
    await manager.submit("/dashboard/contact/bulk", { do: "spam", all: "matching", filter: "box=inbox" });
    await all(10, write);
    expect(await boxes()).toMatchObject({ inbox: 0, quarantine: 70, spam: 40 });
  });

  test("a repeated message is the first one again, in quarantine too", async () => {
    const { post, boxes } = await site({ messagesPerHourBeforeQuarantine: 1 });
    const bodies = [1, 2].map((n) => ({ name: "Ada", email: "ada@example.com", message: `Letter number ${n}` }));
    for (let i = 0; i < 3; i++) for (const body of bodies) expect((await post("/api/contact", body)).status).toBe(201);
    expect(await boxes()).toMatchObject({ inbox: 1, quarantine: 1 });
  });

  test("one summary is sent per hour while it lasts, and the last one counts them all", async () => {
    const { write, config, clock, db } = await site({ messagesPerHourBeforeQuarantine: 1 });
    const provider = await fakeProvider();
    const worker = startWorker({
      config: { ...config, ...provider.env },
      db,
      log: silent,
      now: () => new Date(clock.time),
    });
    const at: [number, string][] = [];
    for (let minute = 0; minute < 240; minute++) {
      if (minute < 150) await write();
      await worker.drain();
      for (const { subject } of provider.delivered().slice(at.length)) at.push([minute, subject]);
      clock.time += 60_000;
    }
    expect(at.filter(([, subject]) => subject.includes("quarantine"))).toEqual([
      [1, "1 message in quarantine"],
      [61, "61 messages in quarantine"],
      [121, "121 messages in quarantine"],
      [181, "149 messages in quarantine"],
    ] as never);
    await worker.close();
    provider.stop();
  });

  test("a summary of nothing is not sent", async () => {
    const { write, manager, db, clock } = await site({ messagesPerHourBeforeQuarantine: 1 });
    for (let i = 0; i < 3; i++) await write();
    const [summary] = (await outboxList.list(db, { kind: "quarantine" }, { page: 1, per: 9 })).rows;
    if (!summary) throw new Error("There is no summary");
    expect(await whyNot(db, summary, new Date(clock.time))).toBeUndefined();
    await manager.submit("/dashboard/contact/bulk", { do: "release", all: "matching", filter: "box=quarantine" });
    expect(await whyNot(db, summary, new Date(clock.time))).toBe("The quarantine is empty");
  });

  test("managers see why, and can release one, some or all of them", async () => {
    const { write, all, boxes, manager, page, db } = await site({ messagesPerHourBeforeQuarantine: 2 });
    await all(10, write);
    const list = await page("/dashboard/contact?box=quarantine");
    expect(list).toContain("These messages arrived after the hourly limit was reached.");
    expect(list).toContain("Release all 8");
    const { rows } = await messageList.list(db, { box: "quarantine" }, { page: 1, per: 10 });
    const [one = "", two = "", three = ""] = rows.map(({ id }) => id);
    const letter = await page(`/dashboard/contact/${one}`);
    expect(letter).toContain("Quarantine: This message arrived after the hourly limit was reached.");
    expect(letter).toContain("In the quarantine summary");
    expect(await page("/dashboard")).toContain(
      "8 messages are in quarantine, because too many arrived within an hour.",
    );

    const move = async (fields: Record<string, string | string[]>) =>
      text(
        await (await manager.submit("/dashboard/contact/bulk", { filter: "box=quarantine", ...fields }, htmx)).text(),
      );
    expect(await move({ do: "release", ids: one })).toContain("released to the inbox");
    expect(await page(`/dashboard/contact/${one}`)).toContain("In the quarantine summary");
    expect(await move({ do: "spam", ids: two })).toContain("marked as spam");
    expect(await move({ do: "trash", ids: three })).toContain("moved to the trash");
    expect(await boxes()).toEqual({ inbox: 3, snoozed: 0, archived: 0, quarantine: 5, spam: 1, trash: 1 });
    await move({ do: "restore", ids: three });
    await move({ do: "not-spam", ids: two });
    expect(await boxes()).toEqual({ inbox: 4, snoozed: 0, archived: 0, quarantine: 6, spam: 0, trash: 0 });
    expect(await move({ do: "release", all: "matching" })).toContain("6 messages released to the inbox");
    expect(await boxes()).toEqual({ inbox: 10, snoozed: 0, archived: 0, quarantine: 0, spam: 0, trash: 0 });
    expect(await page("/dashboard")).toMatch(
      /The limit of 2 messages an hour was reached .* The quarantine is empty\./,
    );
    expect(
      await look(db, "select details from audit_events where action = 'message.release' order by created_at, id"),
    ).toHaveLength(2);
  });

  test("more than a hundred are released when their number was typed", async () => {
    const { write, all, boxes, manager } = await site({ messagesPerHourBeforeQuarantine: 1 });
    await all(121, write);
    const release = { do: "release", all: "matching", filter: "box=quarantine" };
    const question = text(await (await manager.submit("/dashboard/contact/bulk", release)).text());
    expect(question).toContain("Release 120 messages");
    expect(await boxes()).toMatchObject({ inbox: 1, quarantine: 120 });
    await manager.submit("/dashboard/contact/bulk", { ...release, confirmed: "yes", typed: "120" });
    expect(await boxes()).toMatchObject({ inbox: 121, quarantine: 0 });
  });
});

describe("the hard caps", () => {
  test("are off until someone sets them", async () => {
    const { write, all, post } = await site({ messagesPerHourBeforeQuarantine: 0 });
    let people = 0;
    const subscribe = () => post("/api/newsletter/subscribe", { email: `p${people++}@example.com` });
    expect(new Set(await all(700, subscribe))).toEqual(new Set([201]));
    expect(new Set(await all(700, write))).toEqual(new Set([201]));
  });

  test("new subscribers above the cap get 429 with Retry-After; known ones and managers are served", async () => {
    const { post, all, clock, manager, db, page } = await site({ newSubscribersPerHour: 5 });
    let people = 0;
    const subscribe = () => post("/api/newsletter/subscribe", { email: `p${people++}@example.com` });
    await subscribe();
    clock.time += 600_500;
    const statuses = await all(100, subscribe);
    expect([201, 429].map((status) => statuses.filter((one) => one === status).length)).toEqual([4, 96]);
    const refused = await subscribe();
    expect([refused.status, refused.headers.get("retry-after"), await refused.json()]).toEqual([
      429,
      "3000",
      {
        success: false,
        data: null,
        error: { code: "RATE_LIMITED", message: "Too many visitors at the moment. Try again in 3000 seconds." },
      },
    ]);
    expect((await post("/api/newsletter/subscribe", { email: "p0@example.com" })).status).toBe(200);
    await manager.submit("/dashboard/newsletter", { email: "friend@example.com" });
    expect((await look(db, "select count(*) n from subscribers"))[0]).toEqual({ n: 6 });
    expect((await look(db, "select count(*) n from outbox where kind = 'welcome'"))[0]).toMatchObject({ n: 5 });

    expect(await page("/dashboard")).toContain("The limit of 5 new subscribers an hour was reached just now");
    clock.time += 2_999_499;
    expect((await subscribe()).status).toBe(429);
    clock.time += 1; // the first one is an hour old; the manager's counts instead
    expect((await subscribe()).status).toBe(429);
    clock.time += 600_500;
    expect([(await subscribe()).status, (await subscribe()).status]).toEqual([201, 201]);
  });

  test("messages above the cap are not stored, get 429 with Retry-After, and may come again under their key", async () => {
    const { write, all, clock, boxes, page, post } = await site({ storedMessagesPerHour: 4 });
    const first = { name: "Ada", email: "ada@example.com", message: "Hello, hello, hello" };
    expect((await post("/api/contact", first)).status).toBe(201);
    await write({ website: "https://spam.example" });
    const statuses = await all(100, write);
    expect([201, 429].map((status) => statuses.filter((one) => one === status).length)).toEqual([2, 98]);
    expect((await post("/api/contact", first)).status).toBe(201); // stored already
    const key = { "idempotency-key": "once" };
    const late = { name: "Bo", email: "bo@example.com", message: "Is there still room?" };
    const refused = await post("/api/contact", late, key, "192.0.2.1");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "3600"]);
    expect(await refused.json()).toMatchObject({ error: { code: "RATE_LIMITED" } });
    expect(await boxes()).toMatchObject({ inbox: 3, spam: 1 });
    expect(await page("/dashboard")).toContain("The limit of 4 stored messages an hour was reached just now");
    clock.time += hour;
    expect((await post("/api/contact", late, key, "192.0.2.1")).status).toBe(201);
  });
});

test("the metrics show what is held back", async () => {
  const { write, all, post, get } = await site({ messagesPerHourBeforeQuarantine: 2 });
  await all(5, write);
  for (const name of ["a", "b"]) await post("/api/newsletter/subscribe", { email: `${name}@example.com` });
  const lines = (await (await get("/metrics")).text()).split("\n");
  expect(lines).toContain("postroom_messages_quarantined 3");
  expect(lines).toContain("postroom_mails_awaiting_turn 2");
});

onSqlite("a plan of its query planner")(
  "what a limit counts is found by index, and no more of it than the limit allows",
  async () => {
    const { db } = await site();
    const plan = async (query: string) =>
      ((await look(db, `explain query plan ${query}`)) as { detail: string }[]).map(({ detail }) => detail).join("; ");
    const newest = async (table: string, column: string, condition = "true") =>
      await plan(`select count(*), min(at) from (select ${column} at from ${table}
          where ${condition} and ${column} between 1 and 2 order by ${column} desc limit 5)`);
    const byIndex = (name: string) => new RegExp(`SEARCH \\w+ USING COVERING INDEX ${name} \\([^)]*<\\?\\)`);
    for (const [found, index] of [
      [await newest("outbox", "admitted_at"), "outbox_admitted"],
      [await newest("messages", "created_at", "honeypot = 0"), "messages_people"],
      [await newest("messages", "created_at"), "messages_created"],
      [await newest("subscriber_events", "created_at", "kind = 'subscribed'"), "subscriber_events_kind"],
    ] as const) {
      expect(found).toMatch(byIndex(index));
      expect(found).not.toContain("TEMP B-TREE");
    }
    const due = await plan(`select id from outbox indexed by outbox_due
    where state = 'queued' and lane = 2 and next_attempt_at <= 1 order by next_attempt_at limit 5`);
    expect(due).toBe("SEARCH outbox USING INDEX outbox_due (lane=? AND next_attempt_at<?)");
    const cap =
      await plan(`select count(*) from outbox where (subject_id = 'a' or (subject_gone = 1 and recipient_key = 'b')
    or mailbox_key = 'c') and kind = 'welcome' and created_at between 1 and 2`);
    for (const index of ["outbox_subject", "outbox_gone", "outbox_mailbox"])
      expect(cap).toContain(`USING INDEX ${index}`);
    expect(cap).not.toContain("SCAN outbox");
  },
);

test("who has just typed their address does not wait for those whom a program names, nor does who asks what is stored", async () => {
  const { db, now, post, key } = await site({ emailsToStrangersPerHour: 3 });
  const consent = { how: "Box ticked at checkout", at: "2026-11-20T10:00:00Z" };
  const subscribers = ["a", "b", "c", "d"].map((name) => ({ email: `${name}@shop.example`, consent }));
  await post("/api/v1/subscribers/batch", { subscribers }, await key("Shop", ["newsletter:write"]));
  await post("/api/newsletter/subscribe", { email: "visitor@example.com" });
  const due = async () => (await claim(db, 10, now())).map(({ kind, recipient }) => `${kind} ${recipient}`);
  const first = await due();
  expect([first.length, first.includes("welcome visitor@example.com")]).toEqual([3, true]);
  expect(await due()).toEqual([]);
  expect(await emailRecord(db, "visitor@example.com", now())).toBe("sent"); // the link works for an hour
  expect(await due()).toEqual(["record visitor@example.com"]);
});
