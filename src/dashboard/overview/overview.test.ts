import { expect, test } from "bun:test";
import * as audit from "../../../db/audit";
import { create } from "../../../db/broadcasts/edit";
import { addToDay } from "../../../db/visits";
import { dayOf } from "../../../db/lib/time";
import * as apiKeys from "../../../db/access/keys/api-keys";
import { recordAnswer } from "../../../db/contact/conversation";
import * as submissions from "../../../db/contact/submissions";
import * as subscribers from "../../../db/newsletter/subscribers";
import { importAll } from "../../../db/newsletter/import";
import * as fullness from "../../../db/storage/nodes/capacity";
import { add as addNode } from "../../../db/storage/nodes/edit";
import { save as savePost } from "../../../db/posts/posts";
import { testService } from "../../../test/support/service";
import { paths } from "../../../views/paths";
import { look, onSqlite } from "../../../test/support/look";

const day = 86_400_000;

async function service(env: Record<string, string> = {}) {
  const own = await testService({ MAILER_API_KEY: "re_test", ...env });
  const manager = await own.signIn({ name: "Ada Lovelace" });
  const overview = async () => (await manager.get("/dashboard")).text();
  const subscribe = (email: string, daysAgo = 0) =>
    subscribers.subscribe(own.db, { email }, { via: "form" }, new Date(own.clock.time - daysAgo * day));
  const leave = (email: string, network?: string) =>
    subscribers.unsubscribe(own.db, email, { via: "link", ...(network && { network }) }, own.now());
  return { ...own, manager, overview, subscribe, leave };
}

const text = (html: string) => html.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");

test("on the first run the list of steps is the page", async () => {
  const { overview } = await service();
  const html = await overview();
  expect(html.match(/class="btn sm primary"[^>]*>[^<]*/g)).toEqual([expect.stringMatching(/>\s*Name site/)]); // one is next
  const page = text(html);
  expect(page).toContain("2 of 8 done");
  expect(page).toContain("Name your site");
  expect(page).not.toContain("Active subscribers");
});

test("the steps of the first hour go when the facts are there, each by its one button", async () => {
  const { db, manager, now, overview, signIn } = await service();
  const page = await overview();
  const [, form = ""] = /<form([^]*?)<\/form>/.exec(page.slice(page.indexOf("Add a test subscriber"))) ?? [];
  const fields = Object.fromEntries(
    [...form.matchAll(/name="([a-z]+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  );
  expect(form).toContain('action="/dashboard/newsletter"');
  await manager.submit("/dashboard/newsletter", fields);
  expect(await look(db, "select kind, recipient from outbox")).toEqual([
    { kind: "welcome", recipient: manager.manager.email },
  ]);
  await savePost(db, { title: "Tides", slug: "tides", content: "Text", published: false }, now());
  expect(text(await overview())).toContain("4 of 8 done");

  await signIn({ email: "second@example.com" });
  await apiKeys.generate(db, { prefix: "site", name: "Blog" }, now());
  await manager.submit("/dashboard/settings/site", { siteTitle: "Tides", "siteTitle.stamp": "none" });
  expect(text(await overview())).toContain("7 of 8 done");
  await look(
    db,
    `insert into storage_nodes (id, name, endpoint, public_endpoint, region, bucket, access_key, secret, state, capacity_bytes, used_bytes, reserved_bytes, max_put_bytes, created_at, checked_at)
       values ('n1', 'attic', '', '', '', '', '', '', 'active', 1000, 10, 0, 1, ?1, ?1)`,
    [now().getTime()],
  );
  expect(await overview()).not.toContain("First steps");
  await look(db, "delete from api_keys");
  expect(text(await overview())).toContain("7 of 8 done");
});

test("the steps can be hidden by each manager, and are back by Undo", async () => {
  const { manager, overview, signIn } = await service();
  const hidden = await manager.submit("/dashboard/first-steps", { firstSteps: "hidden" });
  expect([hidden.status, hidden.headers.get("location")]).toEqual([303, "/dashboard"]);
  const page = await overview();
  expect(page).toContain("Views of posts");
  expect(page).not.toContain('id="checklist-title"');
  expect(page).toMatch(/First steps hidden\.[^]*action="\/dashboard\/first-steps"[^]*name="firstSteps" value="shown"/);
  const other = await signIn({ email: "second@example.com" });
  expect(await (await other.get("/dashboard")).text()).toContain('id="checklist-title"');
  await manager.submit("/dashboard/first-steps", { firstSteps: "shown" });
  expect(await overview()).toContain('id="checklist-title"');
});

test.each([
  ["", true],
  ["https://blog.example.com", false],
])("with BLOG_URL %j and a published post, broken links to posts are warned of: %p", async (BLOG_URL, isWarned) => {
  const { db, manager, now, overview, subscribe } = await service({ BLOG_URL });
  await subscribe("a@example.com");
  const { id } = await savePost(db, { title: "Tides", slug: "tides", content: "Text", published: false }, now());
  expect(await overview()).not.toContain("do not exist (404)");
  expect(
    /The URL of your blog is not set/.test(await (await manager.get(`/dashboard/posts/${id}/publish`)).text()),
  ).toBe(isWarned);
  await look(db, "update posts set published = 1, published_at = ?", [now().getTime()]);
  expect(text(await overview()).includes("Links to posts lead to pages that do not exist (404).")).toBe(isWarned);
});

test("the figures count who is there, who came, and what waits", async () => {
  const { overview, subscribe, leave, db, clock } = await service();
  await subscribe("a@example.com", 20);
  await subscribe("b@example.com", 6);
  await subscribe("c@example.com", 1);
  await leave("a@example.com");
  const message = { name: "Hana", email: "h@example.com", message: "Hello there, Ada", source: "landing" };
  await submissions.submit(db, message, {}, new Date(clock.time - 2 * day));
  const page = text(await overview());
  expect(page).toContain("1 unread message.");
  expect(await overview()).toContain('<p><a href="/dashboard/contact">1 unread message.</a></p>');
  expect(page).toContain("2 active +2 in 30 days 3 joined 1 unsubscribed");
  expect(page).toContain("3 people joined and 1 unsubscribed.");
  expect(page).toContain("Hana");
  expect(page).toContain("Hello there, Ada");
});

test("of a conversation, the overview shows what was written last, and when, as the inbox does", async () => {
  const { overview, db, clock, now } = await service();
  const message = { name: "Hana", email: "h@example.com", message: "Is it for sale?", source: "landing" };
  await submissions.submit(db, message, {}, new Date(clock.time - 2 * day));
  const key = "0123456789abcdef0123456789abcdef";
  await look(db, "update messages set thread_key = ?", [key]);
  const answer = { mailId: "m1@example.com", references: [`t.${key}@example.com`] };
  const person = { name: "Hana", email: "h@example.com", text: "And in green?" };
  expect(await recordAnswer(db, { ...answer, ...person }, now())).toMatchObject({ outcome: "stored" });
  const page = text(await overview());
  expect(page).toContain("1 unread message.");
  expect(page).toMatch(/Hana \(unread\) just now And in green\?/);
  expect(page).not.toContain("Is it for sale?");
});

test("the table has every day since the first, and in each row what came and went", async () => {
  const { overview, subscribe, leave, clock } = await service();
  for (const email of ["a@example.com", "b@example.com"]) await subscribe(email, 3);
  clock.time -= day;
  await leave("a@example.com");
  clock.time += day;
  const page = await overview();
  expect(page.match(/<th scope="row">/g)).toHaveLength(4);
  expect(text(page)).toContain("20 Nov 2026 0 0 1 0 0 1");
  expect(text(page)).toContain("18 Nov 2026 2 0 0 0 0 2");
});

test("one period, which is in the address, is that of every figure, and htmx gets them alone", async () => {
  const { manager, subscribe } = await service();
  await subscribe("a@example.com", 60);
  await subscribe("b@example.com", 20);
  const shown = async (query: string, headers = {}) => (await manager.get(`/dashboard${query}`, headers)).text();
  expect(text(await shown("?days=7"))).toContain("2 active +0 in 7 days");
  expect(text(await shown("?days=90"))).toContain("2 active +2 in 90 days");
  expect(await shown("?days=90")).not.toContain("Joined and unsubscribed by day"); // too many bars
  expect(await shown("?days=all")).toMatch(/days=all[^>]* aria-current="true"/);
  expect(await shown("?days=1e9")).toMatch(/days=30[^>]* aria-current="true"/);
  const chart = await shown("?days=365", { "hx-request": "true", "hx-request-type": "partial" });
  expect(chart).toStartWith('<div id="growth" class="story"');
  expect(text(chart)).toContain("2 active +2 in a year");
});

test("last month ends with the month: its total, who joined in it, and what was not counted then", async () => {
  const { manager, subscribe, db, clock } = await service(); // on 21 November
  const shown = async () => text(await (await manager.get("/dashboard?days=last-month")).text());
  await subscribe("november@example.com", 3);
  expect(await shown()).toContain("How many subscribers there were is not known: they were counted later.");
  await subscribe("september@example.com", 60);
  await subscribe("october@example.com", 30);
  const { id } = await savePost(db, { slug: "a", title: "Tides", published: true }, new Date(0));
  const view = (ago: number, count: number) =>
    db.write((orm) => addToDay(orm, dayOf(new Date(clock.time)) - ago, { view: new Map([[id, count]]) }));
  await view(0, 9);
  expect(await shown()).toContain("Views of posts Not known Counting began later");
  await view(81, 4); // 1 September
  await view(22, 5); // 30 October
  const page = await shown();
  expect(page).toContain("October 2026 7 days");
  expect(page).toContain("2 active at the end of the month +1 last month 1 joined");
  expect(page).toContain("31 Oct 2026 0 0 0 0 0 2 30 Oct 2026");
  expect(page).toContain("Views of posts 5 +25% from 4");
  expect(page).toContain("Most viewed All views Tides 5 views");
});

test("a last month of which little was counted is told as a month that is over", async () => {
  const { signIn, subscribe, db, clock, now } = await service();
  clock.time = Date.parse("2026-11-02T12:00:00Z");
  const manager = await signIn({ email: "b@example.com" });
  const shown = async () => text(await (await manager.get("/dashboard?days=last-month")).text());
  await subscribe("a@example.com", 2);
  const page = await shown();
  expect(page).toContain("1 active subscriber at the end of the month. Your list began on its last day.");
  expect(page).not.toContain("starts on the second day");

  const person = { email: "b@example.com", name: null, source: null, state: "active" as const };
  const people = [{ ...person, createdAt: new Date(clock.time - 60 * day) }];
  await importAll(db, people, { revive: false, origin: { via: "import" } }, new Date(now().getTime() - 18 * day));
  await look(db, "delete from subscribers where email = 'a@example.com'");
  await subscribe("c@example.com", 3);
  expect(await shown()).toMatch(/2 active at the end of the month \+1 from 15 Oct 2026 to the end of the month/);
});

test("an import is marked on the day it ran, and its people count where they joined", async () => {
  const { manager, db, clock, now } = await service();
  const people = Array.from({ length: 1_840 }, (_, i) => ({
    ...{ email: `reader${i}@example.com`, name: null, source: "<csv>", state: "active" as const },
    createdAt: new Date(clock.time - (60 + (i % 20)) * day),
  }));
  await importAll(db, people, { revive: false, origin: { via: "import" } }, new Date(now().getTime() - 10 * day));
  const page = await (await manager.get("/dashboard?days=90")).text();
  expect(text(page)).toContain("1,840 joined, 1,840 of them imported");
  expect(text(page)).toContain("1,840 active +0 since 11 Nov 2026");
  const summary = "Not known before 11 November 2026. From 1,840 to 1,840. Import of 1,840 people, 11 November 2026.";
  expect(text(page)).toContain(summary);
  expect(page).toContain(`${paths.newsletter}?source=%3Ccsv%3E`);
  expect(text(await (await manager.get("/dashboard?days=30")).text())).toContain(
    "1,840 active +0 since 11 Nov 2026 0 joined 1,840 added by import",
  );
});

test("an import does not reach back into the days before it: what is drawn was counted, the rest is not known", async () => {
  const { manager, subscribe, db, clock, now } = await service();
  const people = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => ({
      ...{ email: `${from}-${i}@example.com`, name: null, source: null, state: "active" as const },
      createdAt: new Date(clock.time - (i % 40) * day),
    }));
  const page = async () => text(await (await manager.get("/dashboard?days=30")).text());
  await importAll(db, people(1, 2_840), { revive: false, origin: { via: "import" } }, now());
  const imported = await page(); // today, and nothing was here before
  expect(imported).toContain("Not known before 21 November 2026. From 2,840 to 2,840.");
  expect(imported).toMatch(/20 Nov 2026( 0){5} Not known/);
  expect(imported).toMatch(/21 Nov 2026 0 2,840 0 0 0 2,840/);

  for (const daysAgo of [30, 3]) await subscribe(`own${daysAgo}@example.com`, daysAgo); // people of our own before it
  const both = await page();
  expect(both).toContain("2,842 active +2,841 in 30 days");
  expect(both).toContain("From 1 to 2,842. Import of 2,840 people, 21 November 2026.");
  expect(both).toMatch(/20 Nov 2026( 0){5} 2 /);
  expect(both).toMatch(/21 Nov 2026 0 2,840 0 0 0 2,842/);
});

test("the scale of a long list is that of its changes, not of its length", async () => {
  const { manager, subscribe, db, clock } = await service();
  const people = Array.from({ length: 2_700 }, (_, i) => ({
    ...{ email: `${i}@example.com`, name: null, source: null, state: "active" as const },
    createdAt: new Date(clock.time - 50 * day),
  }));
  await importAll(db, people, { revive: false, origin: { via: "import" } }, new Date(clock.time - 50 * day));
  for (let i = 0; i < 20; i++) await subscribe(`new${i}@example.com`, i);
  const plot = /<svg class="plot".*?<\/svg>/s.exec(await (await manager.get("/dashboard?days=30")).text())?.[0] ?? "";
  expect([...plot.matchAll(/text-anchor="end">([\d,]+)</g)].map(([, tick]) => tick)).toEqual([
    "2,700",
    "2,710",
    "2,720",
  ]);
  expect(plot).not.toContain('class="area"');
});

test("on the first day a sentence stands for the chart", async () => {
  const { overview, subscribe } = await service();
  await subscribe("a@example.com");
  const page = await overview();
  expect(page).toContain("The chart of your subscribers starts on the second day.");
  expect(page).not.toContain("Show as a table");
});

test.each([
  ["Europe/Berlin", "Good afternoon, Ada"],
  ["Asia/Tokyo", "Good evening, Ada"],
  ["America/New_York", "Good morning, Ada"],
  ["Australia/Sydney", "Good evening, Ada"],
])("in %s the greeting is %s", async (zone, greeting) => {
  const { manager } = await service();
  await manager.submit("/dashboard/account/times", { timeZone: zone, dates: "en-GB" });
  expect(text(await (await manager.get("/dashboard")).text())).toContain(greeting);
});

test("a step is done as soon as its fact is true, whoever caused it", async () => {
  const { manager, db, now, signIn, overview } = await service();
  await signIn({ email: "second@example.com" });
  await apiKeys.generate(db, { prefix: "site", name: "Blog" }, now());
  await manager.submit("/dashboard/settings/site", { siteTitle: "Tides", "siteTitle.stamp": "none" });
  const page = text(await overview());
  expect(page).toContain("5 of 8 done");
  for (const step of ["Name your site", "Generate an API key", "Add a way back in"])
    expect(page).toContain(`${step} (done)`);
  expect(page).not.toContain("Connect storage (done)");
  expect(page).toContain("Uploads need a storage node. Add storage node");
  const endpoint = "http://127.0.0.1:9";
  const place = { name: "attic", endpoint, publicEndpoint: endpoint, bucket: "b", region: "r", accessKey: "k" };
  await addNode(db, { ...place, secret: "s", capacityBytes: 1, maxPutBytes: 1 }, { actor: "test" }, now());
  expect(text(await overview())).toContain("No storage node is responding, so uploads do not work. View storage nodes");
});

test("what a step asks for is a field of the page that it leads to, which the link names", async () => {
  const { manager } = await service({ OWNER_EMAIL: "" });
  const page = await (await manager.get("/dashboard")).text();
  for (const [step, label] of [
    ["Name site", "Title"],
    ["Add address", "Email"],
  ] as const) {
    const [, path = "", field = ""] = page.match(new RegExp(`href="([^"#]*)#([^"]*)"[^>]*>\\s*${step}`)) ?? [];
    const settings = await (await manager.get(path)).text();
    expect(settings).toMatch(new RegExp(`<input[^>]* id="${field}"`));
    expect(settings).toMatch(new RegExp(`<label[^>]* for="${field}"[^>]*>\\s*${label}`));
  }
});

test("a way back in is offered as what the step names: a passkey, and to owners a second manager", async () => {
  const { manager } = await service();
  const page = await (await manager.get("/dashboard")).text();
  expect(page).toMatch(/href="\/dashboard\/account#passkeys"[^>]*>\s*Add passkey/);
  expect(page).toMatch(/or <a href="\/dashboard\/managers">invite a second manager</);
  expect(await (await manager.get("/dashboard/account")).text()).toContain('id="passkeys"');
});

test("warnings say what is wrong and lead to it", async () => {
  const { overview, subscribe, leave, db, clock, now } = await service({ MAILER_API_KEY: "" });
  for (const name of ["a", "b", "c"]) {
    await subscribe(`${name}@example.com`);
    await leave(`${name}@example.com`, "one-network");
  }
  await apiKeys.generate(db, { prefix: "site", name: "Old laptop" }, new Date(clock.time - 30 * day));
  await apiKeys.generate(db, { prefix: "site", name: "Young" }, new Date(clock.time - 29 * day));
  await look(
    db,
    `insert into storage_nodes (id, name, endpoint, public_endpoint, region, bucket, access_key, secret, state, capacity_bytes, used_bytes, reserved_bytes, max_put_bytes, created_at)
       values ('n1', 'attic', '', '', '', '', '', '', 'down', 1000, 10, 0, 1, ?1), ('n2', 'cellar', '', '', '', '', '', '', 'active', 1000, 800, 100, 1, ?1), ('n3', 'retired', '', '', '', '', '', '', 'down', 9000, 0, 0, 1, ?1)`,
    [now().getTime()],
  );
  const dead = "update outbox set state = 'dead' where id = (select id from outbox limit 1)";
  await look(db, dead);
  const later = new Date(now().getTime() + 3 * day);
  for (const name of ["One", "Two", "Three"])
    await apiKeys.generate(db, { prefix: "site", name, expiresAt: later }, now());
  expect(text(await overview())).toContain("expire within 14 days: “One”, “Two”, “Three”. Replace");
  await apiKeys.generate(db, { prefix: "site", name: "Four", expiresAt: later }, now());
  const page = text(await overview());
  expect(page).toContain("expire within 14 days: “One”, “Two”, “Three” and 1 more. Replace");
  expect(page).toContain("Storage is offline: attic is not responding");
  expect(page).toContain("Storage is nearly full: less than 10 % free on cellar.");
  expect(page).toContain("1 email could not be sent in the last 7 days.");
  expect(page).toContain("A mail scanner probably unsubscribed 3 people.");
  expect(page).toContain("Emails are logged, not sent.");
  expect(page).toContain("API keys not used for 30 days: “Old laptop”.");
  expect(page).not.toContain("“Young”");
  expect(page).not.toContain("retired");
});

test("of several warnings those that can wait are folded away; what stops the service comes first and stays", async () => {
  const { overview, subscribe, leave, db, clock, now } = await service({ MAILER_API_KEY: "" });
  await subscribe("a@example.com");
  const alone = await overview();
  expect(alone).toContain('aria-label="Warnings"');
  expect(alone).not.toContain("need attention");

  for (const name of ["b", "c", "d"]) {
    await subscribe(`${name}@example.com`);
    await leave(`${name}@example.com`, "one-network");
  }
  expect(await overview()).toMatch(/2 things need attention[^]*A mail scanner/);
  expect(await overview()).not.toMatch(/need attention[^]*<summary>\d more/); // folding a single line would save nothing

  await apiKeys.generate(db, { prefix: "site", name: "Old laptop" }, new Date(clock.time - 30 * day));
  await look(
    db,
    `insert into storage_nodes (id, name, endpoint, public_endpoint, region, bucket, access_key, secret, state, capacity_bytes, used_bytes, reserved_bytes, max_put_bytes, created_at)
       values ('n1', 'attic', '', '', '', '', '', '', 'down', 1000, 10, 0, 1, ?1)`,
    [now().getTime()],
  );
  const page = text(await overview());
  expect(page).toMatch(
    /4 things need attention Storage is offline.*Emails are logged, not sent.*2 more A mail scanner.*API keys not used/,
  );
});

test("a node that refused an upload for want of room is told of, as full and not as offline", async () => {
  const { db, now, overview, storage, subscribe } = await service();
  await subscribe("a@example.com");
  await storage.nodes.open();
  const [node] = await storage.nodes.list();
  await fullness.markFull(db, node?.id ?? "", { bytes: 0, tried: 5, because: "QuotaExceeded" }, now());
  const page = text(await overview());
  expect(page).toContain("Storage is full: no free space on embedded.");
  expect(page).not.toMatch(/Storage is (offline|nearly full)/);
});

test("what can only be set on the server is told in words; the names of variables are for whoever runs it", async () => {
  const own = await testService();
  const manager = await own.signIn();
  await savePost(own.db, { slug: "a", title: "A", published: true }, own.now());
  for (const path of ["/dashboard", "/dashboard/outbox", "/dashboard/storage/nodes", "/dashboard/settings/email"]) {
    const page = await (await manager.get(path)).text();
    const told = page.replace(/<details class="on-server">.*?<\/details>/gs, "");
    expect([path, told.match(/MAILER_API_KEY|MAIL_FROM|BLOG_URL|MINIO_\w+|environment/g)]).toEqual([path, null]);
  }
  const read = async (page: string) => (await manager.get(`/dashboard/settings/${page}`)).text();
  const settings = `${await read("email")}${await read("site")}`;
  for (const name of ["MAILER_API_KEY", "MAIL_FROM", "BLOG_URL"]) expect(settings).toContain(`<code>${name}</code>`);
});

test("with nothing wrong there is no warning", async () => {
  const { overview, subscribe } = await service();
  await subscribe("a@example.com");
  const page = await overview();
  expect(page).toContain("Views of posts");
  expect(page).not.toMatch(/aria-label="Warnings"|need attention/);
});

test("what people sent is text, in every corner of the page", async () => {
  const { overview, db, now } = await service();
  const hostile = `<img src=x onerror=alert(1)>`;
  await submissions.submit(db, { name: hostile, email: "h@example.com", message: hostile, source: "x" }, {}, now());
  await apiKeys.generateFor(db, { actor: `${hostile}!`, address: null }, { prefix: "site", name: hostile }, now());
  const page = await overview();
  expect(page).not.toContain("<img");
  expect(page.split("&lt;img").length).toBeGreaterThan(4);
});

onSqlite("a plan of its query planner")(
  "the chart and the scanner's victims are found by index, however many subscribers there are",
  async () => {
    const { db } = await service();
    const plan = async (query: string) =>
      ((await look(db, `explain query plan ${query}`)) as { detail: string }[]).map(({ detail }) => detail).join("; ");
    expect(await plan("select day, sum(joined) from subscriber_days where day >= 1 group by day")).toBe(
      "SEARCH subscriber_days USING INDEX sqlite_autoindex_subscriber_days_1 (day>?)",
    );
    expect(
      await plan(`select id from subscribers where id in (select subscriber_id from subscriber_events where probable_scanner = 1)
          and +state = 'unsubscribed'`),
    ).toMatch(/subscribers_id_unique .*subscriber_events_scanner/);
  },
);

test("views are counted in the period, compared with the one before if that was counted, and never drawn as 0 before", async () => {
  const { manager, subscribe, db, now } = await service();
  await subscribe("a@example.com", 3);
  const shown = async (days: string) => text(await (await manager.get(`/dashboard?days=${days}`)).text());
  expect(await shown("7")).toContain("Views of posts None yet Counting starts with the first");
  const today = dayOf(now());
  const { id } = await savePost(db, { slug: "a", title: "Tides", published: true }, now());
  const view = (ago: number, count: number) =>
    db.write((orm) => addToDay(orm, today - ago, { view: new Map([[id, count]]) }));
  await view(2, 30);
  await view(1, 12);
  expect(await shown("7")).toContain("Views of posts 42 The time before was not counted");
  await view(9, 21);
  await view(13, 7);
  expect(await shown("7")).toContain("Views of posts 42 +50% from 28");
  expect(await shown("30")).toContain("Views of posts 70 The time before was not counted");
  expect(await shown("all")).toContain("Most viewed All views Tides 70 views");
});

test("the last broadcast is told with what is known of it; one that went out whole gets its postmark", async () => {
  const { overview, subscribe, db, now, clock } = await service();
  await subscribe("a@example.com", 3);
  expect(await overview()).not.toContain("Last broadcast");
  const fields = {
    subject: "Rain",
    preheader: "",
    fromName: "",
    archive: "listed" as const,
    segment: {},
    content: "x",
  };
  const { id } = await create(db, { source: { kind: "own" }, fields }, { actor: "cli" }, now());
  const set = (more: string) =>
    look(
      db,
      `update broadcasts set state = 'sent', started_at = ${clock.time - 600_000}, finished_at = ${clock.time}, ${more} where id = '${id}'`,
    );
  await set("claimed = 9, accepted = 9, audience = 9, unsubscribed = 1");
  const whole = await overview();
  expect(text(whole)).toMatch(
    /Last broadcast Report .*Rain .*none of them twice. Handed over 9 Visits 0 Unsubscribed 1/,
  );
  expect(whole).toContain('class="postmark"');
  expect(text(whole)).not.toContain("Delivered 0"); // nothing was reported
  await set("accepted = 7, failed = 1, uncertain = 1");
  const broken = await overview();
  expect(text(broken)).toContain("Handed over 7");
  expect(broken).not.toContain('class="postmark"');
});

test("what someone does several times in a row is told once, with its number", async () => {
  const { manager, overview, subscribe, db, clock } = await service();
  await subscribe("a@example.com");
  const by = { actor: manager.manager.email };
  const record = (event: { action: audit.AuditAction; targetId?: string; target?: string }) =>
    db.write((orm) => audit.record(orm, { ...by, ...event }, new Date(clock.time++)));
  for (const target of ["Balcony", "Stillwater", "Tide", "Loom", "Lamp"])
    await record({ action: "project.reorder", targetId: target, target });
  for (let i = 0; i < 6; i++) await record({ action: "post.change", targetId: "p", target: "Notes" });
  await record({ action: "project.create", targetId: "x", target: "New one" });
  const page = text(await overview());
  expect(page).toContain("reordered 5 projects");
  expect(page).toContain("edited the post Notes , 6 times");
  expect(page).toContain("created the project New one");
});

test("the first subscriber and round numbers are celebrated for a week; an import reaches none", async () => {
  const { overview, subscribe, db, now, clock } = await service();
  await subscribe("a@example.com", 2);
  expect(text(await overview())).toContain("Your first subscriber joined on 19 Nov 2026.");
  for (let i = 0; i < 99; i++) await subscribe(`b${i}@example.com`, 1);
  expect(text(await overview())).toContain("You have passed 100 subscribers on 20 Nov 2026.");
  clock.time += 7 * day;
  expect(await overview()).not.toContain("You have passed");
  const people = Array.from({ length: 500 }, (_, i) => ({
    ...{ email: `i${i}@example.com`, name: null, source: null, state: "active" as const },
    createdAt: now(),
  }));
  await importAll(db, people, { revive: false, origin: { via: "import" } }, now());
  expect(await overview()).not.toContain("You have passed");
});
