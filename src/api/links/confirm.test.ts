import { describe, expect, test } from "bun:test";
import { importAll } from "../../../db/newsletter/import";
import * as subscribers from "../../../db/newsletter/subscribers";
import { cleanUp } from "../../../db/ops/cleanup";
import { set } from "../../../test/support/settings";
import { look } from "../../../test/support/look";
import { nextPeer, testService } from "../../../test/support/service";
import { compose } from "../../emails/compose";
import { confirmLink, unsubscribeLink } from "../../security/links";

const [minute, day] = [60_000, 86_400_000];
const email = "ada@example.com";
const htmx = {
  "hx-request": "true",
  "hx-request-type": "partial",
  "hx-current-url": "http://localhost:3000/dashboard/newsletter",
};

async function withDoubleOptIn(value = "true") {
  const service = await testService();
  const { db, now, post, config, send } = service;
  await set(db, "doubleOptIn", value, { by: "cli" }, now());
  const subscribe = (address = email, name?: string) => post("/api/newsletter/subscribe", { email: address, name });
  const person = () => subscribers.byEmail(db, email);
  const mails = () =>
    look<{ kind: string; n: number }>(db, "select kind, count(*) n from outbox group by kind order by kind");
  /** The link in the email, as it would be sent now. */
  const link = async () => new URL(confirmLink(config, email, (await person())?.pendingAt ?? new Date(0)));
  const press = (url: URL | string, peer = nextPeer()) => send(String(url), { method: "POST" }, peer);
  const events = () => look(db, "select kind, via, note from subscriber_events order by created_at, id");
  return { ...service, subscribe, person, mails, link, press, events };
}

/** The structure of a response without its texts. */
const shapeOf = (value: unknown): unknown =>
  value !== null && typeof value === "object"
    ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shapeOf(each)]))
    : typeof value === "boolean"
      ? value
      : typeof value;

test("subscribe responds with the same statuses and structure whether the setting is on or off", async () => {
  const answers = async (value: string) => {
    const { subscribe } = await withDoubleOptIn(value);
    const seen = [];
    for (const address of [email, email, "not an address"]) {
      const answer = await subscribe(address);
      seen.push([answer.status, answer.headers.get("content-type"), shapeOf(await answer.json())]);
    }
    return JSON.stringify(seen);
  };
  expect(await answers("true")).toBe(await answers("false"));
});

test("a new subscriber is pending and gets the link; the welcome email and broadcasts come once they have confirmed", async () => {
  const { subscribe, person, mails, link, get, press, events, db } = await withDoubleOptIn();
  const answer = (await (await subscribe()).json()) as { data: { message: string } };
  expect(answer.data.message).toContain("confirm your subscription");
  expect(await person()).toMatchObject({ state: "active", pendingAt: expect.any(Date), confirmedAt: null });
  expect(await mails()).toEqual([{ kind: "confirm", n: 1 }]);
  const counts = "select state, sum(count) n from subscriber_counts group by state order by state";
  const mailable = async () =>
    (await look<{ state: string; n: number }>(db, counts)).flatMap(({ state, n }) => (Number(n) ? state : []));
  expect(await mailable()).toEqual(["active", "pending"]);

  const url = await link();
  const page = await get(url.href);
  expect([page.status, page.headers.get("cache-control"), page.headers.get("referrer-policy")]).toEqual([
    200,
    "no-store",
    "no-referrer",
  ]);
  expect(await page.text()).toContain("a•••@example.com");
  expect((await person())?.confirmedAt).toBeNull(); // viewing it changes nothing
  const pressed = await press(url);
  expect([pressed.status, pressed.headers.get("location")]).toEqual([303, `${url.pathname}${url.search}`]);
  expect(await person()).toMatchObject({ state: "active", pendingAt: null, confirmedAt: expect.any(Date) });
  expect(await mailable()).toEqual(["active", "mailable"]);
  expect((await press(url)).status).toBe(303); // already done
  const done = await (await get(url.href)).text();
  expect(done).toContain("You’re subscribed");
  const [, own = ""] = /href="(\/newsletter\/preferences[^"]+)"/.exec(done) ?? [];
  expect(await (await get(own.replaceAll("&amp;", "&"))).text()).toContain("a•••@example.com");
  expect(await mails()).toEqual([
    { kind: "confirm", n: 1 },
    { kind: "welcome", n: 1 },
  ]);
  expect(await events()).toMatchObject([
    { kind: "subscribed" },
    { kind: "confirm-sent" },
    { kind: "confirmed", via: "confirm" },
  ]);
});

test("the email names no one, whatever was typed, and carries the one-click headers", async () => {
  const { subscribe, db, config, link } = await withDoubleOptIn();
  await subscribe(email, "Buy pills at evil.example");
  const [row] = await look<{ id: string }>(db, "select id from outbox");
  const mail = {
    id: row?.id ?? "",
    kind: "confirm",
    recipient: email,
    subjectId: null,
    payload: {},
    createdAt: new Date(),
  };
  const letter = await compose({ config, db }, mail as never);
  expect(`${letter?.subject} ${letter?.html} ${letter?.text}`).not.toContain("evil.example");
  expect(letter?.text).toContain((await link()).href);
  expect(letter?.headers["List-Unsubscribe"]).toContain("/api/newsletter/unsubscribe?");
});

test("invalid links get 400 with the same bytes for everyone", async () => {
  const { subscribe, link, get, press, config, now, person, db } = await withDoubleOptIn();
  await subscribe();
  const good = await link();
  const token = good.searchParams.get("token") ?? "";
  const other = (change: Record<string, string>) =>
    `${good.pathname}?${new URLSearchParams({ email, token, ...change })}`;
  const bad = [
    good.pathname,
    other({ token: `${token.slice(0, -2)}AA` }),
    other({ token: token.replace(/^./, "B") }),
    other({ token: `${token}A` }), // the same bytes, and more
    other({ token: `${token}=` }),
    other({ email: "bo@example.com" }),
    `${good.pathname}${good.search}&token=${token}`,
    confirmLink(config, "stranger@example.com", now()),
    confirmLink({ ...config, APP_SECRET: "another-secret-of-at-least-32-characters" }, email, now()),
  ];
  const seen = new Set<string>();
  for (const url of bad)
    for (const answer of [await get(url), await press(url)]) seen.add(`${answer.status} ${await answer.text()}`);
  expect([...seen]).toEqual([expect.stringMatching(/^400 /)]);
  expect((await person())?.confirmedAt).toBeNull();
  await subscribers.unsubscribe(db, email, { via: "page" }, now());
  expect((await press(good)).status).toBe(400);
});

test("who left and is subscribed again later is not confirmed by the earlier link", async () => {
  const { subscribe, link, press, clock, mails, person, db, now } = await withDoubleOptIn();
  await subscribe();
  const earlier = await link();
  await subscribers.unsubscribe(db, email, { via: "page" }, now());
  clock.time += 2 * day;
  await subscribe();
  expect(await mails()).toEqual([{ kind: "confirm", n: 2 }]);
  expect((await press(earlier)).status).toBe(410);
  expect(await person()).toMatchObject({ pendingAt: now(), confirmedAt: null });
  expect((await press(await link())).status).toBe(303);
  expect(await person()).toMatchObject({ pendingAt: null, confirmedAt: now() });
});

test("after seven days the link's page offers a new one, which works", async () => {
  const { subscribe, link, get, press, clock, mails, person } = await withDoubleOptIn();
  await subscribe();
  const first = await link();
  clock.time += 7 * day;
  expect((await get(first.href)).status).toBe(200);
  clock.time += 1;
  const expired = await get(first.href);
  expect([expired.status, (await expired.text()).includes("Send a new link")]).toEqual([410, true]);
  expect((await press(first)).status).toBe(410);
  const again = await press(first.href.replace("confirm?", "confirm-again?"));
  expect([again.status, (await again.text()).includes("Check your inbox")]).toEqual([200, true]);
  expect(await mails()).toEqual([{ kind: "confirm", n: 2 }]);
  expect((await press(await link())).status).toBe(303);
  expect((await person())?.pendingAt).toBeNull();
});

test("for six days the same link is sent again; one sent later is new and valid for seven days", async () => {
  const { subscribe, link, press, clock, mails } = await withDoubleOptIn();
  await subscribe();
  const first = await link();
  clock.time += 6 * day;
  await subscribe();
  expect([await mails(), (await link()).href]).toEqual([[{ kind: "confirm", n: 2 }], first.href]);
  clock.time += 10 * minute;
  await subscribe();
  const last = await link();
  expect(last.href).not.toBe(first.href);
  clock.time += 7 * day;
  expect([(await press(first)).status, (await press(last)).status]).toEqual([410, 303]);
});

test("links are sent ten minutes apart, three in 24 hours and five in 30 days, to one mailbox", async () => {
  const { subscribe, clock, mails } = await withDoubleOptIn();
  const sent = async () => (await mails())[0]?.n;
  const after = async (ms: number, address = email) => {
    clock.time += ms;
    const answer = await subscribe(address);
    expect([200, 201]).toContain(answer.status);
    return Number(await sent());
  };
  expect(await after(0)).toBe(1);
  expect(await after(10 * minute - 1)).toBe(1);
  expect(await after(1)).toBe(2);
  expect(await after(10 * minute)).toBe(3);
  expect(await after(10 * minute)).toBe(3);
  expect(await after(0, "ada+again@example.com")).toBe(3);
  expect(await after(day)).toBe(4);
  expect(await after(day)).toBe(5);
  expect(await after(day)).toBe(5);
  const said = async () => ((await (await subscribe()).json()) as { data: { message: string } }).data.message;
  expect(await said()).toContain("with the link in the email we have sent you");
  clock.time += 7 * day; // the link in the last email has expired
  expect(await said()).toContain("Please try again later to get another link.");
});

test("30 days later a pending subscriber is removed, and the event is kept", async () => {
  const { subscribe, clock, db, now, person, events } = await withDoubleOptIn();
  await subscribe();
  clock.time += 30 * day;
  await cleanUp(db, now());
  expect(await person()).toBeDefined();
  clock.time += 1;
  await cleanUp(db, now());
  expect(await person()).toBeUndefined();
  expect((await events()).at(-1)).toMatchObject({ kind: "expired" });
});

test("someone who had unsubscribed and does not confirm is unsubscribed again, so that no import brings them back", async () => {
  const { subscribe, clock, db, now, person, get, config } = await withDoubleOptIn("false");
  await subscribe();
  await get(unsubscribeLink(config, email));
  const left = (await person())?.unsubscribedAt;
  await set(db, "doubleOptIn", "true", { by: "cli" }, now());
  clock.time += day;
  await subscribe(); // anyone may have typed the address
  expect((await person())?.pendingAt).toBeDate();
  clock.time += 31 * day;
  await cleanUp(db, now());
  expect(await person()).toMatchObject({ state: "unsubscribed", pendingAt: null, unsubscribedAt: left });
  const imported = { email, name: null, source: null, state: "active" as const, createdAt: now() };
  const terms = { revive: false, origin: { via: "import" as const } };
  expect(await importAll(db, [imported], terms, now())).toEqual(["keptUnsubscribed"]);
});

test("switching the setting off confirms no one; the link in one's own email does", async () => {
  const { subscribe, db, now, person, clock, mails } = await withDoubleOptIn();
  await subscribe();
  await set(db, "doubleOptIn", "false", { by: "cli" }, now());
  clock.time += 10 * minute;
  await subscribe();
  expect((await person())?.pendingAt).toBeDate();
  expect(await mails()).toEqual([{ kind: "confirm", n: 2 }]);
  await subscribers.unsubscribe(db, email, { via: "page" }, now());
  await subscribers.subscribeAgain(db, email, { via: "page" }, now());
  expect(await person()).toMatchObject({ state: "active", pendingAt: null });
});

test("a suppressed address gets no link, but the usual response", async () => {
  const { subscribe, db, mails } = await withDoubleOptIn();
  const { suppress } = await import("../../../db/suppressions/suppressions");
  await db.write((orm) => suppress(orm, { email, reason: "complaint" }, { via: "provider" }, new Date(0)));
  const [known, unknown] = [await subscribe(), await subscribe("bo@example.com")];
  expect([known.status, await known.text()]).toEqual([unknown.status, await unknown.text()]);
  expect(await mails()).toEqual([{ kind: "confirm", n: 1 }]);
});

test("whose address was suppressed while they were pending confirms, and is not welcomed", async () => {
  const { subscribe, db, now, mails, link, press, person } = await withDoubleOptIn();
  const { suppress } = await import("../../../db/suppressions/suppressions");
  await subscribe();
  await db.write((orm) => suppress(orm, { email, reason: "bounce" }, { via: "provider" }, now()));
  expect((await press(await link())).status).toBe(303);
  expect(await person()).toMatchObject({ pendingAt: null, suppressedAt: expect.any(Date) });
  expect(await mails()).toEqual([{ kind: "confirm", n: 1 }]);
});

test("the buttons share the limit of subscribing", async () => {
  const { subscribe, link, press } = await withDoubleOptIn();
  await subscribe();
  const [url, peer] = [await link(), nextPeer()];
  for (let i = 0; i < 5; i++) expect((await press(url, peer)).status).toBe(303);
  const refused = await press(url, peer);
  expect([refused.status, refused.headers.has("retry-after")]).toEqual([429, true]);
});

describe("managers", () => {
  test("see who is pending, can send the link again, and can confirm someone manually with a note", async () => {
    const { subscribe, signIn, person, clock, mails, events, db } = await withDoubleOptIn();
    await subscribe();
    const manager = await signIn();
    const list = await (await manager.get("/dashboard/newsletter?status=pending")).text();
    expect(list).toContain(email);
    expect(list).toContain("Pending");
    const id = (await person())?.id ?? "";
    expect(await (await manager.get(`/dashboard/newsletter/${id}`)).text()).toContain("Send link again");

    const bulk = (fields: Record<string, string>) =>
      manager.submit("/dashboard/newsletter/bulk", { ids: id, ...fields }, htmx);
    expect(await (await bulk({ do: "remind" })).text()).toContain("No link was sent");
    clock.time += 10 * minute;
    expect(await (await bulk({ do: "remind" })).text()).toContain("ada@example.com will get the link again");
    expect(await mails()).toEqual([{ kind: "confirm", n: 2 }]);

    expect(await (await bulk({ do: "confirm", confirmed: "yes", asked: "1" })).text()).toContain('name="note"');
    expect((await person())?.pendingAt).toBeDate();
    await bulk({ do: "confirm", confirmed: "yes", asked: "1", note: "Agreed on paper" });
    expect(await person()).toMatchObject({ pendingAt: null, confirmedAt: expect.any(Date) });
    expect((await events()).at(-1)).toEqual({ kind: "confirmed", via: "manager", note: "Agreed on paper" });
    expect(await look(db, "select action from audit_events where action like 'subscriber%' order by action")).toEqual([
      { action: "subscriber.confirm" },
      { action: "subscriber.remind" },
    ]);
    expect(await (await bulk({ do: "remind" })).text()).toContain("No link was sent");
  });

  test("the setting accepts true or false", async () => {
    const { db, now } = await testService();
    await expect(set(db, "doubleOptIn", "yes", { by: "cli" }, now())).rejects.toThrow("choice");
    expect(await set(db, "doubleOptIn", "true", { by: "cli" }, now())).toEqual({ changed: ["doubleOptIn"] });
  });
});

test("whoever unsubscribes and subscribes again within minutes confirms with the link that was sent, and is told no untruth", async () => {
  const { subscribe, person, mails, link, press, config, get, clock, db } = await withDoubleOptIn();
  const said = async (address = email) =>
    ((await (await subscribe(address)).json()) as { data: { message: string } }).data.message;
  const sent = "with the link in the email we have sent you";
  expect(await said()).toContain(sent);
  const first = await link();
  for (const confirmsFirst of [false, true]) {
    if (confirmsFirst) await press(first);
    clock.time += 60_000;
    await get(unsubscribeLink(config, email));
    clock.time += 60_000;
    expect(await said()).toContain(sent);
    expect((await person())?.pendingAt).toBeInstanceOf(Date); // who asked has to confirm once more
    expect((await link()).href).toBe(first.href); // and the email has been sent
    const welcomes = confirmsFirst ? [{ kind: "welcome", n: 1 }] : []; // once, however often they come back
    expect(await mails()).toEqual([{ kind: "confirm", n: 1 }, ...welcomes]);
  }
  await press(first);
  expect(await person()).toMatchObject({ state: "active", pendingAt: null });

  // The cap counts a mailbox, but a link is for one address: then no email has one that works
  await subscribe("ada+1@example.com");
  expect(await said("ada+1@example.com")).toContain("Please try again later to get another link.");
  clock.time += 11 * 60_000;
  expect(await said("ada+1@example.com")).toContain(sent);

  // An email that was never sent, because its reader had left, is none
  await look(db, "update outbox set state = 'cancelled'");
  expect(await said("ada+1@example.com")).toContain("Please try again later");
});

test("whom a manager adds needs no confirmation, also while visitors do", async () => {
  const { db, signIn, mails } = await withDoubleOptIn();
  const manager = await signIn();
  await manager.submit("/dashboard/newsletter", { email: "bo@example.com" });
  expect(await subscribers.byEmail(db, "bo@example.com")).toMatchObject({ state: "active", pendingAt: null });
  expect(await mails()).not.toContainEqual({ kind: "confirm", n: 1 });
});
