import { expect, test } from "bun:test";
import type { AuditAction } from "../../db/audit";
import * as audit from "../../db/audit";
import { testService } from "../../test/support/service";
import { look } from "../../test/support/look";

const path = "/dashboard/audit";

/** A page's own part, without the navigation, which folds in the same way. */
const mainOf = (html: string) => html.slice(html.indexOf("<main"));

/** Entries of three days, and the targets that a page shows. */
async function log() {
  const service = await testService();
  const { clock, db, now, signIn } = service;
  const { get } = await signIn();
  const shown = async (query: string) => {
    const page = mainOf(await (await get(`${path}?${query}`)).text());
    return [...page.matchAll(/<summary>(.*?)<\/summary>/gs)].map(
      ([, text = ""]) => /class="wrap">([^<>]+)</.exec(text)?.[1] ?? "signed in",
    );
  };
  const note = (actor: string, action: AuditAction, target: string, details = {}) =>
    audit.recordAlone(db, { actor, action, target, details, targetId: `id-${target}`, address: "203.0.113.9" }, now());
  clock.time += 24 * 3_600_000;
  await note("ada@example.com", "api-key.deactivate", "Blog");
  clock.time += 24 * 3_600_000;
  await note("cli", "api-key.create", "Größe");
  await note("ada@example.com", "subscriber.delete", "<img src=x>", { reason: "asked <b>to</b>" });
  clock.time -= 48 * 3_600_000; // back to a time when the session is valid
  return { ...service, get, note, shown };
}

test("an entry of a sign-in says with what", async () => {
  const { get, note } = await log();
  await note("ada@example.com", "session.begin", "ada@example.com", { method: "link" });
  expect(await (await get(path)).text()).toContain("<dt>Signed in with</dt><dd>One-time link</dd>");
});

test("the latest entry comes first, as text that is never interpreted", async () => {
  const { get, shown } = await log();
  expect(await shown("")).toEqual(["&lt;img src=x&gt;", "Größe", "Blog", "signed in"]);
  const page = await (await get(path)).text();
  for (const text of [
    "asked &lt;b&gt;to",
    "203.0.113.9",
    "id-Blog",
    "23 Nov 2026, 12:00",
    "signed in",
    "deactivated the API key",
  ])
    expect(page).toContain(text);
});

test.each([
  ["actor=cli", ["Größe"]],
  ["action=api-key", ["Größe", "Blog"]],
  ["actor=ada%40example.com&action=api-key", ["Blog"]],
  ["q=GRÖSSE", ["Größe"]],
  ["q=id-blog", ["Blog"]],
  ["q=%25", []],
  ["from=2026-11-22&to=2026-11-22", ["Blog"]],
  ["from=2026-11-23", ["&lt;img src=x&gt;", "Größe"]],
  ["to=2026-11-21", ["signed in"]],
  ["from=nonsense&page=x&actor=", ["&lt;img src=x&gt;", "Größe", "Blog", "signed in"]],
])("%s", async (query, targets) => {
  const { shown } = await log();
  expect(await shown(query)).toEqual(targets);
});

test("days begin and end in the manager's time zone", async () => {
  const { db, clock, note, shown } = await log();
  await look(db, `update managers set preferences = '{"timeZone":"Pacific/Auckland"}'`);
  clock.time = Date.parse("2026-11-30T11:30:00Z"); // half past midnight on 1 December there
  await note("cli", "post.publish", "Letter");
  clock.time = Date.parse("2026-11-21T12:00:00Z");
  expect(await shown("from=2026-12-01&to=2026-12-01")).toEqual(["Letter"]);
  expect(await shown("to=2026-11-30&action=post")).toEqual([]);
});

test("every entry reads as a sentence about a manager by name", async () => {
  const { get, db, note } = await log();
  await look(db, "update managers set name = 'Ada'");
  const ada = "owner@example.com";
  const told: [actor: string, action: AuditAction, target: string | null, details: object, sentence: string][] = [
    [ada, "project.reorder", "Balcony", { from: "3", to: "1" }, "Ada reordered the project Balcony (3 → 1)"],
    [ada, "post.trash", null, { count: "12" }, "Ada moved 12 posts to the trash"],
    [ada, "post.trash", "Tides", {}, "Ada moved the post Tides to the trash"],
    [ada, "post.tag", null, { count: "2", tag: "Sea" }, "Ada added the tag Sea to 2 posts"],
    [ada, "message.spam", "Bo <bo@example.com>", {}, "Ada marked the message from Bo <bo@example.com> as spam"],
    [ada, "manager.change-password", ada, {}, "Ada changed their own password"],
    [ada, "manager.change-password", ada, { by: "reset link" }, "Ada reset their password with a reset link"],
    ["cli", "manager.change-password", ada, {}, "Command line changed the password of owner@example.com"],
    [
      "system",
      "storage-node.rest",
      "attic",
      { because: "Timeout" },
      "Postroom paused the storage node attic for one minute (Timeout)",
    ],
    ["visitor", "session.refuse", null, {}, "Unknown visitor failed to sign in"],
    [
      "gone@example.com",
      "subscriber.restore",
      null,
      { count: "1" },
      "gone@example.com restored 1 subscriber unsubscribed by a mail scanner",
    ],
    ["gone@example.com", "post.vanish" as AuditAction, "Tides", {}, "gone@example.com vanish post Tides"],
  ];
  for (const [actor, action, target, details] of told) await note(actor, action, target as string, details);
  const page = mainOf(await (await get(path)).text());
  const sentences = [...page.matchAll(/<summary>(.*?)<\/summary>/gs)].map(([, text]) => plainText(text));
  expect(sentences).toEqual(expect.arrayContaining(told.map((of) => of[4])));
});

test("what someone did several times in a row is one line, with each of them below it", async () => {
  const { get, note } = await log();
  for (const picture of ["a.png", "b.png", "c.png"]) await note("ada@example.com", "file.caption", picture);
  await note("bo@example.com", "file.caption", "d.png");
  const page = mainOf(await (await get(`${path}?action=file`)).text());
  const [bo, ada, ...others] = page.split("<tr ").slice(2);
  expect(others).toEqual([]);
  const sentencesIn = (row = "") => [...row.matchAll(/<summary>(.*?)<\/summary>/gs)].map(([, text]) => plainText(text));
  expect(sentencesIn(bo)).toEqual(["bo@example.com described the picture d.png"]);
  expect(sentencesIn(ada)).toEqual([
    "ada@example.com described 3 pictures",
    ...["c.png", "b.png", "a.png"].map((name) => `ada@example.com described the picture ${name}`),
  ]);
  for (const [action, sentence] of [
    ["suppression.add", "suppressed 2 addresses"],
    ["message.snooze", "snoozed 2 messages"],
    ["mail.repeat", "sent 2 emails again"],
  ] as const) {
    for (const target of ["hana@example.com", "ida@example.com"]) await note("ada@example.com", action, target);
    const rows = mainOf(await (await get(`${path}?q=%40&action=${action.split(".")[0]}`)).text()).split("<tr ");
    expect(sentencesIn(rows[2])[0]).toBe(`ada@example.com ${sentence}`);
  }
});

/** The text of the HTML, as it is read. */
const plainText = (html = "") =>
  html
    .replace(/<[^>]*>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replace(/\s+/g, " ")
    .trim();

test("fifty events a page, and a page past the end is the last one", async () => {
  const { note, shown } = await log();
  for (let i = 0; i < 100; i++) await note(i % 2 ? "cli" : "ada@example.com", "post.publish", `Post ${i}`);
  expect((await shown("action=post")).length).toBe(50);
  expect((await shown("action=post&page=2")).at(-1)).toBe("Post 0");
  expect((await shown("action=post&page=9")).at(-1)).toBe("Post 0");
});

test("the log is exported as it is filtered, with nothing that spreadsheets would execute", async () => {
  const { db, get, note } = await log();
  await note("ada@example.com", "post.publish", "=1+1", { from: 'a "draft"' });
  const lines = async (query: string) => {
    const answer = await get(`${path}/export.csv?${query}`);
    expect(answer.headers.get("content-disposition")).toBe('attachment; filename="audit-log-2026-11-21.csv"');
    return (await answer.text()).split("\r\n").slice(0, -1);
  };
  const [head, ...rows] = await lines("actor=ada%40example.com&action=post");
  expect(head).toBe("at,actor,action,target,targetId,ipAddress,details");
  expect(rows).toEqual([
    '2026-11-21T12:00:00.000Z,ada@example.com,post.publish,\'=1+1,id-=1+1,203.0.113.9,"{""from"":""a \\""draft\\""""}"',
  ]);
  expect(await lines("q=nothing+like+it")).toEqual([head as string]);
  await look(
    db,
    `insert into audit_events (id, actor, action, target_id, folded, created_at)
     with recursive n(i) as (select 1 union all select i + 1 from n where i < 2500)
     select 'many-' || i, 'cli', 'tag.delete', 'tag-' || i, '', i / 2 from n`,
  );
  const many = (await lines("action=tag")).slice(1);
  expect([many.length, new Set(many).size]).toEqual([2500, 2500]);
});

test("no match is not the same as no events, and htmx gets the list alone", async () => {
  const { get } = await log();
  expect(await (await get(`${path}?q=nothing`)).text()).toContain("No matching events");
  const partial = await (await get(path, { "hx-request": "true", "hx-request-type": "partial" })).text();
  expect(partial).toStartWith('<section class="list" id="list"');
});
