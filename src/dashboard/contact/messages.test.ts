import { describe, expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import { generate } from "../../../db/access/keys/api-keys";
import * as messages from "../../../db/contact/messages";
import * as submissions from "../../../db/contact/submissions";
import * as messageList from "../../../db/contact/list";
import { addByHand } from "../../../db/newsletter/edit";
import { unsubscribe } from "../../../db/newsletter/subscribers";
import * as outbox from "../../../db/mail/outbox";
import * as outboxList from "../../../db/mail/list";
import * as settings from "../../../test/support/settings";
import { testService } from "../../../test/support/service";
import { look } from "../../../test/support/look";

const path = "/dashboard/contact";
const htmx = { "hx-request": "true", "hx-request-type": "partial", "hx-current-url": `http://localhost:3000${path}` };
const hostile = `"><img src=x onerror=alert(1)>`;

/** A service with a message from each of these people, the last one the newest, and a manager who is signed in. */
async function withMessages(...names: string[]) {
  const service = await testService();
  const { db, clock, now } = service;
  const manager = await service.signIn();
  await settings.set(db, "messagesPerHourBeforeQuarantine", "0", { by: "test" }, now());
  const ids: string[] = [];
  const write = async (submission: Partial<messages.Message>, spamReason?: string) => {
    clock.time += 1_000;
    const whole = { name: "Ada", email: "ada@example.com", message: "Hello there, all of you", source: "landing" };
    const circumstances = { recipient: "owner@example.com", spamReason };
    const submitted = await submissions.submit(db, { ...whole, ...submission }, circumstances, now());
    return "id" in submitted ? submitted.id : "";
  };
  for (const name of names) ids.push(await write({ name, message: `A letter by ${name}` }));
  const read = async (id: string) => Boolean((await messages.byId(db, id))?.readAt);
  const boxes = () => messageList.counts(db);
  const text = async (query = "") => (await manager.get(path + query)).text();
  const listed = async (query = "") =>
    [...(await text(query)).matchAll(/class="from">(?:<span class="sr">Unread: <\/span>)?([^<]+)</g)].map(([, n]) => n);
  const move = async (fields: Record<string, string | string[]>, more: Record<string, string> = htmx) => {
    const answer = await manager.submit(`${path}/bulk`, fields, more);
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  const events = async () =>
    await look(db, "select action, target, details from audit_events where action like 'message%'");
  return { ...service, manager, ids: ids as [string, ...string[]], write, read, boxes, text, listed, move, events };
}

test("what a site sent on behalf of visitors is filtered by its key, and moved together", async () => {
  const service = await withMessages("Bo");
  const { db, listed, manager, move, now, post, text } = service;
  expect(await text()).not.toContain("Sent by a site with");
  const { key, row } = await generate(db, { prefix: "site", name: "Blog <b>", scopes: ["visitors"] }, now());
  const named = { "x-api-key": key, "postroom-visitor-address": "8.8.8.8" };
  const message = "Buy our clocks, all of you";
  for (const name of ["Cy", "Di"]) await post("/api/contact", { name, email: "c@example.com", message }, named);
  await post("/api/contact", { name: "Ed", email: "e@example.com", message }, { "x-api-key": key }); // names no one
  expect(await listed()).toHaveLength(4);
  expect((await listed(`?key=${row.id}`)).sort()).toEqual(["Cy", "Di"]);
  expect(await text()).toContain("Blog &lt;b&gt;</option>");
  const moved = await move({ all: "matching", filter: `key=${row.id}`, do: "trash", confirmed: "yes" });
  expect([moved.status, await listed()]).toEqual([200, ["Ed", "Bo"]]);
  expect(await (await manager.get(`${path}/export.csv?box=trash&key=none`)).text()).not.toContain("Cy");
});

describe("the list", () => {
  test("shows the newest first, and is searched and filtered by its URL", async () => {
    const { listed, write } = await withMessages("Bo", "Åsa");
    await write({ name: "Carl", source: "blog", message: "100% of the ПРИВЕТ" });
    expect(await listed()).toEqual(["Carl", "Åsa", "Bo"]);
    expect(await listed("?q=åSA")).toEqual(["Åsa"]);
    expect(await listed("?q=привет&source=blog")).toEqual(["Carl"]);
    expect(await listed("?source=landing")).toEqual(["Åsa", "Bo"]);
    expect(await listed("?q=%25%25")).toEqual([]);
    expect(await listed("?box=;drop&page=-1&per=7&source=")).toHaveLength(3);
  });

  test("tells of messages that have arrived since, without touching the list, and without keeping anyone signed in", async () => {
    const { clock, manager, write, text } = await withMessages("Bo");
    const newsUrl = async (query = "") =>
      (/ data-poll="([^"]+)"/.exec(await text(query))?.[1] ?? "").replaceAll("&amp;", "&");
    const news = async (url: string, more = {}) => (await manager.get(url, { ...htmx, ...more })).text();
    const url = await newsUrl();
    expect(await news(url)).not.toContain("new message");
    await write({ name: "Carl" });
    await write({ name: "Spam" }, "trap");
    const told = await news(url);
    expect(told).toMatch(
      /^<p class="news" id="news" role="status" data-topic="messages" data-poll="[^"]+"><a href="\/dashboard\/contact"[^>]*>1 new message</,
    );
    expect(told).toContain("<title>(2) Inbox · Postroom</title>");
    expect(told).toMatch(/id="count-c">2</);
    expect(await news(await newsUrl())).not.toContain("new message");
    expect(await newsUrl(`?box=archived`)).toStartWith(`${path}/news?after=`);
    for (let i = 0; i < 13; i++) {
      clock.time += 3_600_000;
      await news(url, { "x-purpose": "poll" });
    }
    expect((await manager.get(path)).status).toBe(303); // twelve idle hours
  });

  test("an empty inbox is told of its first message", async () => {
    const { manager, write, text } = await withMessages();
    const url = / data-poll="([^"]+)"/.exec(await text())?.[1] ?? "";
    await write({ name: "Carl" });
    expect(await (await manager.get(url, htmx)).text()).toContain(">1 new message<");
  });

  test("has pages of fifty; a page past the end is the last one", async () => {
    const { listed, text } = await withMessages(...Array.from({ length: 60 }, (_, i) => `Visitor ${i}`));
    expect([(await listed()).length, (await listed("?page=2")).length, (await listed("?page=99")).length]).toEqual([
      50, 10, 10,
    ]);
    expect(await text("?page=2")).toContain("51–60 of 60");
  });

  test("says what is missing: nothing yet, nothing in this box, nothing that matches", async () => {
    const empty = await withMessages();
    const page = await empty.text();
    expect(page).toContain("curl -X POST http://localhost:3000/api/contact");
    expect(page).toContain("owner@example.com");
    const { text } = await withMessages("Ada");
    expect(await text("?box=archived")).toContain("No archived messages");
    expect(await text("?q=nobody")).toContain("No matching messages");
    expect(await text("?q=nobody")).not.toContain("Choose a message"); // there are none to choose from
    expect(await text()).toContain("Choose a message");
  });

  test("htmx gets the list, and with it the title, the exports and the figures beside the navigation", async () => {
    const { manager } = await withMessages("Ada");
    const answer = await (await manager.get(`${path}?source=landing`, htmx)).text();
    expect(answer).toContain(`href="${path}/export.csv?source=landing"`);
    expect(answer).toStartWith('<section class="list desk" id="list"');
    expect(answer).toContain("<title>(1) Inbox · Postroom</title>");
    expect(answer).toContain('hx-target="#count-c"');
  });
});

describe("opening a message", () => {
  test("marks it read, and a look ahead does not", async () => {
    const { manager, ids, read, send } = await withMessages("Ada");
    await manager.get(`${path}/${ids[0]}`, { "sec-purpose": "prefetch" });
    await send(`${path}/${ids[0]}`, { method: "HEAD", headers: manager.headers });
    await manager.get(path);
    expect(await read(ids[0])).toBe(false);
    const page = await (await manager.get(`${path}/${ids[0]}`)).text();
    expect([await read(ids[0]), page.includes("Unread: ")]).toEqual([true, false]);
    expect(page).toContain("<title>Ada: message · Postroom</title>");
  });

  test("shows the box it lies in, as it was searched", async () => {
    const { manager, move, ids, write } = await withMessages("Ada", "Bo");
    await write({ name: "Carl", message: "Still in the inbox" });
    await move({ do: "archive", ids });
    const page = await (await manager.get(`${path}/${ids[0]}?q=letter`)).text();
    expect(page).toContain(`href="${path}/${ids[1]}?q=letter&amp;box=archived"`);
    expect(page).not.toContain("Carl");
  });

  test("tells where it came from, when, and what became of the notification", async () => {
    const { manager, ids, write, db, now } = await withMessages("Ada");
    const look = async (id: string) =>
      (await manager.get(`${path}/${id}`, { cookie: `${manager.headers.cookie}; tz=Asia/Tokyo` })).text();
    expect(await look(ids[0])).toContain("21 Nov 2026, 21:00 (21 Nov 2026, 12:00 UTC)");
    expect(await look(ids[0])).toContain("Queued");
    const [mail] = await outboxList.about(db, ids[0]);
    await outbox.simulated(db, mail?.id ?? "", now());
    expect(await look(ids[0])).toContain("Simulated");
    expect(await look(ids[0])).toContain(`href="/dashboard/outbox/${mail?.id}"`);
    const spam = await look(await write({ name: "Bot" }, "The hidden field was filled in"));
    expect(spam).toContain("<strong>Spam:</strong> The hidden field was filled in");
    expect(spam).toContain("None (spam)");
  });

  test("that is gone says so, with the list for htmx", async () => {
    const { manager } = await withMessages("Ada");
    expect((await manager.get(`${path}/unknown`)).status).toBe(404);
    const answer = await manager.get(`${path}/unknown`, htmx);
    expect([answer.status, answer.headers.get("hx-replace-url")]).toEqual([200, path]);
    expect(await answer.text()).toContain("This message was permanently deleted.");
  });

  test("keeps what strangers wrote as text, in every field", async () => {
    const { manager, write } = await withMessages();
    const id = await write({ name: hostile, source: hostile, message: `${hostile} https://evil.example/${hostile}` });
    for (const page of [
      path,
      `${path}/${id}`,
      `${path}?q=${encodeURIComponent(hostile)}`,
      `${path}?source=${encodeURIComponent(hostile)}`,
    ]) {
      const text = await (await manager.get(page)).text();
      expect([text.includes("<img"), text.includes("&gt;&lt;img")]).toEqual([false, true]);
    }
  });
});

describe("moving messages", () => {
  test("changes the list immediately and offers Undo", async () => {
    const { move, ids, boxes, manager } = await withMessages("Ada", "Bo");
    const answer = await move({ do: "trash", ids: ids[0] });
    expect([answer.status, answer.headers.get("hx-retarget"), answer.headers.get("hx-replace-url")]).toEqual([
      200,
      "#list",
      path,
    ]);
    expect(answer.text).toContain("Message from Ada moved to the trash.");
    expect(await boxes()).toMatchObject({ inbox: 1, trash: 1 });
    const undo = { do: "restore", ids: /name="ids" value="([^"]+)"><button[^>]*>Undo/.exec(answer.text)?.[1] ?? "" };
    const { text } = await move(undo);
    expect(text).toContain("Message from Ada restored.");
    expect(text).toMatch(new RegExp(`<a class="btn sm" href="${path}/${undo.ids}">\\s*Open`));
    expect(await boxes()).toMatchObject({ inbox: 2, trash: 0 });
    expect((await move(undo)).text).toContain("Nothing changed");
    expect(await (await manager.get(`${path}/${ids[0]}`)).text()).toContain("Archive");
  });

  test.each([
    ["archive", "inbox", "archived", "unarchive"],
    ["spam", "inbox", "spam", "not-spam"],
    ["trash", "inbox", "trash", "restore"],
  ] as const)("%s takes it from %s to %s, and Undo brings it back", async (verb, from, to, back) => {
    const { move, ids, boxes } = await withMessages("Ada");
    const { text } = await move({ do: verb, ids: ids[0] });
    expect(await boxes()).toMatchObject({ [from]: 0, [to]: 1 });
    const toast = text.slice(text.indexOf('class="toast"'));
    const fields = Object.fromEntries(
      [...toast.matchAll(/name="(do|changedAt|ids)" value="([^"]+)"/g)].map(([, name, value]) => [name, value ?? ""]),
    );
    expect(fields.do).toBe(back);
    await move(fields);
    expect(await boxes()).toMatchObject({ [from]: 1, [to]: 0 });
  });

  test("without JavaScript leads back to the list as it was, where the notice waits", async () => {
    const { move, ids, text } = await withMessages("Ada");
    const answer = await move({ do: "unread", ids: ids[0], filter: "q=letter&page=1" }, {});
    expect([answer.status, answer.headers.get("location")]).toEqual([303, `${path}?q=letter`]);
    const { text: nothing } = await move({ do: "archive", ids: ids[0] });
    expect(nothing).toContain("Message from Ada archived.");
    expect(await text()).toContain("Nothing changed: already moved or deleted.");
  });

  test("of messages that are gone is no error, and says how many", async () => {
    const { move, ids } = await withMessages("Ada", "Bo", "Carl");
    await move({ do: "archive", ids: ids[0] });
    expect((await move({ do: "archive", ids })).text).toContain(
      "2 messages archived. 1 other had already been moved or deleted.",
    );
    expect((await move({ do: "archive", ids })).text).toContain("Nothing changed: already moved or deleted.");
    expect((await move({ do: "archive" })).text).toContain("No messages selected.");
  });

  test("to the trash asks when there are several; all that match are counted again, and many are typed", async () => {
    const { move, boxes } = await withMessages(...Array.from({ length: 120 }, (_, i) => `Visitor ${i}`), "Keep");
    const all = { do: "trash", all: "matching", filter: "q=visitor" };
    expect((await move(all)).text).toContain("Delete 120 messages?");
    expect((await move({ ...all, confirmed: "yes", typed: "12" })).status).toBe(422);
    expect(await boxes()).toMatchObject({ inbox: 121 });
    const { text } = await move({ ...all, confirmed: "yes", typed: "120" });
    expect(text).toContain("120 messages moved to the trash.");
    expect(await boxes()).toMatchObject({ inbox: 1, trash: 120 });
    const [, moved = ""] = /name="changedAt" value="(\d+)"/.exec(text) ?? [];
    await move({ do: "restore", changedAt: moved });
    expect(await boxes()).toMatchObject({ inbox: 121, trash: 0 });
  });

  test("permanently only takes what is in the trash, and always asks", async () => {
    const { move, ids, boxes } = await withMessages("Ada", "Bo");
    expect((await move({ do: "delete", ids, confirmed: "yes" })).text).toContain("Nothing changed");
    await move({ do: "trash", ids: ids[0] });
    expect((await move({ do: "delete", ids: ids[0] })).text).toStartWith("<dialog");
    expect((await move({ do: "delete", ids: ids[0] }, {})).text).toStartWith("<!doctype html>");
    expect(await boxes()).toMatchObject({ inbox: 1, trash: 1 });
    expect((await move({ do: "delete", ids: ids[0], confirmed: "yes" })).text).toContain(
      "Message from Ada permanently deleted.",
    );
    expect(await boxes()).toMatchObject({ inbox: 1, trash: 0 });
  });

  test("is noted in the audit log; reading is not", async () => {
    const { move, ids, manager, events } = await withMessages("Ada", "Bo");
    await manager.get(`${path}/${ids[0]}`);
    await move({ do: "spam", ids: ids[0] });
    await move({ do: "archive", ids });
    await move({ do: "read", all: "matching", filter: "box=archived" });
    expect(await events()).toEqual([
      { action: "message.spam", target: "Ada <ada@example.com>", details: "{}" },
      { action: "message.archive", target: "Bo <ada@example.com>", details: "{}" },
      { action: "message.read", target: "Bo <ada@example.com>", details: "{}" },
    ]);
  });

  test("is refused from elsewhere, without the form's token, and in words no one knows", async () => {
    const { move, ids, boxes, manager, send } = await withMessages("Ada");
    const body = new URLSearchParams({ do: "trash", ids: ids[0] });
    expect((await send(`${path}/bulk`, { method: "POST", body, headers: manager.headers })).status).toBe(403);
    expect((await move({ do: "trash", ids: ids[0] }, { "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await move({ do: "explode", ids: ids[0] })).status).toBe(400);
    expect(await boxes()).toMatchObject({ inbox: 1 });
  });
});

describe("the export", () => {
  test("holds what the filter shows, guarded against formulas", async () => {
    const { manager, write } = await withMessages("Ada");
    await write({ name: "=cmd()", message: '@sum, "quoted"\nand more', source: "+1" });
    const answer = await manager.get(`${path}/export.csv`);
    expect([answer.headers.get("content-type"), answer.headers.get("content-disposition")]).toEqual([
      "text/csv; charset=utf-8",
      'attachment; filename="messages-2026-11-21.csv"',
    ]);
    const [columns, first, ...others] = parse(await answer.text()) as string[][];
    expect(columns).toEqual(["id", "receivedAt", "name", "email", "source", "box", "readAt", "spamReason", "message"]);
    expect(first?.slice(1)).toEqual([
      ...["2026-11-21T12:00:02.000Z", "'=cmd()", "ada@example.com", "'+1", "inbox", "", ""],
      '\'@sum, "quoted"\nand more',
    ]);
    expect(others).toHaveLength(1);
    expect(parse(await (await manager.get(`${path}/export.csv?q=nobody`)).text())).toHaveLength(1);
  });

  test("is the same as JSON, as it was written, however long", async () => {
    const { manager } = await withMessages(...Array.from({ length: 1_050 }, (_, i) => `=Visitor ${i}`));
    const answer = await manager.get(`${path}/export.json?q=visitor`);
    expect(answer.headers.get("content-disposition")).toBe('attachment; filename="messages-2026-11-21.json"');
    const list = (await answer.json()) as { name: string; box: string; readAt: null }[];
    expect([list.length, list.at(-1)]).toMatchObject([1_050, { name: "=Visitor 0", box: "inbox", readAt: null }]);
    expect(await (await manager.get(`${path}/export.json?box=spam`)).json()).toEqual([]);
  });
});

test("the list ends a long message with an ellipsis, and a short one without", async () => {
  const { write, text } = await withMessages();
  await write({ message: `${"tide ".repeat(80)}and more` });
  await write({ message: "A short letter, whole" });
  const lines = [...(await text()).matchAll(/class="line"[^>]*>([^<]+)</g)].map(([, words]) => words);
  expect(lines).toEqual(["A short letter, whole", `${"tide ".repeat(40).trimEnd()}…`]);
});

test("the list says for how many days a message has had no answer", async () => {
  const { clock, signIn, text } = await withMessages("Ada");
  expect(await text()).not.toContain("Unanswered");
  clock.time += 3 * 86_400_000;
  const later = await signIn({ email: "bo@example.com" });
  expect(await (await later.get(path)).text()).toContain("Unanswered for 3 days");
});

test("messages stand below the day on which someone wrote last, in the manager's own time zone", async () => {
  const { clock, write, manager } = await withMessages();
  const bands = async (zone: string) => {
    await manager.submit("/dashboard/account/times", { timeZone: zone, dates: "en-GB" });
    const html = await (await manager.get(path)).text();
    return [...html.matchAll(/class="band"[^>]*>([^<]+)<|class="from">(?:<span[^>]*>[^<]*<\/span>)?([^<]+)</g)].map(
      ([, band, name]) => band ?? `- ${name}`,
    );
  };
  for (const at of ["2026-08-03T10:00Z", "2026-11-15T10:00Z", "2026-11-20T23:30Z", "2026-11-21T09:00Z"]) {
    clock.time = Date.parse(at);
    await write({ name: at.slice(5, 10), message: `Written ${at}` });
  }
  clock.time = Date.parse("2026-11-21T12:00Z");
  expect(await bands("UTC")).toEqual([
    "Today",
    "- 11-21",
    "Yesterday",
    "- 11-20",
    "Last 7 days",
    "- 11-15",
    "August 2026",
    "- 08-03",
  ]);
  expect((await bands("Europe/Berlin")).slice(0, 3)).toEqual(["Today", "- 11-21", "- 11-20"]);
});

test("beside a conversation stands who wrote: since when they subscribe, their tags, and how many conversations they began", async () => {
  const { db, manager, now, write } = await withMessages();
  const id = await write({ name: "Ada" });
  const read = async () => (await manager.get(`${path}/${id}`)).text();
  expect(await read()).toContain("Not a subscriber");
  const person = { email: "ADA@example.com", name: "Ada", source: null, language: "de", tags: [hostile, "bergen"] };
  await addByHand(db, person, { actor: "owner@example.com", welcome: false }, now());
  await write({ name: "Ada", message: "Once more, with feeling" });
  const html = await read();
  expect(html).toContain("Subscriber since November 2026");
  expect(html).toContain('<span class="chip">bergen</span>');
  expect(html).not.toContain(hostile);
  expect(html).toMatch(/<dt>Conversations<\/dt>\s*<dd>2</);
  await unsubscribe(db, "ada@example.com", { via: "manager" }, now());
  expect(await read()).toMatch(/Subscriber<\/a> <span class="badge[^>]*>Unsubscribed/);
});
