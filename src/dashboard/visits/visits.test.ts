import { expect, test } from "bun:test";
import { addReferrers, addToDay } from "../../../db/visits";
import { dayOf } from "../../../db/lib/time";
import { subscribe } from "../../../db/newsletter/subscribers";
import * as posts from "../../../db/posts/posts";
import { visited } from "../../../db/posts/list";
import * as projects from "../../../db/projects/projects";
import { look, lookAt } from "../../../test/support/look";
import { testService } from "../../../test/support/service";

const day = 86_400_000;
const text = (html: string) => html.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");

async function service() {
  const own = await testService();
  const post = async (slug: string) =>
    (await posts.save(own.db, { slug, title: `<${slug}>`, published: true, publishedAt: own.now() }, own.now())).id;
  let managers = 0;
  /** Opens the page as a manager who has just signed in. */
  const open = async (path: string, headers = {}) =>
    (await own.signIn({ email: `m${++managers}@example.com` })).get(`/dashboard${path}`, headers);
  const shown = async (path: string, headers = {}) => (await open(path, headers)).text();
  /** Sends requests by that many people, each from another network. */
  const visit = async (path: string, people: number) => {
    for (let i = 0; i < people; i++) await own.get(path, { "user-agent": "Firefox" }, `198.51.${i}.1`);
    await own.counters.flush();
  };
  return { ...own, open, post, shown, visit };
}

test("views are counted by day, of each post and of all, in the same commit as their totals", async () => {
  const { post, visit, clock, db } = await service();
  const [a, b] = [await post("a"), await post("b")];
  await visit("/api/posts/a", 3);
  await visit("/api/posts/b", 1);
  await visit("/api/posts/a", 2); // the same people on the same day
  clock.time += day;
  await visit("/api/posts/a", 2);
  const rows = await lookAt(
    db,
    "select subject_id, day - 20778, count from daily_counts where kind = 'view' order by 2, 3, 1",
  );
  expect(rows).toEqual([
    [b, 0, 1],
    [a, 0, 3],
    ["", 0, 4],
    ...[
      [a, 1, 2],
      ["", 1, 2],
    ].sort(),
  ] as never);
  expect(await lookAt(db, "select views from posts order by slug")).toEqual([[5], [1]]);
});

test("what could not be written is counted by day later, and once", async () => {
  const { post, visit, db, counters } = await service();
  await post("a");
  const { write } = db;
  db.write = () => Promise.reject(new Error("disk full"));
  await visit("/api/posts/a", 2);
  db.write = write;
  await counters.flush();
  expect(await lookAt(db, "select count from daily_counts")).toEqual([[2], [2]]);
});

test("the page of a post shows its days, and the page of all the most viewed", async () => {
  const { post, visit, clock, shown } = await service();
  const [a] = [await post("a"), await post("b")];
  expect(text(await shown("/posts/views"))).toContain("No views yet Views of published posts appear here");
  await visit("/api/posts/b", 1);
  await visit("/api/posts/a", 3);
  expect(text(await shown(`/posts/${a}/views`))).toContain("3 views today. The chart starts on the second day.");
  clock.time += 2 * day;
  await visit("/api/posts/a", 1);
  const page = await shown(`/posts/${a}/views`);
  expect(text(page)).toContain("4 views in all.");
  expect(text(page)).toContain("4 views in 30 days");
  expect(text(page)).toContain("4 views; the most, 3, on 21 Nov 2026.");
  expect(text(page)).toContain("Day Views 23 Nov 2026 1 22 Nov 2026 0 21 Nov 2026 3");
  expect(page).toContain("&lt;a&gt;");
  const all = text(await shown("/posts/views?days=7"));
  expect(all).toContain("5 views in 7 days");
  expect(all).toMatch(/Most viewed The last 7 days &lt;a&gt; 4 views &lt;b&gt; 1 views/);
  expect(await shown("/posts")).toContain(`href="/dashboard/posts/${a}/views"`);
  expect(await shown(`/posts/${a}`)).toContain(`<a href="/dashboard/posts/${a}/views">4 views</a>`);
  const chart = await shown("/posts/views?days=90", { "hx-request": "true", "hx-request-type": "partial" });
  expect(chart).toStartWith('<div class="stack" id="visits"');
});

test("what was never visited says why, instead of charts of nothing", async () => {
  const { db, now, post, shown } = await service();
  const never = async (path: string) => {
    const page = await shown(path);
    expect(page).not.toContain("Over time");
    return text(page).match(/No (?:views|clicks) yet (.*?\.) /)?.[1];
  };
  const a = await post("a");
  expect(await never(`/posts/${a}/views`)).toBe("A view is counted when someone opens this post on your site.");
  const draft = await posts.save(db, { slug: "d", title: "D", published: false }, now());
  expect(await never(`/posts/${draft.id}/views`)).toBe("No one can read this post yet.");
  const later = { slug: "l", title: "L", published: true, publishedAt: new Date(now().getTime() + day) };
  const scheduled = await posts.save(db, later, now());
  expect(text(await shown(`/posts/${scheduled.id}/views`))).toContain("It will be published on 22 Nov 2026");
  expect(await never("/projects/clicks")).toBe("Clicks on the links of published projects appear here, by day.");
  const project = await projects.save(db, { slug: "boat", title: "Boat", status: "DRAFT" }, now());
  expect(await never(`/projects/${project.id}/clicks`)).toBe("Clicks are counted once the project is published.");
  await projects.save(db, { slug: "boat", title: "Boat", status: "PUBLISHED" }, now());
  expect(await never(`/projects/${project.id}/clicks`)).toBe(
    "This project has no live URL, so there is no link to click.",
  );
});

test("what is viewed most is that of the period, thirty days at first, today among them", async () => {
  const { post, visit, clock, shown } = await service();
  await post("a");
  await visit("/api/posts/a", 3);
  clock.time += 29 * day;
  expect(text(await shown("/posts/views"))).toContain("The last 30 days &lt;a&gt; 3 views");
  clock.time += day;
  expect(text(await shown("/posts/views"))).not.toContain("&lt;a&gt;");
});

test("last month is a month of the calendar, for the chart, the posts and the sites alike", async () => {
  const { post, db, clock, shown } = await service();
  const [a, b] = [await post("a"), await post("b")];
  const add = (date: string, id: string, count: number, host: string) =>
    db.write(async (orm) => {
      const on = dayOf(new Date(date));
      await addToDay(orm, on, { view: new Map([[id, count]]) });
      await addReferrers(orm, on, new Map([[id, new Map([[host, count]])]]));
    });
  await add("2026-09-30", a, 1, "september.example");
  await add("2026-10-01", a, 2, "october.example");
  await add("2026-10-31", a, 4, "october.example");
  await add("2026-11-01", b, 8, "november.example");
  clock.time = Date.parse("2026-11-30T23:00:00Z");
  const all = await shown("/posts/views?days=last-month");
  expect(all).toMatch(/days=last-month[^>]* aria-current="true"/);
  expect(text(all)).toContain("6 views last month");
  expect(text(all)).toContain("6 views; the most, 4, on 31 Oct 2026.");
  expect(all.match(/<th scope="row">/g)).toHaveLength(31);
  expect(text(all)).toMatch(/Most viewed October 2026 &lt;a&gt; 6 views Where readers/);
  expect(text(all)).toMatch(/Where readers come from October 2026 october.example 6 views Only/);
  expect(text(await shown(`/posts/${b}/views?days=last-month`))).toContain("No views were counted by day then.");
  expect(text(await shown("/posts/views?days=365"))).toContain("15 views in a year");
});

test("sites are known of 400 days, which is said where everything else is of all time", async () => {
  const { post, db, now, clock, shown } = await service();
  await subscribe(db, { email: "ada@example.com" }, { via: "form" }, now()); // before that, Overview is the first steps
  const a = await post("a");
  for (const ago of [500, 1])
    await db.write((orm) => addToDay(orm, dayOf(new Date(clock.time)) - ago, { view: new Map([[a, 5]]) }));
  await db.write((orm) =>
    addReferrers(orm, dayOf(new Date(clock.time)), new Map([[a, new Map([["blog.example", 2]])]])),
  );
  for (const path of [`/posts/${a}/views?days=all`, "/posts/views?days=all", "?days=all"])
    expect(text(await shown(path))).toContain("Where readers come from The last 400 days blog.example 2 views");
  expect(text(await shown("/posts/views?days=all"))).toContain("Most viewed Since the beginning &lt;a&gt; 10 views");
  expect(text(await shown("/posts/views?days=365"))).toContain("Where readers come from The last year");
});

test("a CSV file has every post and every site, however many", async () => {
  const { db, now, open } = await service();
  const on = dayOf(now());
  const count = 1_002;
  const ids = Array.from({ length: count }, (_, i) => `p${i}`);
  await look(
    db,
    `insert into posts (id, slug, title, excerpt, content, author, cover_image, published, folded, reading_time, views,
        version, created_at, updated_at)
       select value, value, value, '', '', '', '', 0, value, 1, 0, 1, 1, 1 from json_each(?)`,
    [JSON.stringify(ids)],
  );
  await db.write((orm) =>
    addToDay(orm, on, { view: new Map(ids.map((id) => [id, 1])), referrer: new Map(ids.map((id) => [id, 1])) }),
  );
  const lines = (await (await open("/posts/views/export.csv")).text()).split("\r\n");
  for (const type of ["post", "site"]) expect(lines.filter((line) => line.startsWith(`${type},`))).toHaveLength(count);
});

test("a CSV file has what the page shows: its days, its posts and its sites, for analysts too", async () => {
  const { post, visit, db, clock, now, signIn } = await service();
  const a = await post("a");
  const on = (ago: number) => dayOf(new Date(clock.time - ago * day));
  await db.write((orm) => addToDay(orm, on(40), { view: new Map([[a, 5]]) }));
  await db.write((orm) => addToDay(orm, on(1), { view: new Map([[a, 3]]) }));
  await db.write((orm) => addReferrers(orm, on(1), new Map([[a, new Map([["blog.example", 2]])]])));
  const formula = await posts.save(
    db,
    { slug: "f", title: "=1+1", published: true, publishedAt: new Date(0), content: "" },
    now(),
  );
  await visit("/api/posts/f", 1);
  const analyst = await signIn({ email: "analyst@example.com", role: "analyst" });
  const page = await (await analyst.get("/dashboard/posts/views?days=7")).text();
  expect(page).toContain('href="/dashboard/posts/views/export.csv?days=7"');
  expect(page).toContain("Export figures as CSV");
  const csv = await analyst.get("/dashboard/posts/views/export.csv?days=7");
  expect(csv.headers.get("content-disposition")).toBe('attachment; filename="views-2026-11-21.csv"');
  const days = [6, 5, 4, 3, 2].map((ago) => `day,2026-11-${21 - ago},0`);
  const lines = ["type,name,views", ...days, "day,2026-11-20,3", "day,2026-11-21,1"];
  const items = ["post,<a>,3", "post,'=1+1,1", "site,blog.example,2"];
  expect((await csv.text()).trimEnd().split("\r\n")).toEqual([...lines, ...items]);
  const one = await analyst.get(`/dashboard/posts/${formula.id}/views/export.csv?days=7`);
  expect((await one.text()).trimEnd().split("\r\n")).toEqual(["type,name,views", "day,2026-11-21,1"]);
  expect((await analyst.get("/dashboard/posts/gone/views/export.csv")).status).toBe(404);
  expect(await look(db, "select action, target from audit_events where action = 'view.export' order by id")).toEqual([
    { action: "view.export", target: null },
    { action: "view.export", target: "=1+1" },
  ] as never);
});

test("the most viewed are found in one question, and only their titles are read", async () => {
  const { post, visit, db, open } = await service();
  const { read } = db;
  /** How many queries the page makes. */
  async function questions() {
    let count = 0;
    db.read = (query) => (count++, read(query));
    expect((await open("/posts/views")).status).toBe(200);
    db.read = read;
    return count;
  }
  const id = await post("a");
  await visit("/api/posts/a", 1);
  const forOne = await questions();
  for (const slug of ["b", "c", "d"]) {
    await post(slug);
    await visit(`/api/posts/${slug}`, 1);
  }
  expect(await questions()).toBe(forOne);
  expect(await visited(db, [id, "gone"])).toEqual([{ id, title: "<a>", total: 1, deletedAt: null }]);
});

test("clicks of projects are shown likewise", async () => {
  const { db, now, visit, clock, shown } = await service();
  const { id } = await projects.save(
    db,
    { slug: "boat", title: "Boat", status: "PUBLISHED", liveUrl: "https://boat.example" },
    now(),
  );
  await visit("/api/projects/boat/visit", 2);
  clock.time += day;
  expect(text(await shown(`/projects/${id}/clicks`))).toContain("2 clicks in all.");
  expect(text(await shown("/projects/clicks"))).toContain("Most clicked The last 30 days Boat 2 clicks");
  expect(await shown(`/projects/${id}`)).toContain(`href="/dashboard/projects/${id}/clicks"`);
});

test("deleting a post permanently deletes its daily views, and its page says so", async () => {
  const { post, visit, db, shown, open } = await service();
  const id = await post("a");
  await visit("/api/posts/a", 2);
  await look(db, "delete from posts");
  expect(await lookAt(db, "select subject_id, count from daily_counts")).toEqual([["", 2]]);
  expect((await open(`/posts/${id}/views`)).status).toBe(404);
  expect(text(await shown("/posts/views"))).toContain("No posts had views in this time.");
});
