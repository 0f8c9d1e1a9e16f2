import { expect, test } from "bun:test";
import * as broadcastEdits from "../../../db/broadcasts/edit";
import { newestSearched } from "../../../db/lib/rows";
import * as subscribers from "../../../db/newsletter/subscribers";
import * as postBulk from "../../../db/posts/bulk";
import * as postEdits from "../../../db/posts/edit";
import * as projects from "../../../db/projects/projects";
import { messages } from "../../../db/schema/contact";
import { store } from "../../../test/support/storage/stored-files";
import { testService } from "../../../test/support/service";

const path = "/dashboard/search";
const asHtmx = {
  "hx-request": "true",
  "hx-request-type": "partial",
  "hx-current-url": "http://localhost:3000/dashboard",
};
const letter = { subject: "", preheader: "", fromName: "", archive: "listed" as const, segment: {}, content: "" };
const text = { slug: "", excerpt: "x", content: "x", coverImage: "", author: "Olive", tags: [], published: false };

/** Something of every kind that contains the word, and something that does not. */
async function withLibrary() {
  const service = await testService();
  const manager = await service.signIn();
  const { db, now, post } = service;
  const by = { actor: manager.manager.email };
  for (const email of ["d.okafor@library.example", "other@example.com"])
    await subscribers.subscribe(db, { email, name: "Daniel" }, { via: "form" }, now());
  const message = "Hello. We run a small LIBRARY with about 900 books, and would like to ask for more.";
  await post("/api/contact", { name: "Nina", email: "nina@example.com", message });
  const draft = { ...text, title: "A library in four hundred lines", publishedAt: null };
  const created = await postEdits.create(db, draft, by, now());
  const trashed = await postEdits.create(db, { ...draft, title: "Trashed library" }, by, now());
  if (created.outcome !== "saved" || trashed.outcome !== "saved") throw new Error("No post");
  await postBulk.applyAction(db, { action: "trash", selection: { ids: [trashed.post.id] } }, by, now());
  const project = {
    title: "Library of Babel",
    slug: "babel",
    status: "DRAFT" as const,
    tech: [],
    liveUrl: "https://babel.example",
  };
  await projects.save(db, project, now());
  const [file = ""] = await store(service, { filename: "library-shelf.txt" });
  await broadcastEdits.create(
    db,
    { source: { kind: "own" }, fields: { ...letter, subject: "Rain and a library" } },
    by,
    now(),
  );
  const read = async (query: string, headers = {}) => (await manager.get(`${path}?${query}`, headers)).text();
  return { ...service, manager, read, post: created.post, trashed: trashed.post, file };
}

/** The titles and their groups, as they are read. */
const rowsIn = (html: string) =>
  [
    ...html.matchAll(/<(?:a|button) class="result"[^>]*>.*?<\/svg><span[^>]*>(.*?)<\/span>(?:<kbd|<\/a|<\/button)/gs),
  ].map(([, words = ""]) => words.replace(/<[^>]+>/g, ""));
const groupsIn = (html: string) => [...html.matchAll(/class="group-name"[^>]*>([^<]+)</g)].map(([, name]) => name);

test("a word is found in every subject, on the page and with the same rows in the palette, but not in the trash", async () => {
  const { read } = await withLibrary();
  const rows = [
    "d.okafor@library.example Daniel",
    "Nina Hello. We run a small LIBRARY with about 900 books, and would like to ask for more.",
    "A library in four hundred lines Post, draft",
    "Library of Babel Project, draft",
    "library-shelf.txt File",
    "Rain and a library Broadcast, draft",
    "Pictures",
  ];
  const page = await read("q=Library");
  expect(rowsIn(page)).toEqual(rows);
  expect(groupsIn(page)).toEqual(["People", "Messages", "Posts", "Projects", "Files", "Broadcasts", "Go to"]);
  expect(page).toContain("A <mark>library</mark> in four");
  const palette = await read("q=Library", asHtmx);
  expect(rowsIn(palette)).toEqual(rows);
  expect(palette).toContain('data-said="7 results for Library"');
  expect(palette).not.toContain("<html");
  expect(palette.match(/role="option"/g)?.length).toBe(7);
});

test("an action or a page comes before the posts that only mention its name", async () => {
  const { read, db, now } = await withLibrary();
  const draft = { ...text, title: "On keys", content: "I forgot my password, and the backups.", publishedAt: null };
  await postEdits.create(db, draft, { actor: "cli" }, now());
  expect(groupsIn(await read("q=password", asHtmx)).slice(0, 2)).toEqual(["Do", "Posts"]);
  expect(rowsIn(await read("q=backup", asHtmx))[0]).toBe("Backups");
  expect(groupsIn(await read("q=library", asHtmx)).at(-1)).toBe("Go to");
});

test("what is not measured is found by its names, and the page says why", async () => {
  const { read, manager } = await withLibrary();
  for (const words of ["opens", "open rate", "countries", "country", "a/b", "A/B test"]) {
    const found = await read(`q=${encodeURIComponent(words)}`);
    expect([words, rowsIn(found)]).toEqual([
      words,
      expect.arrayContaining(["Opens, countries and A/B tests Not measured, and why"]),
    ]);
    const [, to = "", id = ""] = found.match(/href="([^"]*)#(not-measured)"/) ?? [];
    expect(await (await manager.get(to)).text()).toMatch(new RegExp(`id="${id}">[^<]*readers have not consented`));
  }
});

test("the palette has three of a kind and leads to the page, and the page has ten and leads to the list", async () => {
  const { read, db, now } = await withLibrary();
  for (let i = 0; i < 13; i++)
    await subscribers.subscribe(db, { email: `r${i}@library.example` }, { via: "form" }, now());
  const palette = await read("q=library", asHtmx);
  expect(rowsIn(palette).filter((row) => row.includes("@"))).toHaveLength(3);
  expect(palette).toContain(`href="${path}?q=library"`);
  expect(rowsIn(palette).at(-1)).toBe("All 20 results for “library”");
  expect(palette).toMatch(/data-said="\d+ of 20 results for library"/);
  const page = await read("q=library");
  expect(rowsIn(page).filter((row) => row.includes("@"))).toHaveLength(10);
  expect(page).toContain('<a href="/dashboard/newsletter?q=library">All 14 results in People</a>');
});

test("pages, actions and settings are found by their names; none of them destroys anything", async () => {
  const { read, manager } = await withLibrary();
  const webhooks = await read("q=webhook");
  expect(rowsIn(webhooks)).toEqual(["Webhooks", "Add webhook endpoint"]);
  expect(rowsIn(await read("q=density"))).toEqual(["Density Appearance"]);
  expect(await read("q=density")).toContain('href="/dashboard/settings/appearance#appearance"');
  const account = await manager.get("/dashboard/account").then((page) => page.text());
  for (const words of ["time zone", "date format", "two-step", "passkeys"]) {
    const at = /href="\/dashboard\/account#([^"]+)"/.exec(await read(`q=${words}`))?.[1];
    expect(account).toContain(`id="${at}"`);
  }
  const others = { person: "People’s data", welcome: "Welcome email", nodes: "Storage nodes", language: "Language" };
  for (const [words, title] of Object.entries(others))
    expect(rowsIn(await read(`q=${words}`)).join("\n")).toContain(title);
  const first = rowsIn(await read("q=in", asHtmx));
  expect(first[0]).toBe("Inbox"); // matches at the start come first
  for (const [word, title] of [
    ["newsletter", "Subscribers"],
    ["contact", "Inbox"],
  ])
    expect(rowsIn(await read(`q=${word}`)).join("\n")).toContain(title ?? "");
  const empty = await read("");
  expect(groupsIn(empty)).toEqual(["Do", "Go to"]);
  expect(empty).toContain('form="search-actions" formaction="/dashboard/broadcasts/new"');
  expect(rowsIn(empty)).toContain("Managers");
  expect(rowsIn(await read("", asHtmx))).toEqual(rowsIn(empty));
  expect(rowsIn(`${empty}${await read("q=e", asHtmx)}`).join()).not.toMatch(/delete|remove|erase|sign out/i);
});

test("a task is found by the words that people have for it, in any order", async () => {
  const { read } = await withLibrary();
  for (const [words, href] of [
    ["restore", "storage/trash"],
    ["deleted file", "storage/trash"],
    ["erasure", "people"],
    ["delete person", "people"],
    ["gdpr", "people"],
    ["user", "managers"],
    ["ping", "webhooks"],
    ["step verification two", "account#second-step"],
    ["who changed", "audit"],
    ["setting history", "audit"],
  ])
    expect([words, await read(`q=${words?.replaceAll(" ", "+")}`)]).toEqual([
      words,
      expect.stringContaining(`class="result" href="/dashboard/${href}"`),
    ]);
  const nothing = await read("q=tide+tables");
  expect(nothing).toContain('href="/dashboard/storage/trash?q=tide+tables"');
});

test("a page of Settings is found by any word on it", async () => {
  const { read, manager } = await withLibrary();
  for (const page of ["site", "brand", "email", "newsletter", "limits", "security", "appearance"]) {
    const html = await (await manager.get(`/dashboard/settings/${page}`)).text();
    const main = html.split('<div class="settings">')[1]?.split("</main>")[0]?.split("</nav>")[1] ?? "";
    const text = main
      .replace(/<(code|script|svg|optgroup)[^>]*>.*?<\/\1>|<[^>]+>/gs, " ")
      .replace(/&[a-z#0-9]+;/g, " ");
    const words = new Set(text.toLowerCase().match(/(?<![\w@./])\p{L}{5,}(?![\w@./:])/gu) ?? []);
    expect([page, words.size > 5]).toEqual([page, true]);
    const missing: string[] = [];
    for (const word of words)
      if (!(await read(`q=${encodeURIComponent(word)}`)).includes(`href="/dashboard/settings/${page}`))
        missing.push(word);
    expect([page, missing]).toEqual([page, []]);
  }
});

test("managers see nothing that only owners may open", async () => {
  const { signIn } = await withLibrary();
  const manager = await signIn({ email: "bo@example.com", name: "Bo", role: "manager" });
  const read = async (query: string) => (await manager.get(`${path}${query}`)).text();
  for (const words of ["", "?q=managers", "?q=invite"])
    expect(await read(words)).not.toContain('href="/dashboard/managers');
  expect(rowsIn(await read(""))).not.toContain("Managers");
});

test("nothing found says what was searched, and offers what fits the words", async () => {
  const { read } = await withLibrary();
  const address = await read("q=gudrun%40example.no");
  expect(address).toContain("Nothing matches “gudrun@example.no”");
  expect(rowsIn(address).slice(0, 2)).toEqual([
    "Add gudrun@example.no as a subscriber",
    "Find all data of gudrun@example.no",
  ]);
  expect(address).toContain('href="/dashboard/people?address=gudrun%40example.no"');
  expect(address).toContain('href="/dashboard/newsletter/new?email=gudrun%40example.no"');
  const words = await read("q=nothing+like+it", asHtmx);
  expect(words).toContain('data-said="No results for nothing like it. 4 suggestions"');
  expect(words).not.toContain("as a subscriber");
});

test("a theme is found by its name, and the one that is in use is not offered", async () => {
  const { read, manager } = await withLibrary();
  expect(rowsIn(await read("q=dark"))).toEqual(["Use the dark theme", "Brand Settings", "Appearance Settings"]);
  await manager.submit("/dashboard/settings/theme/dark");
  expect(rowsIn(await read("q=theme"))).toEqual(["Theme Appearance", "Use the system theme", "Use the light theme"]);
});

test("what was opened last is read again: deleted items are not shown, and nothing else is queried", async () => {
  const { read, post, trashed, file } = await withLibrary();
  const opened = [
    ...["/dashboard/newsletter/new", `/dashboard/posts/${trashed.id}`, "/dashboard/contact/no-such-message"],
    ...[`/dashboard/storage/files/${file}`, `/dashboard/posts/${post.id}`, `/dashboard/posts/${post.id}`, "//evil"],
  ];
  const palette = await read(new URLSearchParams({ recent: opened.join(" ") }).toString(), asHtmx);
  expect(groupsIn(palette)[0]).toBe("Recent");
  expect(rowsIn(palette).slice(0, 3)).toEqual([
    "library-shelf.txt File",
    "A library in four hundred lines Post, draft",
    "New broadcast",
  ]);
  expect(palette).not.toContain("evil");
});

test("words are text, however long or odd they are, and one letter searches nothing", async () => {
  const { read, manager } = await withLibrary();
  const odd = await read(`q=${encodeURIComponent('"><script>%_\\')}`, asHtmx);
  expect(odd).not.toContain("<script>");
  expect(odd).toContain("Nothing matches");
  expect(groupsIn(await read("q=l"))).toEqual(["Do", "Go to"]);
  expect(groupsIn(await read(`q=${"l".repeat(201)}`))).toEqual(["Do", "Go to"]);
  expect((await manager.get(`${path}?q=%ff&q=2&recent=${"a".repeat(3_000)}`)).status).toBe(200);
});

test("of messages and files the newest are searched, and the results say that there may be more", async () => {
  const { db, read } = await withLibrary();
  const one = (i: number) => ({
    ...{ name: `Writer ${i}`, email: "w@example.com", message: "Nothing of note.", source: "site" },
    ...{ fingerprint: `${i}`, folded: "nothing of note", createdAt: new Date(Date.parse("2026-11-22") + i) },
    surfacedAt: new Date(Date.parse("2026-11-22") + i),
  });
  expect(rowsIn(await read("q=library")).join()).toContain("Nina");
  for (let from = 0; from < newestSearched; from += 100)
    await db.write(async (orm) => {
      await orm
        .insert(messages)
        .values(Array.from({ length: 100 }, (_, i) => one(from + i)))
        .run();
    });
  expect(rowsIn(await read("q=library")).join()).not.toContain("Nina");
  const page = await read("q=of+note");
  expect(page).toContain('<a href="/dashboard/contact?q=of+note">Search Messages</a>');
  expect(rowsIn(await read("q=of+note", asHtmx)).at(-1)).toBe("All results for “of note”");
});

test("visitors are redirected to the sign-in, and the form to add a subscriber uses the address in the URL", async () => {
  const { get, manager } = await withLibrary();
  const answer = await get(`${path}?q=library`);
  expect([answer.status, answer.headers.get("location")]).toEqual([
    303,
    expect.stringContaining("/dashboard/sign-in") as never,
  ]);
  const form = await (await manager.get("/dashboard/newsletter/new?email=gudrun%40example.no")).text();
  expect(form).toContain('value="gudrun@example.no"');
});
