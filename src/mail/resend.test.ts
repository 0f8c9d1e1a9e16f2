import { afterEach, expect, test } from "bun:test";
import { fakeProvider, refusal } from "../../test/support/mail";
import { testService } from "../../test/support/service";
import { loadConfig } from "../platform/config";
import { openMail } from "./open";
import type { Email } from "./provider";

const afterwards: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of afterwards.splice(0).reverse()) await stop();
});

async function resend(options: Parameters<typeof fakeProvider>[0] = {}) {
  const clock = { time: Date.parse("2026-11-22T12:00:00Z") };
  const now = () => new Date(clock.time);
  const fake = await fakeProvider({ now, ...options });
  afterwards.push(fake.stop);
  const config = loadConfig({ APP_SECRET: "a".repeat(32), ...fake.env });
  return { clock, fake, ...openMail({ config, now }) };
}

const email = (to: string, more: Partial<Email> = {}): Email => ({
  from: "Site <site@x.example>",
  to,
  subject: "News",
  html: "<p>News</p>",
  text: "News",
  headers: { "List-Id": "<newsletter.x.example>" },
  tags: { postroom_b: "b1" },
  ...more,
});
const emails = (count: number) => Array.from({ length: count }, (_, i) => email(`r${i}@example.com`));

test("a batch is one strict request, and each email in it has its own recipient, headers and tags", async () => {
  const { fake, provider } = await resend();
  const outcome = await provider.sendBatch(emails(100), "key-1");
  expect(outcome).toMatchObject({ kind: "accepted", ids: { length: 100 } });
  expect(fake.resend.answers).toEqual(new Map([["accepted", 1]]));
  expect(fake.delivered()[99]).toMatchObject({
    key: "key-1",
    to: ["r99@example.com"],
    headers: { "List-Id": "<newsletter.x.example>" },
    tags: [{ name: "postroom_b", value: "b1" }],
  });
});

test("repeated under its key it is delivered once; other content is a conflict; after 24 hours the key is forgotten", async () => {
  const { clock, fake, provider } = await resend();
  const send = (more: Partial<Email> = {}) => provider.sendBatch([email("a@example.com", more)], "key-1");
  const first = await send();
  expect(await send({ tags: { postroom_b: "b1" }, headers: { "List-Id": "<newsletter.x.example>" } })).toEqual(first);
  expect(await send({ text: "Other news" })).toMatchObject({ kind: "conflict" });
  expect(fake.resend.counts.get("a@example.com")).toBe(1);
  clock.time += 24 * 3_600_000;
  await send();
  expect(fake.resend.counts.get("a@example.com")).toBe(2);
});

test("of a batch with an address that is refused no one gets anything", async () => {
  const { fake, provider } = await resend({ refused: /^r3@/ });
  expect(await provider.sendBatch(emails(5), "key-1")).toMatchObject({ kind: "refused", reason: "invalid" });
  expect(fake.resend.counts.size).toBe(0);
  expect(await provider.sendBatch([email("a@example.com, b@example.com")], "key-2")).toMatchObject({
    reason: "invalid",
  });
  expect(fake.attempts).toHaveLength(5);
});

test("quotas are of the day and the month, and come back", async () => {
  const { clock, provider } = await resend({ perDay: 150, perMonth: 300 });
  const send = (key: string, count = 100) => provider.sendBatch(emails(count), key);
  expect((await send("1")).kind).toBe("accepted");
  expect(await send("2")).toMatchObject({ reason: "daily-quota", retryAfterMs: 12 * 3_600_000 + 300_000 });
  expect((await send("2a", 50)).kind).toBe("accepted");
  clock.time += 12 * 3_600_000 + 300_000;
  expect((await send("3")).kind).toBe("accepted");
  expect(await send("4")).toMatchObject({ reason: "monthly-quota" });
});

test("after a rate-limit response requests pause, and the limit is learned from the responses", async () => {
  const { clock, fake, pace, provider } = await resend({ perSecond: 10 });
  expect(pace.perSecond).toBe(2);
  await provider.send(email("a@example.com"), "key-1");
  expect(pace.perSecond).toBe(8);
  fake.behave = () => refusal(429, "rate_limit_exceeded", { "retry-after": "20" });
  expect(await provider.send(email("b@example.com"), "key-2")).toMatchObject({ reason: "rate", retryAfterMs: 20_000 });
  expect([pace.pausedUntil, pace.perSecond]).toEqual([new Date(clock.time + 20_000), 4]);
});

test("a missing, truncated or endless response makes the outcome unknown", async () => {
  const { fake, provider } = await resend();
  for (const trouble of ["reset", new Response("{"), new Response("x".repeat(2 ** 21))] as const) {
    fake.behave = () => trouble;
    expect((await provider.sendBatch(emails(2), crypto.randomUUID())).kind).toBe("unknown");
  }
  const stopping = new AbortController();
  fake.behave = () => (stopping.abort(), "hang");
  expect((await provider.sendBatch(emails(2), "key-1", stopping.signal)).kind).toBe("unknown");
});

test("more than a request may hold is not sent", async () => {
  const { fake, provider } = await resend();
  const large = emails(100).map((each) => ({ ...each, html: "x".repeat(50_000) }));
  for (const batch of [emails(101), large])
    expect(await provider.sendBatch(batch, "key-1")).toMatchObject({ reason: "too-large" });
  expect(fake.attempts).toEqual([]);
});

test("what the provider says is kept without the key and without tokens", async () => {
  const { fake, provider } = await resend();
  fake.behave = ({ authorization }) =>
    Response.json({ name: "validation_error", message: `${authorization}\r\n?token=abc-_1` }, { status: 422 });
  expect(await provider.send(email("a@example.com"), "key-1")).toMatchObject({ message: "422: Bearer … ?token=…" });
});

test("/metrics counts requests by outcome, and says whether everything is paused", async () => {
  const fake = await fakeProvider();
  afterwards.push(fake.stop);
  const { get, mail } = await testService(fake.env);
  const text = async () => (await (await get("/metrics", {}, "127.0.0.1")).text()).split("\n");
  const count = (outcome: string) => `postroom_mail_request_seconds_count{provider="resend",outcome="${outcome}"} 1`;
  await mail.provider.sendBatch(emails(2), "key-1");
  expect(await text()).toEqual(expect.arrayContaining([count("accepted"), "postroom_mail_paused 0"]));
  fake.behave = () => refusal(429, "rate_limit_exceeded");
  await mail.provider.send(email("a@example.com"), "key-2");
  expect(await text()).toEqual(expect.arrayContaining([count("rate"), "postroom_mail_paused 1"]));
});
