import { expect, spyOn, test } from "bun:test";
import { SQLiteDialect } from "drizzle-orm/sqlite-core";
import * as subscriberList from "../../db/newsletter/list";
import { addTopic } from "../../db/newsletter/topics";
import * as scanner from "../../db/newsletter/scanner";
import * as subscribers from "../../db/newsletter/subscribers";
import { unsubscribeLink } from "../security/links";
import { nextPeer, testService } from "../../test/support/service";
import type { Db } from "../../db/engine/open";
import { look, unplug } from "../../test/support/look";

const path = "/api/newsletter/subscribe";
const count = async (db: Db, sql: string) => (await look<{ n: number }>(db, `select count(*) n from ${sql}`))[0]?.n;

test("a new address is subscribed with 201 and welcomed once", async () => {
  const { db, post } = await testService();
  const first = await post(path, { email: "Ada@Example.com", name: "Ada", source: "blog" });
  expect([first.status, await first.json()]).toEqual([
    201,
    { success: true, data: { alreadySubscribed: false, message: expect.any(String) }, error: null },
  ]);

  const second = await post(path, { email: " ada@EXAMPLE.com " });
  expect([second.status, await second.json()]).toMatchObject([200, { data: { alreadySubscribed: true } }]);
  expect(await count(db, "outbox")).toBe(1);
  expect(await subscribers.byEmail(db, "ada@example.com")).toMatchObject({
    email: "Ada@Example.com",
    state: "active",
    source: "blog",
  });
});

test("a hundred parallel subscribes of one address: one row, one email, one 201", async () => {
  const { db, post } = await testService();
  const answers = await Promise.all(Array.from({ length: 100 }, () => post(path, { email: "race@example.com" })));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(99);
  expect([await count(db, "subscribers"), await count(db, "outbox")]).toEqual([1, 1]);
});

test("the link unsubscribes, again says so, and subscribing re-activates with 201", async () => {
  const { config, db, get, post } = await testService();
  await post(path, { email: "ada@example.com" });
  const link = unsubscribeLink(config, "ada@example.com");

  const gone = await get(link);
  expect([gone.status, gone.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  expect(await gone.text()).toContain("ad•••@example.com".replace("ad", "a"));
  expect(await (await get(link)).text()).toContain("already unsubscribed");
  expect(await subscribers.byEmail(db, "ada@example.com")).toMatchObject({ state: "unsubscribed" });

  const back = await post(path, { email: "ada@example.com" });
  expect([back.status, await back.json()]).toMatchObject([201, { data: { alreadySubscribed: false } }]);
  expect(await count(db, "outbox")).toBe(1); // one welcome email in 24 hours
});

test("after a day there may be another welcome email, and at most three in thirty days", async () => {
  const { clock, config, db, get, post } = await testService();
  for (let day = 0; day < 8; day++) {
    await post(path, { email: "ada@example.com" });
    await get(unsubscribeLink(config, "ada@example.com"));
    clock.time += 25 * 3_600_000;
  }
  expect(await count(db, "outbox")).toBe(3);
});

test.each([
  ["tags", ["victim+1@x.example", "victim+2@x.example", "victim@x.example", "VICTIM+3+4@X.example"]],
  ["the mailbox itself first", ["victim@x.example", "victim+1@x.example", "victim+2@x.example"]],
  ["dots and domains of Gmail", ["vic.tim@gmail.com", "victim@gmail.com", "v.i.c.tim+a@googlemail.com"]],
  ["what Proton ignores", ["vic.tim@proton.me", "vic_tim@pm.me", "vic-tim+a@protonmail.com", "victim@proton.me"]],
])("one mailbox gets one welcome email a day and three in thirty days: %s", async (_, emails) => {
  const { clock, config, db, get, post } = await testService();
  for (let day = 0; day < 5; day++) {
    const answers = await Promise.all(emails.map((email) => post(path, { email })));
    expect(answers.map(({ status }) => status)).toEqual(emails.map(() => 201)); // all of them are on the list (D11)
    expect([await count(db, "subscribers"), await count(db, "outbox")]).toEqual([emails.length, Math.min(day + 1, 3)]);
    for (const email of emails) await get(unsubscribeLink(config, email));
    clock.time += 24 * 3_600_000;
  }
});

test("a hundred tags of one mailbox get one email, and deleting the subscribers does not bypass that", async () => {
  const { db, now, post } = await testService();
  const emails = Array.from({ length: 100 }, (_, i) => `victim+${i}@example.com`);
  await Promise.all(emails.map((email) => post(path, { email })));
  expect([await count(db, "subscribers"), await count(db, "outbox")]).toEqual([100, 1]);
  await subscriberList.remove(db, { matching: {} }, { actor: "cli", address: null }, now());
  for (const email of ["victim+7@example.com", "victim@example.com"]) await post(path, { email });
  expect([await count(db, "subscribers"), await count(db, "outbox")]).toEqual([2, 1]);
});

test("mailboxes that only look alike are welcomed one by one", async () => {
  const { db, post } = await testService();
  const emails = [
    "a.b@x.example",
    "ab@x.example",
    "a_b@gmail.com",
    "a-b@gmail.com",
    "ab@gmail.com.example",
    "+a@x.example",
  ];
  for (const email of emails) expect((await post(path, { email })).status).toBe(201);
  expect([await count(db, "subscribers"), await count(db, "outbox")]).toEqual([emails.length, emails.length]);
});

test("the cap applies to an address, even if its subscriber is deleted in between", async () => {
  const { clock, db, now, post } = await testService();
  for (let day = 0; day < 8; day++) {
    for (const email of ["ada@example.com", "Ada@EXAMPLE.com"]) {
      await post(path, { email });
      await subscriberList.remove(db, { matching: {} }, { actor: "owner@example.com" }, now());
    }
    clock.time += 25 * 3_600_000;
  }
  expect(await count(db, "outbox")).toBe(3);
});

test.each<[string, unknown, { field: string; message: string }[] | undefined, string]>([
  ["not JSON", "{", undefined, "INVALID_JSON"],
  ["empty", "", undefined, "INVALID_JSON"],
  ["no email", {}, [{ field: "email", message: "is required" }], "VALIDATION_ERROR"],
  ["a number", { email: 1 }, [{ field: "email", message: "must be a string" }], "VALIDATION_ERROR"],
  [
    "not an email",
    { email: "nope" },
    [{ field: "email", message: "must be a valid email address" }],
    "VALIDATION_ERROR",
  ],
  [
    "a line break",
    { email: "a@b.example\nBcc: x@y.example" },
    [{ field: "email", message: "must not contain control characters or line breaks" }],
    "VALIDATION_ERROR",
  ],
  [
    "201 characters",
    { email: `${"a".repeat(189)}@example.com` },
    [{ field: "email", message: "must be at most 200 characters long" }],
    "VALIDATION_ERROR",
  ],
  [
    "long name",
    { email: "a@example.com", name: "n".repeat(101) },
    [{ field: "name", message: "must be at most 100 characters long" }],
    "VALIDATION_ERROR",
  ],
  ["an array", [], [{ field: "body", message: expect.any(String) as never }], "VALIDATION_ERROR"],
])("400: %s", async (_, body, details, code) => {
  const { db, post } = await testService();
  const answer = await post(path, body);
  expect([answer.status, await answer.json()]).toEqual([
    400,
    {
      success: false,
      data: null,
      error: { code, message: expect.any(String), ...(details && { details: expect.arrayContaining(details) }) },
    },
  ] as never);
  expect(await count(db, "subscribers")).toBe(0);
});

test("a form post is rejected, whatever it contains", async () => {
  const { post } = await testService();
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
    expect((await post(path, '{"email":"a@example.com"}', { "content-type": type })).status).toBe(400);
});

test("the sixth request in ten minutes is refused, malformed ones counted", async () => {
  const { clock, post } = await testService();
  const peer = nextPeer();
  const statuses = [];
  for (const body of ["{", {}, { email: "a@example.com" }, { email: "b@example.com" }, "{", { email: "c@example.com" }])
    statuses.push((await post(path, body, {}, peer)).status);
  expect(statuses).toEqual([400, 400, 201, 201, 400, 429]);

  const refused = await post(path, "{", {}, peer);
  const message = "Too many requests. Try again in 600 seconds.";
  expect(await refused.json()).toMatchObject({ success: false, data: null, error: { code: "RATE_LIMITED", message } });
  expect(Object.fromEntries(refused.headers)).toMatchObject({
    "retry-after": "600",
    ratelimit: '"subscribe";r=0;t=600',
    "ratelimit-policy": '"subscribe";q=5;w=600',
  });
  clock.time += 599_000;
  const last = (await (await post(path, "{", {}, peer)).json()) as { error: { message: string } };
  expect(last.error.message).toBe("Too many requests. Try again in 1 second.");
  clock.time += 1_000;
  expect((await post(path, { email: "c@example.com" }, {}, peer)).status).toBe(201);
});

test("names are shown, never interpreted; international addresses are one address", async () => {
  const { db, post } = await testService();
  expect((await post(path, { email: "ada@bücher.example", name: null, source: "" })).status).toBe(201);
  expect((await post(path, { email: "ADA@xn--bcher-kva.example" })).status).toBe(200);
  expect((await post(path, { email: "ada+news@bücher.example" })).status).toBe(201);
  expect(await count(db, "subscribers")).toBe(2);
});

test("HEAD, OPTIONS and prefetches change nothing", async () => {
  const { config, db, get, post, send } = await testService();
  await post(path, { email: "ada@example.com" });
  const link = unsubscribeLink(config, "ada@example.com");
  expect((await send(link, { method: "HEAD" })).status).toBe(200);
  expect((await send(link, { method: "OPTIONS" })).status).toBe(204);
  for (const header of ["sec-purpose", "purpose", "x-moz"]) {
    const page = await get(link, { [header]: "prefetch" });
    expect([page.status, await page.text()]).toEqual([
      200,
      expect.stringContaining("Nothing has been changed yet") as never,
    ]);
  }
  expect(await subscribers.byEmail(db, "ada@example.com")).toMatchObject({ state: "active" });
});

test("an email app's one-click POST unsubscribes, whatever its body", async () => {
  const { config, db, send, post } = await testService();
  for (const [body, type] of [
    ["List-Unsubscribe=One-Click", "application/x-www-form-urlencoded"],
    ["--x\r\nbroken", "multipart/form-data; boundary=x"],
    ["", ""],
  ] as const) {
    await post(path, { email: "ada@example.com" });
    const answer = await send(unsubscribeLink(config, "ada@example.com"), {
      method: "POST",
      body,
      headers: { "content-type": type },
    });
    expect(answer.status).toBe(200);
    expect(await subscribers.byEmail(db, "ada@example.com")).toMatchObject({ state: "unsubscribed" });
  }
});

test("“Subscribe again” on the page brings the address back; reloading changes nothing", async () => {
  const { config, db, get, post, send } = await testService();
  await post(path, { email: "ada@example.com" });
  const page = await (await get(unsubscribeLink(config, "ada@example.com"))).text();
  const action = /action="([^"]+)"/.exec(page)?.[1]?.replaceAll("&amp;", "&") ?? "";
  const answer = await send(action, { method: "POST", redirect: "manual" });
  expect(answer.status).toBe(303);
  const back = await get(answer.headers.get("location") ?? "");
  expect([back.status, await back.text()]).toEqual([200, expect.stringContaining("subscribed again") as never]);
  expect(await subscribers.byEmail(db, "ada@example.com")).toMatchObject({ state: "active" });
});

test("“Subscribe again” shares the limit of subscribing: what it keeps has a bound, and leaving has no limit", async () => {
  const { config, db, post, send } = await testService();
  await post(path, { email: "ada@example.com" });
  const link = unsubscribeLink(config, "ada@example.com");
  const press = (url: string) => send(url, { method: "POST" }, "203.0.113.5");
  const again = link.replace("/unsubscribe?", "/subscribe-again?");
  const statuses: number[] = [];
  for (let i = 0; i < 6; i++) statuses.push((await press(link)).status, (await press(again)).status);
  expect(statuses).toEqual([...Array(5).fill([200, 303]), [200, 429]].flat());
  const refused = await press(again);
  expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
  expect(await refused.text()).toContain("Too many requests");
  expect(await count(db, "subscriber_events")).toBe(12);
});

test("a bad link is the same 400 page for known and unknown addresses", async () => {
  const { config, get, post } = await testService();
  await post(path, { email: "known@example.com" });
  const token = new URL(unsubscribeLink(config, "other@example.com")).searchParams.get("token") ?? "";
  const pages = new Set<string>();
  for (const query of [
    "",
    "?email=known@example.com",
    `?token=${token}`,
    `?email=known@example.com&token=${token}`,
    `?email=unknown@example.com&token=${token}`,
    `?email=known@example.com&token=${token}&token=${token}`,
    `?email=%00&token=${"A".repeat(43)}`,
    `?email=known@example.com&token=${"<script>".repeat(9)}`,
  ]) {
    const page = await get(`/api/newsletter/unsubscribe${query}`);
    expect([
      page.status,
      page.headers.get("content-type"),
      page.headers.get("referrer-policy"),
      page.headers.get("x-robots-tag"),
      page.headers.get("cache-control"),
    ]).toEqual([400, "text/html; charset=utf-8", "no-referrer", "noindex", "no-store"]);
    pages.add(await page.text());
  }
  expect(pages.size).toBe(1);
});

test.each<[name: string, email: string, rewritten: (link: string) => string]>([
  ["with the plus as it was", "ada+a@example.com", (link) => link.replace("%2B", "+")],
  ["in small hexadecimal", "ada+b@example.com", (link) => link.replace("%2B", "%2b")],
  ["with @ as it is", "ada@example.com", (link) => link.replace("%40", "@")],
  ["with the address in capitals", "bob@example.com", (link) => link.replace("bob", "BOB")],
  ["with a campaign's mark", "eve@example.com", (link) => `${link}&utm_source=mail`],
  ["with the domain in punycode", "eve@bücher.example", (link) => link.replace("b%C3%BCcher", "xn--bcher-kva")],
])("a link that an email app wrote anew %s still works", async (_, email, rewritten) => {
  const { config, db, get, post } = await testService();
  await post(path, { email });
  expect((await get(rewritten(unsubscribeLink(config, email)))).status).toBe(200);
  expect(await subscribers.byEmail(db, email)).toMatchObject({ state: "unsubscribed" });
});

test("no flipped bit of a token is accepted, and links survive a change of the secret", async () => {
  const old = await testService();
  const link = new URL(unsubscribeLink(old.config, "ada@example.com"));
  const token = Buffer.from(link.searchParams.get("token") ?? "", "base64url");
  for (let bit = 0; bit < 256; bit++) {
    const forged = Buffer.from(token);
    forged[bit >> 3] = (forged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    link.searchParams.set("token", forged.toString("base64url"));
    expect((await old.get(link.href)).status).toBe(400);
  }
  const next = await testService({
    APP_SECRET: "another-secret-of-more-than-32-chars",
    APP_SECRET_PREVIOUS: old.config.APP_SECRET,
  });
  expect((await next.get(unsubscribeLink(old.config, "ada@example.com"))).status).toBe(200);
  expect((await old.get(unsubscribeLink(next.config, "ada@example.com"))).status).toBe(400);
});

test("a network that opens three people's links is a scanner: a manager restores them in one action", async () => {
  const { config, db, get, post, clock } = await testService();
  const people = ["a@example.com", "b@example.com", "c@example.com", "d@example.com"];
  for (const email of people) await post(path, { email });
  await get(unsubscribeLink(config, "d@example.com"), {}, "203.0.113.9");
  clock.time += 6 * 60_000;
  for (const [i, email] of people.slice(0, 3).entries())
    await get(unsubscribeLink(config, email), {}, `203.0.113.${i}`);
  expect(await scanner.countScanned(db)).toBe(3);
  expect(await scanner.restoreScanned(db, { actor: "owner@example.com" }, new Date(clock.time))).toBe(3);
  for (const email of people)
    expect(await subscribers.byEmail(db, email)).toMatchObject({
      state: email.startsWith("d") ? "unsubscribed" : "active",
    });
});

test("someone who came back after the scanner and left again is not restored, because they meant it", async () => {
  const { config, db, get, post, send, clock } = await testService();
  const people = ["a@example.com", "b@example.com", "c@example.com"];
  for (const email of people) await post(path, { email });
  for (const email of people) await get(unsubscribeLink(config, email), {}, "203.0.113.9");
  clock.time += 60_000;
  await post(path, { email: "a@example.com" });
  clock.time += 60_000;
  await send(unsubscribeLink(config, "a@example.com"), { method: "POST" }, "198.51.100.4");
  expect(await scanner.countScanned(db)).toBe(2);
  await scanner.restoreScanned(db, { actor: "owner@example.com" }, new Date(clock.time));
  const states = await Promise.all(people.map(async (email) => (await subscribers.byEmail(db, email))?.state));
  expect(states).toEqual(["unsubscribed", "active", "active"]);
});

test("whoever leaves after a scanner or a manager unsubscribed them is not brought back by undoing that", async () => {
  const { config, db, get, post, send, clock, signIn } = await testService();
  const people = ["a@example.com", "b@example.com", "c@example.com", "d@example.com"];
  for (const email of people) await post(path, { email });
  for (const email of people) await get(unsubscribeLink(config, email), {}, "203.0.113.9");
  expect(await scanner.countScanned(db)).toBe(4);
  clock.time += 60_000;
  await send(unsubscribeLink(config, "a@example.com"), { method: "POST" }, "198.51.100.4");
  await get(unsubscribeLink(config, "b@example.com"), {}, "198.51.100.5");
  await get(unsubscribeLink(config, "c@example.com"), {}, "203.0.113.9"); // the scanner once more
  clock.time += 60_000;
  expect(await scanner.restoreScanned(db, { actor: "owner@example.com" }, new Date(clock.time))).toBe(2);
  const states = async () => Promise.all(people.map(async (email) => (await subscribers.byEmail(db, email))?.state));
  expect(await states()).toEqual(["unsubscribed", "unsubscribed", "active", "active"]);

  const owner = await signIn();
  const { id = "" } = (await subscribers.byEmail(db, "d@example.com")) ?? {};
  clock.time += 60_000;
  const changedAt = String(clock.time);
  await owner.submit("/dashboard/newsletter/bulk", { do: "unsubscribe", ids: id });
  const page = await (await owner.get("/dashboard/newsletter")).text();
  expect(page).toContain(`name="changedAt" value="${changedAt}"`); // Undo
  clock.time += 60_000;
  await send(unsubscribeLink(config, "d@example.com"), { method: "POST" }, "198.51.100.6");
  await owner.submit("/dashboard/newsletter/bulk", { do: "resubscribe", changedAt });
  expect(await states()).toEqual(["unsubscribed", "unsubscribed", "active", "unsubscribed"]);
});

test("a dead database is a 500 that says nothing, and the unsubscribe page still renders", async () => {
  const { config, db, get, post } = await testService();
  await unplug(db);
  const answer = await post(path, { email: "ada@example.com" });
  expect([answer.status, await answer.json()]).toEqual([
    500,
    {
      success: false,
      data: null,
      error: { code: "INTERNAL_ERROR", message: "Something went wrong. The request may be retried." },
    },
  ]);
  const page = await get(unsubscribeLink(config, "ada@example.com"));
  expect([page.status, await page.text()]).toEqual([500, expect.stringContaining("Try again") as never]);
});

test("who subscribes may name topics and a language; what a site does not have is ignored", async () => {
  const { db, now, post, send } = await testService();
  for (const name of ["Recipes", "News"])
    await addTopic(db, { name, sentence: "", isDefault: name === "News" }, { actor: "cli" }, now());
  const chosen = async (email: string) =>
    (
      await look<{ slug: string }>(
        db,
        `select slug from topics join subscriber_topics on topic_row = topics."row"
         join subscribers on subscribers."row" = subscriber_row where email = ? and chosen = 1 order by slug`,
        [email],
      )
    ).map(({ slug }) => slug);
  const form = (fields: [string, string][]) =>
    send("/newsletter/subscribe", { method: "POST", body: new URLSearchParams(fields) }, nextPeer());
  expect((await post(path, { email: "a@x.example", topics: ["recipes", "old"], language: "tlh" })).status).toBe(201);
  expect((await post(path, { email: "b@x.example" })).status).toBe(201);
  expect((await post(path, { email: "c@x.example", topics: [] })).status).toBe(201);
  expect((await post(path, { email: "a@x.example", topics: ["news"], language: "es" })).status).toBe(200);
  for (const [topics, message] of [
    ["recipes", "must be a list"],
    [[1], "must be a string"],
    [Array(21).fill("x"), "must have at most 20 entries"],
    [["x".repeat(101)], "must be at most 100 characters long"],
  ]) {
    const refused = await post(path, { email: "d@x.example", topics });
    expect([refused.status, await refused.json()]).toMatchObject([400, { error: { details: [{ message }] } }]);
  }
  const both: [string, string][] = [
    ["topics", ""],
    ["topics", "recipes"],
    ["topics", "news"],
  ];
  expect((await form([["email", "e@x.example"], ...both])).status).toBe(200);
  expect(
    (
      await form([
        ["email", "f@x.example"],
        ["topics", ""],
      ])
    ).status,
  ).toBe(200);
  expect(
    (
      await form([
        ["email", "g@x.example"],
        ["email", "h@x.example"],
      ])
    ).status,
  ).toBe(400);
  const all = await Promise.all(["a", "b", "c", "e", "f"].map((name) => chosen(`${name}@x.example`)));
  expect(all).toEqual([["recipes"], ["news"], [], ["news", "recipes"], []]);
  expect(await look(db, "select language from subscribers where email = 'a@x.example'")).toEqual([{ language: null }]);
});

test("a subscription builds no statement anew, which would take longer than all the rest", async () => {
  const { db, post } = await testService();
  using built = spyOn(SQLiteDialect.prototype, "sqlToQuery");
  const countOf = async (email: string) => {
    built.mockClear();
    expect((await post(path, { email })).status).toBe(201);
    return built.mock.calls.length;
  };
  expect(await countOf("first@example.com")).toBeGreaterThan(0);
  const texts = db.isShared ? 2 : 0; // PostgreSQL's window of a client and its lock, of which there is little to build
  const counts = [
    await countOf("second@example.com"),
    await countOf("third@example.com"),
    await countOf("d@example.com"),
  ];
  expect(Math.min(...counts)).toBe(texts); // more if a transaction was repeated, because another process was busy
});
