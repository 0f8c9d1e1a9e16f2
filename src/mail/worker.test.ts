import { afterEach, expect, test } from "bun:test";
import * as messageList from "../../db/contact/list";
import * as outbox from "../../db/mail/outbox";
import { stats as mailStats } from "../../db/mail/stats";
import * as outboxList from "../../db/mail/list";
import { posts } from "../../db/schema/posts";
import { settings } from "../../db/schema/settings";
import * as subscribers from "../../db/newsletter/subscribers";
import { createLog } from "../platform/log";
import { unsubscribeLink } from "../security/links";
import { testService } from "../../test/support/service";
import { fakeProvider, refusal } from "../../test/support/mail";
import { startWorker } from "../../test/support/outbox";
import { look } from "../../test/support/look";

const afterwards: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of afterwards.splice(0).reverse()) await stop();
});

/** A service whose worker sends only when told to. */
async function mailroom(env: Record<string, string> = {}, timeoutMs?: number) {
  const service = await testService(env);
  const { config, db, clock } = service;
  const said: Record<string, unknown>[] = [];
  const log = createLog("info", (line) => said.push(JSON.parse(line)));
  const needs = { config, db, log, now: () => new Date(clock.time) };
  const startOne = () => {
    const worker = startWorker(needs, { everyMs: 1e9, graceMs: 50, ...(timeoutMs && { timeoutMs }) });
    afterwards.push(worker.close);
    return worker;
  };
  const mails = async () => (await outboxList.list(db, {}, { page: 1, per: 1000 })).rows;
  const subscribe = (email: string) => service.post("/api/newsletter/subscribe", { email });
  const write = (name: string, email = "hana@example.com") =>
    service.post("/api/contact", { name, email, message: "Hello, may I ask you something?" });
  return { ...service, said, startOne, worker: startOne(), mails, subscribe, write };
}

async function withProvider(env: Record<string, string> = {}, timeoutMs?: number) {
  const provider = await fakeProvider();
  afterwards.push(provider.stop);
  return { provider, ...(await mailroom({ ...provider.env, ...env }, timeoutMs)) };
}

test("the welcome email: one recipient, one-click headers, the newest posts, and no token kept", async () => {
  const https = { BASE_URL: "https://site.example", BLOG_URL: "https://blog.example" };
  const { config, db, clock, provider, worker, mails, post } = await withProvider(https);
  const entry = (n: number, publishedAt: number, published = true) => {
    const row = { slug: `post-${n}`, title: `Post <${n}>`, excerpt: `About ${n}`, folded: "" };
    return { ...row, published, publishedAt: new Date(clock.time + publishedAt) };
  };
  await db.write(async (orm) => {
    await orm
      .insert(posts)
      .values([entry(1, -4), entry(2, -3), entry(3, -2), entry(4, -1), entry(5, 60_000)])
      .run();
    await orm
      .insert(posts)
      .values(entry(6, -1, false))
      .run();
    await orm.insert(settings).values({ key: "siteTitle", value: "Ada’s\r\nNotes", isPublic: true }).run();
    await orm.insert(settings).values({ key: "name", value: "Ada Lovelace", isPublic: true }).run();
  });
  await post("/api/newsletter/subscribe", { email: "hana@example.com", name: "Hana Visitor" });
  await worker.drain();

  const link = unsubscribeLink(config, "hana@example.com");
  const [mail] = provider.delivered();
  expect(mail).toMatchObject({
    authorization: `Bearer ${provider.env.MAILER_API_KEY}`,
    from: "Site <site@x.example>",
    to: ["hana@example.com"],
    subject: "Welcome to Ada’s Notes",
    headers: { "List-Unsubscribe": `<${link}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" },
  });
  expect(mail?.html).toContain(`href="${link.replaceAll("&", "&amp;")}"`);
  expect(mail?.text).toContain(link);
  for (const part of [mail?.html ?? "", mail?.text ?? ""]) {
    expect([...part.matchAll(/https:\/\/blog\.example\/posts\/(post-\d)/g)].map(([, slug]) => slug)).toEqual([
      "post-4",
      "post-3",
      "post-2",
    ]);
    expect(part).toContain("Ada Lovelace");
    expect(part).not.toContain("Hana Visitor");
  }
  expect(mail?.html).toContain("Post &lt;4");
  expect(Buffer.byteLength(mail?.html ?? "")).toBeLessThan(40 * 1024);

  const [row] = await mails();
  expect(row).toMatchObject({ id: mail?.key ?? "", state: "sent", providerId: `re_${row?.id}`, attempts: 1 });
  expect(JSON.stringify(row)).not.toContain(new URL(link).searchParams.get("token") ?? "");
});

test("over http there is no one-click header, which email apps would not believe", async () => {
  const { provider, worker, subscribe } = await withProvider();
  await subscribe("hana@example.com");
  await worker.drain();
  expect(Object.keys(provider.delivered()[0]?.headers ?? {})).toEqual(["List-Unsubscribe"]);
});

test("the owner's notification: the whole message as text, and the answer goes to the visitor", async () => {
  const { db, provider, worker, post } = await withProvider();
  const message = `First line\n<script>alert(1)</script>\n${"long ".repeat(300)}end`;
  await post("/api/contact", { name: "Hana Sato", email: "hana@example.com", message, source: "blog" });
  await worker.drain();
  const [mail] = provider.delivered();
  const id = (await messageList.list(db, { box: "inbox" }, { page: 1, per: 1 })).rows[0]?.id;
  expect(mail).toMatchObject({
    to: ["owner@example.com"],
    subject: "New message from Hana Sato",
    reply_to: '"Hana Sato" <hana@example.com>',
    headers: {},
  });
  expect(mail?.text).toContain(message);
  expect(mail?.html).toContain("First line<br>&lt;script&gt;alert(1)&lt;/script&gt;<br>");
  for (const part of [mail?.html, mail?.text])
    for (const word of [`http://localhost:3000/dashboard/contact/${id}`, "hana@example.com", "blog", "2026"])
      expect(part).toContain(word);
});

test("without MAILER_API_KEY an email is simulated: one line, whatever the worker does again", async () => {
  const { config, said, worker, startOne, mails, subscribe, write } = await mailroom();
  await subscribe("hana@example.com");
  await write("Hana Sato");
  await Promise.all([worker.drain(), startOne().drain(), worker.drain()]);
  await worker.drain();
  const rows = await mails();
  expect(rows.map(({ state, attempts }) => [state, attempts])).toEqual([
    ["simulated", 1],
    ["simulated", 1],
  ]);
  const id = (kind: string) => rows.find((row) => row.kind === kind)?.id;
  const line = { time: expect.any(String), level: "warn", event: "mail simulated" };
  expect(said).toHaveLength(2);
  expect(said).toEqual(
    expect.arrayContaining([
      { ...line, id: id("contact"), kind: "contact", recipient: "owner@example.com" },
      {
        ...line,
        id: id("welcome"),
        kind: "welcome",
        recipient: "hana@example.com",
        unsubscribe: unsubscribeLink(config, "hana@example.com"),
      },
    ]),
  );
});

test("who left, bounced or was deleted before the worker came gets no welcome; spam and deleted messages no notification", async () => {
  const { config, db, clock, provider, worker, mails, get, subscribe, write } = await withProvider();
  for (const name of ["left", "bounced", "deleted", "stays"]) await subscribe(`${name}@example.com`);
  await get(unsubscribeLink(config, "left@example.com"));
  await look(db, "update subscribers set suppressed_at = 1 where email like 'bounced%'");
  await look(db, "delete from subscribers where email like 'deleted%'");
  for (const name of ["spam", "purged"]) await write(name);
  const [purged, spam] = (await messageList.list(db, { box: "inbox" }, { page: 1, per: 2 })).rows;
  await messageList.applyAction(
    db,
    { action: "spam", selection: { ids: [spam?.id ?? ""] } },
    { actor: "owner@example.com" },
    new Date(clock.time),
  );
  await look(db, "delete from messages where id = ?", [purged?.id ?? ""]);

  clock.time += 1000;
  await worker.drain();
  expect(provider.delivered().map(({ to }) => to)).toEqual([["stays@example.com"]]);
  expect((await mails()).map(({ state }) => state).sort()).toEqual([...Array(5).fill("cancelled"), "sent"]);
});

test("trouble at the provider is waited out: each email arrives once, when its time has come", async () => {
  const { provider, clock, said, worker, mails, subscribe } = await withProvider({}, 10_000);
  const troubles = [
    () => refusal(500, "internal_server_error"),
    () => new Response("<h1>Bad gateway</h1>", { status: 502, headers: { "content-type": "text/html" } }),
    () => refusal(429, "rate_limit_exceeded", { "retry-after": "3600" }),
    () => "hang" as const,
    () => "reset" as const,
    () => new Response("{", { headers: { "content-type": "application/json" } }),
    () => new Response("null", { status: 500 }),
    () => refusal(403, "invalid_api_key"),
    () => refusal(409, "concurrent_idempotent_requests"),
  ];
  await subscribe("hana@example.com");
  for (const [i, trouble] of troubles.entries()) {
    provider.behave = trouble;
    await worker.drain();
    await worker.drain(); // not retried before it is due
    const [mail] = await mails();
    expect([provider.attempts.length, mail?.state, mail?.attempts]).toEqual([i + 1, "queued", i + 1]);
    expect(mail?.lastError).toMatch(/^(\d{3}|No response from the provider): /);
    if (i === 2) expect(mail?.nextAttemptAt.getTime()).toBe(clock.time + 3_600_000);
    clock.time = mail?.nextAttemptAt.getTime() ?? 0;
  }
  provider.behave = () => undefined;
  await worker.drain();
  expect(await mails()).toMatchObject([{ state: "sent", attempts: 10, lastError: null }]);
  expect(new Set(provider.attempts.map(({ key }) => key)).size).toBe(1);
  expect(provider.delivered()).toHaveLength(1);
  const lines = said.filter(({ event }) => event === "email not sent");
  expect(lines.map(({ level, state }) => [level, state])).toEqual(troubles.map(() => ["warn", "queued"]));
});

test("no one at home: visitors notice nothing, and everything is sent once someone is", async () => {
  const { provider, worker, mails, subscribe, write } = await withProvider({ RESEND_BASE_URL: "http://127.0.0.1:9" });
  const answers = [await subscribe("hana@example.com"), await write("Hana Sato")];
  await worker.drain();
  answers.push(await subscribe("grace@example.com"), await write("Grace"));
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  expect(provider.attempts).toEqual([]);
  expect((await mails()).map(({ state }) => state)).toEqual(Array(4).fill("queued"));
});

test("an email the provider rejects permanently is dead immediately, with a reason and no secret", async () => {
  const { config, provider, said, worker, mails, subscribe } = await withProvider();
  const token = new URL(unsubscribeLink(config, "hana@example.com")).searchParams.get("token") ?? "";
  provider.behave = ({ authorization, headers }) =>
    Response.json(
      { statusCode: 422, name: "validation_error", message: `No ${authorization} ${headers["List-Unsubscribe"]}\n!` },
      { status: 422 },
    );
  await subscribe("hana@example.com");
  await worker.drain();
  const [mail] = await mails();
  expect(mail).toMatchObject({ state: "dead", attempts: 1, lastError: expect.stringMatching(/^422: No Bearer … </) });
  expect(said).toMatchObject([{ level: "error", event: "email not sent", kind: "welcome", state: "dead" }]);
  for (const secret of [token, provider.env.MAILER_API_KEY]) expect(JSON.stringify([mail, said])).not.toContain(secret);
});

test("an email that got through although its answer was lost is not sent twice, and not called dead", async () => {
  const { provider, db, clock, worker, mails, subscribe } = await withProvider({}, 10_000);
  await subscribe("hana@example.com");
  provider.behave = (arrival) => {
    provider.deliver(arrival);
    return "hang";
  };
  await worker.drain();
  await db.write((orm) => orm.insert(settings).values({ key: "siteTitle", value: "Renamed", isPublic: true }).run());
  provider.behave = () => refusal(409, "invalid_idempotent_request"); // the title has changed since
  clock.time += 5_000;
  await worker.drain();
  expect(provider.delivered()).toHaveLength(1);
  expect(await mails()).toMatchObject([{ state: "sent", attempts: 2 }]);
});

/** Lets the event loop turn that often. */
async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((turn) => setImmediate(turn));
}

test("at most ten are sent at the same time, and two workers never take the same email", async () => {
  const { provider, db, worker, startOne, subscribe } = await withProvider();
  await subscribe("hana@example.com");
  await worker.drain(); // learns the rate limit
  provider.attempts.length = 0;
  await db.write(async (orm) => {
    for (let i = 0; i < 60; i++)
      await outbox.enqueue(orm, { kind: "test", recipient: `r${i}@example.com`, payload: {} }, new Date(0));
  });
  let inWork = 0;
  let most = 0;
  const { promise: tenAreHere, resolve } = Promise.withResolvers<void>();
  provider.behave = async () => {
    most = Math.max(most, ++inWork);
    if (inWork === 10) void turns(100).then(resolve); // time for an eleventh to begin
    await tenAreHere;
    await turns(2);
    inWork--;
    return undefined;
  };
  await worker.drain();
  expect([most, provider.attempts.length, provider.delivered().length]).toEqual([10, 60, 61]);

  await db.write(async (orm) => {
    for (let i = 0; i < 60; i++)
      await outbox.enqueue(orm, { kind: "test", recipient: `r${i}@example.com`, payload: {} }, new Date(0));
  });
  await Promise.all([worker.drain(), startOne().drain()]);
  expect(new Set(provider.attempts.map(({ key }) => key)).size).toBe(120);
  expect(provider.attempts).toHaveLength(120);
});

test("what waits for the pace is sent as soon as that allows, without another look", async () => {
  const provider = await fakeProvider({ perSecond: 50 });
  afterwards.push(provider.stop);
  const { clock, config, db, log } = await testService(provider.env);
  const ahead = clock.time - Date.now();
  const now = () => new Date(Date.now() + ahead);
  const worker = startWorker({ config, db, log, now }, { everyMs: 1e9 });
  afterwards.push(worker.close);
  await db.write(async (orm) => {
    for (let i = 0; i < 20; i++)
      await outbox.enqueue(orm, { kind: "test", recipient: `r${i}@example.com`, payload: {} }, new Date(0));
  });
  await worker.drain(); // as far as the pace allows
  while (provider.delivered().length < 20) await Bun.sleep(1);
});

test("closing cuts off what hangs; the next worker sends it under the same key", async () => {
  const { provider, db, clock, worker, startOne, mails, subscribe } = await withProvider();
  provider.behave = () => "hang";
  await subscribe("hana@example.com");
  void worker.drain();
  while (!provider.attempts.length) await Bun.sleep(1);
  await worker.close();
  expect(await mails()).toMatchObject([{ state: "queued", attempts: 1 }]);

  provider.behave = () => undefined;
  clock.time += 60_000;
  await startOne().drain();
  expect(provider.delivered().map(({ key }) => key)).toEqual([provider.attempts[0]?.key ?? ""]);
  expect(await mailStats(db, new Date(clock.time))).toMatchObject({ queued: 0 });
});

test("a broken database is logged, and the worker lives on", async () => {
  const { db, said, startOne } = await mailroom();
  await subscribers.byEmail(db, "a@example.com");
  const worker = startOne();
  await look(db, "alter table outbox rename to elsewhere");
  await worker.drain().catch(() => undefined);
  expect(said).toMatchObject([{ level: "error", event: "outbox failed" }]);
  await look(db, "alter table elsewhere rename to outbox");
  await worker.drain();
  expect(said).toHaveLength(1);
});
