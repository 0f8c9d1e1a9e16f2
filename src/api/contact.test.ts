import { expect, test } from "bun:test";
import * as messageList from "../../db/contact/list";
import * as outboxList from "../../db/mail/list";
import { managers } from "../../db/schema/access";
import { settings } from "../../db/schema/settings";
import { nextPeer, testService } from "../../test/support/service";
import { look, unplug } from "../../test/support/look";

const path = "/api/contact";
const valid = { name: "Hana Sato", email: "hana@example.com", message: "Hello, may I ask you something?" };
const uuidv7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

type Service = Awaited<ReturnType<typeof testService>>;
const everything = { page: 1, per: 1000 };
const inbox = ({ db }: Service) => messageList.list(db, { box: "inbox" }, everything).then(({ rows }) => rows);
const spam = ({ db }: Service) => messageList.list(db, { box: "spam" }, everything).then(({ rows }) => rows);
const mails = ({ db }: Service) => outboxList.list(db, {}, everything).then(({ rows }) => rows);
const idOf = async (answer: Response) => ((await answer.json()) as { data: { id: string } }).data.id;

test("a message is kept, and its owner's email is queued with it", async () => {
  const service = await testService();
  const answer = await service.post(path, { ...valid, source: "blog" });
  expect([answer.status, await answer.json()]).toEqual([
    201,
    { success: true, data: { id: expect.stringMatching(uuidv7), message: expect.any(String) }, error: null },
  ] as never);
  const [message] = await inbox(service);
  expect(message).toMatchObject({ ...valid, source: "blog", readAt: null, spamReason: null });
  expect(await mails(service)).toMatchObject([
    { kind: "contact", recipient: "owner@example.com", subjectId: message?.id, payload: {}, state: "queued" },
  ]);
});

test("lengths are counted in code points after trimming, and the limits are inclusive", async () => {
  const service = await testService();
  const bodies = [
    { ...valid, name: " 𝒜𝒷 ", message: "x".repeat(10) },
    { ...valid, name: "n".repeat(100), message: "📮".repeat(2000) },
    { ...valid, email: `${"l".repeat(64)}@${"d".repeat(63)}.${"d".repeat(63)}.example`, source: "s".repeat(100) },
    { ...valid, name: "Ann Other", source: null, message: "two\r\nlines\u0000 \u0007here" },
  ];
  for (const body of bodies) expect((await service.post(path, body)).status).toBe(201);
  const [last, ...others] = await inbox(service);
  expect(last).toMatchObject({ source: "landing", message: "two\nlines here" });
  expect(others.at(-1)).toMatchObject({ name: "𝒜𝒷" });
});

const reason = (field: string, message: string) => [{ field, message }];
test.each<[string, Record<string, unknown>, { field: string; message: string }[]]>([
  ["no name", { name: undefined }, reason("name", "is required")],
  ["one letter", { name: " a " }, reason("name", "must be 2 to 100 characters long")],
  ["101 letters", { name: "n".repeat(101) }, reason("name", "must be 2 to 100 characters long")],
  [
    "a line break in the name",
    { name: "A\nBcc: b@c.de" },
    reason("name", "must not contain control characters or line breaks"),
  ],
  ["no email", { email: undefined }, reason("email", "is required")],
  ["two addresses", { email: "a@example.com, b@example.com" }, reason("email", "must be a valid email address")],
  [
    "201 characters",
    { email: `${"e".repeat(189)}@example.com` },
    reason("email", "must be at most 200 characters long"),
  ],
  ["no message", { message: undefined }, reason("message", "is required")],
  ["nine characters", { message: `  ${"m".repeat(9)}\n` }, reason("message", "must be 10 to 2000 characters long")],
  ["2001 characters", { message: "📮".repeat(2001) }, reason("message", "must be 10 to 2000 characters long")],
  ["a number", { message: 1234567890 }, reason("message", "must be a string")],
  ["a long source", { source: "s".repeat(101) }, reason("source", "must be at most 100 characters long")],
])("400: %s", async (_, change, details) => {
  const service = await testService();
  const answer = await service.post(path, { ...valid, ...change });
  expect([answer.status, await answer.json()]).toEqual([
    400,
    {
      success: false,
      data: null,
      error: {
        code: "VALIDATION_ERROR",
        message: "The request is not valid.",
        details: expect.arrayContaining(details),
      },
    },
  ] as never);
  expect([await inbox(service), await mails(service)]).toEqual([[], []]);
});

test("the same message within ten minutes counts as the first one; later, or with other words, it is new", async () => {
  const service = await testService();
  const id = await idOf(await service.post(path, valid));
  service.clock.time += 599_000;
  expect(await idOf(await service.post(path, { ...valid, email: "HANA@example.com " }))).toBe(id);
  expect(await mails(service)).toHaveLength(1);

  expect(await idOf(await service.post(path, { ...valid, message: `${valid.message}?` }))).not.toBe(id);
  expect(await idOf(await service.post(path, { ...valid, email: "other@example.com" }))).not.toBe(id);
  service.clock.time += 1_000;
  expect(await idOf(await service.post(path, valid))).not.toBe(id);
  expect([await inbox(service), await mails(service)].map(({ length }) => length)).toEqual([4, 4]);
});

test("a hundred simultaneous submissions: one message, one email, one ID", async () => {
  for (const headers of [{}, { "idempotency-key": "once" }]) {
    const service = await testService();
    const answers = await Promise.all(Array.from({ length: 100 }, () => service.post(path, valid, headers)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(await Promise.all(answers.map(idOf))).size).toBe(1);
    expect([await inbox(service), await mails(service)].map(({ length }) => length)).toEqual([1, 1]);
  }
});

test("an Idempotency-Key is good for one message for 24 hours", async () => {
  const service = await testService();
  const key = { "idempotency-key": "0190b6a0-form-7" };
  const send = (body: object) => service.post(path, body, key, "203.0.113.7");
  const id = await idOf(await send(valid));
  service.clock.time += 24 * 3_600_000 - 1;
  expect(await idOf(await send(valid))).toBe(id);

  const other = await send({ ...valid, name: "Somebody Else" });
  expect([other.status, await other.json()]).toEqual([
    409,
    { success: false, data: null, error: { code: "CONFLICT", message: expect.any(String) } },
  ] as never);
  expect(await inbox(service)).toHaveLength(1);

  service.clock.time += 1;
  const next = await send({ ...valid, name: "Somebody Else" });
  expect([next.status, (await inbox(service)).length]).toEqual([201, 2]);
  expect(await look(service.db, "select key from idempotency_keys")).toEqual([
    { key: expect.stringMatching(/^[\w-]{43}$/) as never },
  ]);
});

test.each([
  ["another address", { ...valid, email: "grace@example.com" }, "203.0.113.7"],
  ["another network", { ...valid, message: "Another visitor, whose form counts from one too." }, "203.0.113.8"],
])("an Idempotency-Key is its sender's own: %s with the same key is heard", async (_, body, peer) => {
  const service = await testService();
  const key = { "idempotency-key": "form-1" };
  const first = await idOf(await service.post(path, valid, key, "203.0.113.7"));
  const second = await service.post(path, body, key, peer);
  expect(second.status).toBe(201);
  expect(await idOf(second)).not.toBe(first);
  expect([await inbox(service), await mails(service)].map(({ length }) => length)).toEqual([2, 2]);
});

test("an Idempotency-Key is the same for every spelling of the sender's address and every host of its /64", async () => {
  const service = await testService();
  const key = { "idempotency-key": "form-1" };
  const first = await idOf(await service.post(path, valid, key, "2001:db8:1:2::3"));
  service.clock.time += 3_600_000;
  const again = { ...valid, email: valid.email.toUpperCase() };
  expect(await idOf(await service.post(path, again, key, "2001:db8:1:2:ffff::4"))).toBe(first);
});

test.each([
  ["empty", ""],
  ["with a space", "with space"],
  ["too long", "k".repeat(256)],
  ["not ASCII", "ключ"],
])("400: an Idempotency-Key that is %s", async (_, key) => {
  const service = await testService();
  const answer = await service.post(path, valid, { "idempotency-key": Buffer.from(key).toString("latin1") });
  expect([answer.status, await answer.json()]).toMatchObject([
    400,
    { error: { code: "VALIDATION_ERROR", details: [{ field: "Idempotency-Key" }] } },
  ]);
  expect(await inbox(service)).toEqual([]);
});

test("a submission that fills the hidden field gets the same response, goes to Spam, and no one is notified", async () => {
  const service = await testService();
  const person = await (await service.post(path, { ...valid, website: "  " })).json();
  for (const website of ["https://pills.example", 1, ["x"], { a: 1 }]) {
    const answer = await service.post(path, { ...valid, message: `Buy now! ${JSON.stringify(website)}`, website });
    expect([answer.status, await answer.json()]).toEqual([
      201,
      { ...(person as object), data: { id: expect.stringMatching(uuidv7), message: expect.any(String) } },
    ] as never);
  }
  expect([await inbox(service), await mails(service)].map(({ length }) => length)).toEqual([1, 1]);
  expect((await spam(service)).map(({ spamReason }) => spamReason)).toEqual(
    Array(4).fill("The hidden field was filled in"),
  );
});

test("a person's message arrives even if the browser filled in the hidden field first", async () => {
  const service = await testService();
  await service.post(path, { ...valid, website: "https://hana.example" });
  await service.post(path, valid);
  expect([await inbox(service), await spam(service), await mails(service)].map(({ length }) => length)).toEqual([
    1, 1, 1,
  ]);
});

test("without OWNER_EMAIL the email goes to the setting, then to the first owner, then to no one, with one warning", async () => {
  const service = await testService({ OWNER_EMAIL: "" });
  const { db, clock, logged } = service;
  const say = (message: string) => service.post(path, { ...valid, message });
  await say("nobody is there");
  await say("nobody is there still");
  expect(await mails(service)).toEqual([]);
  expect(logged.filter(({ event }) => event === "no recipient for contact notifications")).toHaveLength(1);

  const manager = (email: string, role: "owner" | "manager", createdAt: number) =>
    ({ email, emailKey: email, role, passwordHash: "", createdAt: new Date(createdAt) }) as const;
  await db.write((orm) =>
    orm
      .insert(managers)
      .values([
        manager("b@x.example", "owner", 2),
        manager("a@x.example", "owner", 1),
        manager("m@x.example", "manager", 0),
      ])
      .run(),
  );
  clock.time += 1;
  await say("to the first owner");
  await db.write((orm) => orm.insert(settings).values({ key: "email", value: "site@x.example", isPublic: true }).run());
  clock.time += 1;
  await say("to the address of the site");
  expect((await mails(service)).map(({ recipient }) => recipient)).toEqual(["site@x.example", "a@x.example"]);
  expect(await inbox(service)).toHaveLength(4);
});

test("the sixth message in ten minutes is refused, malformed ones counted", async () => {
  const service = await testService();
  const peer = nextPeer();
  const statuses = [];
  for (const body of ["{", {}, valid, { ...valid, name: "Two" }, { ...valid, name: "Three" }, valid])
    statuses.push((await service.post(path, body, {}, peer)).status);
  expect(statuses).toEqual([400, 400, 201, 201, 201, 429]);
  const refused = await service.post(path, valid, {}, peer);
  expect(await refused.json()).toMatchObject({ success: false, data: null, error: { code: "RATE_LIMITED" } });
  expect(refused.headers.get("ratelimit-policy")).toBe('"contact";q=5;w=600');
  service.clock.time += 600_000;
  expect((await service.post(path, valid, {}, peer)).status).toBe(201);
});

test("other methods are refused, and forms from other sites", async () => {
  const { get, post, send } = await testService();
  expect((await get(path)).status).toBe(405);
  expect((await send(path, { method: "DELETE" })).status).toBe(405);
  expect((await post(path, JSON.stringify(valid), { "content-type": "text/plain" })).status).toBe(400);
});

test("a dead database is a 500 that says nothing", async () => {
  const { db, post } = await testService();
  await unplug(db);
  const answer = await post(path, valid);
  expect([answer.status, await answer.json()]).toEqual([
    500,
    {
      success: false,
      data: null,
      error: { code: "INTERNAL_ERROR", message: "Something went wrong. The request may be retried." },
    },
  ]);
});
