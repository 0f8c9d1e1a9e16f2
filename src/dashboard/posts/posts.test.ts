import { describe, expect, test } from "bun:test";
import * as audit from "../../../db/audit";
import * as postEdits from "../../../db/posts/edit";
import type { PostFields } from "../../../db/posts/rows";
import * as revisions from "../../../db/posts/revisions";
import * as posts from "../../../db/posts/posts";
import { store } from "../../../test/support/storage/stored-files";
import { describe as describePicture } from "../../../db/storage/pictures";
import { testService } from "../../../test/support/service";

const path = "/dashboard/posts";
const htmx = { "hx-request": "true", "hx-request-type": "partial", "hx-current-url": `http://localhost:3000${path}` };
const hostile = `"><img src=x onerror=alert(1)>`;
const blank = { title: "", slug: "", excerpt: "", coverImage: "", tags: "", author: "", publishedAt: "", content: "" };
const hour = 3_600_000;

/** A service, a manager who is signed in, and what they do in the dashboard. */
async function openEditor() {
  const service = await testService();
  const { db, clock, now, get } = service;
  const manager = await service.signIn();
  const by = { actor: manager.manager.email };

  /** Adds a post to the database. Fields that are not given are empty. */
  const write = async (fields: Partial<PostFields> = {}) => {
    const whole = { ...blank, title: "A post", tags: [], published: false, publishedAt: null, ...fields };
    const created = await postEdits.create(db, whole, by, now());
    if (created.outcome !== "saved") throw new Error("The slug was taken");
    return created.post;
  };
  const published = (title: string) => write({ title, published: true, publishedAt: now() });
  /** Submits the form of a new or an existing post as a browser would. */
  const send = async (to: string, fields: Record<string, string>, more: Record<string, string> = {}, who = manager) => {
    const answer = await who.submit(`${path}/${to}`, { ...blank, zone: "UTC", version: "1", ...fields }, more);
    return {
      status: answer.status,
      headers: answer.headers,
      location: answer.headers.get("location") ?? "",
      text: await answer.text(),
    };
  };
  const idOf = (location: string) => location.split("/").at(-1) ?? "";
  const stored = async (id: string) => {
    const post = await postEdits.byId(db, id);
    if (!post) throw new Error("The post is gone");
    return post;
  };
  const text = async (to = "") => (await manager.get(`${path}${to}`)).text();
  const listed = async (query = "") =>
    [...(await text(query)).matchAll(/id="open-[^"]*"[^>]*>([^<]*)</g)].map(([, title]) => title);
  const actions = async (group = "post") =>
    (await audit.list(db, { group }, { page: 1, per: 50 })).events.map(({ action }) => action);
  const isPublic = async (slug: string) => (await get(`/api/posts/${slug}`)).status === 200;
  return { ...service, clock, manager, by, write, published, send, idOf, stored, text, listed, actions, isPublic };
}

describe("the list", () => {
  test("shows drafts, then what is scheduled, then the latest, and follows its URL", async () => {
    const { write, published, listed, clock, now, text } = await openEditor();
    await published("Old");
    clock.time += hour;
    await published("New");
    await write({ title: "Draft", tags: ["Tides"], content: "The ПРИВЕТ 100%" });
    await write({ title: "Later", published: true, publishedAt: new Date(now().getTime() + hour) });
    expect(await listed()).toEqual(["Draft", "Later", "New", "Old"]);
    expect(await listed("?status=scheduled")).toEqual(["Later"]);
    const states = [...(await text()).matchAll(/<td class="state" role="cell"><span class="(\w+)[^"]*">(\w+)/g)];
    const usual = ["usual", "Published"]; // nearly all are: a quiet word
    expect(states.map(([, ...state]) => state)).toEqual([["badge", "Draft"], ["badge", "Scheduled"], usual, usual]);
    expect(await listed("?status=published&sort=title")).toEqual(["New", "Old"]);
    expect(await listed("?tag=tides")).toEqual(["Draft"]);
    expect(await listed("?q=привет")).toEqual(["Draft"]);
    expect(await listed("?q=%25")).toEqual(["Draft"]);
    expect(await listed("?q=_")).toEqual([]);
    expect(await listed("?status=;drop&sort=x&page=-1&per=7")).toHaveLength(4);
    expect(await text("?q=nothing")).toContain("No matching posts");
    clock.time += 2 * hour;
    expect(await listed("?status=scheduled")).toEqual([]);
    expect(await text("?status=scheduled")).toContain("No scheduled posts");
  });

  test("says what a post is before there is one", async () => {
    const { text } = await openEditor();
    expect(await text()).toContain("No posts yet");
  });

  test("publishes one post immediately, and asks before publishing several, unpublishing, or deleting permanently", async () => {
    const { manager, write, isPublic, stored, actions } = await openEditor();
    const ids = [(await write({ title: "One" })).id, (await write({ title: "Two" })).id];
    const move = async (fields: Record<string, string | string[]>) => {
      const answer = await manager.submit(`${path}/bulk`, fields, htmx);
      return { status: answer.status, text: await answer.text() };
    };
    expect((await move({ do: "publish", ids: ids[0] ?? "" })).text).toContain("“One” published.");
    expect(await isPublic("one")).toBe(true);
    expect((await move({ do: "publish", ids })).text).toContain("“Two” published. 1 other already done.");
    const question = (await move({ do: "unpublish", ids })).text;
    expect(question).toContain("Unpublish 2 posts?");
    expect(question).toContain('class="btn primary"'); // it can be published again
    expect(await isPublic("one")).toBe(true);
    expect((await move({ do: "unpublish", ids, confirmed: "yes" })).text).toContain("2 posts unpublished.");
    expect(await isPublic("one")).toBe(false);

    expect((await move({ do: "tag", ids })).text).toContain("Tag the selected posts");
    expect((await move({ do: "tag", ids, tag: "🎉" })).status).toBe(422);
    await move({ do: "tag", ids, tag: "Tides", confirmed: "yes" });
    expect((await stored(ids[1] ?? "")).tags).toEqual([{ name: "Tides", slug: "tides" }]);
    await move({ do: "untag", ids, tag: "tides", confirmed: "yes" });
    expect((await stored(ids[1] ?? "")).tags).toEqual([]);

    await move({ do: "trash", ids, confirmed: "yes" });
    expect((await move({ do: "delete", ids: ids[0] ?? "" })).text).toContain("Permanently delete 1 post?");
    await move({ do: "delete", ids, confirmed: "yes" });
    expect(await actions()).toEqual([
      ...["post.delete", "post.trash", "post.untag", "post.tag", "post.unpublish", "post.publish", "post.publish"],
      ...["post.create", "post.create"],
    ]);
  });

  test("what is deleted comes back by Undo, with its readers", async () => {
    const { manager, published, listed, isPublic, text } = await openEditor();
    const { id } = await published("One");
    const answer = await (await manager.submit(`${path}/${id}/trash`, {}, htmx)).text();
    expect([await isPublic("one"), await listed(), await listed("?status=trash")]).toEqual([false, [], ["One"]]);
    expect(await text(`/${id}`)).toContain("This post was moved to the trash");
    expect(answer).toContain(`name="ids" value="${id}"`);
    await manager.submit(`${path}/bulk`, { do: "restore", ids: id }, htmx);
    expect([await isPublic("one"), await listed()]).toEqual([true, ["One"]]);
    await manager.submit(`${path}/${id}/trash`);
    expect((await manager.submit(`${path}/${id}/restore`)).headers.get("location")).toBe(`${path}/${id}`);
    await manager.submit(`${path}/${id}/trash`);
    await manager.submit(`${path}/${id}/delete`);
    expect((await manager.get(`${path}/${id}`)).status).toBe(404);
  });

  test("a post that was restored can be opened from the notice, also after a redirect, and several cannot", async () => {
    const { manager, write, text } = await openEditor();
    const [a, b] = [await write({ title: 'A "<b>" post' }), await write({ title: "B" })];
    const ids = [a.id, b.id];
    const toOne = /class="toast"[^]*?restored\.<\/p>\s*<a class="btn sm" href="([^"]*)">\s*Open/;
    const back = async (some: string[]) => {
      await manager.submit(`${path}/bulk`, { do: "trash", ids, confirmed: "yes", asked: "2" }, htmx);
      await manager.submit(`${path}/bulk`, { do: "restore", ids: some });
      return text();
    };
    expect(toOne.exec(await back([a.id]))?.[1]).toBe(`${path}/${a.id}`);
    expect(await text()).not.toMatch(toOne);
    const several = await back(ids);
    expect(several).toContain("2 posts restored.");
    expect(several).not.toMatch(toOne);
  });

  test("undoing a bulk deletion restores all posts together", async () => {
    const { manager, write, listed, clock } = await openEditor();
    const ids = [(await write({ title: "One" })).id, (await write({ title: "Two" })).id];
    await manager.submit(`${path}/${(await write({ title: "Three" })).id}/trash`);
    clock.time += 1_000;
    const answer = await manager.submit(`${path}/bulk`, { do: "trash", ids, confirmed: "yes" }, htmx);
    const [, trashed = ""] = /name="changedAt" value="(\d+)"/.exec(await answer.text()) ?? [];
    await manager.submit(`${path}/bulk`, { do: "restore", changedAt: trashed }, htmx);
    expect(await listed("?sort=title")).toEqual(["One", "Two"]);
  });

  test("of all that match, more than a hundred are typed", async () => {
    const { manager, write, listed } = await openEditor();
    await Promise.all(Array.from({ length: 101 }, (_, i) => write({ title: `Draft ${i}` })));
    const all = { do: "trash", all: "matching", filter: "status=draft", confirmed: "yes" };
    expect((await manager.submit(`${path}/bulk`, all, htmx)).status).toBe(200);
    expect((await manager.submit(`${path}/bulk`, { ...all, typed: "100" }, htmx)).status).toBe(422);
    expect(await listed("?per=25")).toHaveLength(25);
    await manager.submit(`${path}/bulk`, { ...all, typed: "101" }, htmx);
    expect(await listed()).toEqual([]);
  });
});

describe("the form", () => {
  test("makes a draft, which only managers see, and publishes it after a question", async () => {
    const { send, idOf, stored, text, isPublic, manager, clock, actions } = await openEditor();
    const fields = {
      title: "  Tide   tables ",
      content: "# Hi\r\n\r\n![](a.jpg)\r\n",
      tags: "Sea, C++,sea,",
      author: "Olive",
    };
    const { status, location } = await send("new", fields);
    expect(status).toBe(303);
    const id = idOf(location);
    expect(await stored(id)).toMatchObject({
      ...{
        title: "Tide   tables",
        slug: "tide-tables",
        content: "# Hi\n\n![](a.jpg)\n",
        author: "Olive",
        published: false,
      },
      tags: [{ slug: "sea" }, { slug: "c-plus-plus" }],
    });
    expect([await isPublic("tide-tables"), (await manager.get(location)).status]).toEqual([false, 200]);

    const asked = await send(id, { ...fields, do: "publish" }, htmx);
    expect(asked.headers.get("hx-retarget")).toBe("#dialog");
    for (const words of [
      "No excerpt",
      "No cover picture",
      "You can publish it all the same.",
      "1 picture without alternative text",
      "Goes live immediately",
    ])
      expect(asked.text).toContain(words);
    expect(await isPublic("tide-tables")).toBe(false);
    expect((await send(id, { ...fields, title: "Tides", do: "publish" })).text).toContain("Goes live immediately at");
    expect((await manager.submit(`${path}/${id}/publish`, { version: "1" })).status).toBe(303);
    expect(await text(`/${id}`)).toContain("Not published: someone else has saved this post.");
    clock.time += 1_000;
    await manager.submit(`${path}/${id}/publish`, { version: "2" });
    expect(await text(`/${id}`)).toContain("“Tides” published.");
    expect(await stored(id)).toMatchObject({ published: true, publishedAt: new Date(clock.time), version: 3 });
    expect(await isPublic("tides")).toBe(true);
    expect(await actions()).toEqual(["post.publish", "post.change", "post.create"]);
  });

  test("before publication one reads that the cover has no alternative text, and where to write it", async () => {
    const service = await openEditor();
    const [id = ""] = await store(service, { filename: "quay.png", mimeType: "image/png" });
    const { id: post } = await service.write({ coverImage: `/media/${id}/quay.png` });
    const where = "Its alternative text is on its page, under Pictures.";
    expect(await service.text(`/${post}`)).toContain(where);
    const fields = { title: "Tides", coverImage: `/media/${id}/quay.png`, content: "Hello" };
    const asked = () => service.send(post, { ...fields, do: "publish" }, htmx);
    const problem = `no alternative text. <a href="/dashboard/storage/files/${id}?in=pictures#f-alt">Write it`;
    expect((await asked()).text).toContain(problem);
    await describePicture(service.db, id, { alt: "The quay", focus: { x: 50, y: 50 } }, service.by, service.now());
    expect((await asked()).text).not.toContain("no alternative text");
  });

  test("schedules: the post appears at its time in the manager's zone, and nothing has to run", async () => {
    const { send, idOf, manager, isPublic, clock, text } = await openEditor();
    const { location } = await send("new", { title: "Later", publishedAt: "2026-11-21T20:30", zone: "Asia/Kathmandu" });
    const id = idOf(location);
    expect(await text(`/${id}/publish`)).toContain("Schedule</button>");
    await manager.submit(`${path}/${id}/publish`, { version: "1" });
    expect(await text(`/${id}`)).toContain("Scheduled");
    clock.time = Date.parse("2026-11-21T14:44:59Z");
    expect(await isPublic("later")).toBe(false);
    clock.time = Date.parse("2026-11-21T14:45:00Z");
    expect(await isPublic("later")).toBe(true);
  });

  test("shows times in the zone of the browser, and leaves a time that no one touched as exact as it was", async () => {
    const { write, manager, send, stored } = await openEditor();
    const publishedAt = new Date("2026-11-01T10:20:30.456Z");
    const { id } = await write({ published: true, publishedAt });
    const page = await (
      await manager.get(`${path}/${id}`, { cookie: `${manager.headers.cookie}; tz=Asia/Tokyo` })
    ).text();
    expect(page).toContain(`value="2026-11-01T19:20"`);
    await send(id, { title: "Other", publishedAt: "2026-11-01T19:20", zone: "Asia/Tokyo" });
    expect(await stored(id)).toMatchObject({ title: "Other", publishedAt });
    await send(id, { title: "Other", publishedAt: "2026-11-01T19:21", zone: "Asia/Tokyo", version: "2" });
    expect((await stored(id)).publishedAt?.toISOString()).toBe("2026-11-01T10:21:00.000Z");
  });

  test("through htmx changes only what the save changed, so that what is being typed stays", async () => {
    const { published, send } = await openEditor();
    const { id } = await published("One");
    const fields = { title: "One", slug: "Uno dos!", publishedAt: "2026-11-21T12:00", content: "x" };
    const { status, text } = await send(id, fields, htmx);
    expect(status).toBe(200);
    expect(text).toContain(`id="post-version" value="2"`);
    expect(text).toContain(`value="uno-dos"`);
    expect(text).toContain("Saved 12:00");
    expect(text).not.toContain("<textarea");
  });

  test.each([
    [{ title: " " }, "title", "Enter a title."],
    [{ title: "x".repeat(201) }, "title", "Enter a title (up to 200 characters)."],
    [{ title: "a\u0000b" }, "title", "Title must not contain control characters or line breaks."],
    [{ slug: "🎉" }, "slug", "Use letters or digits in the slug."],
    [{ slug: "taken" }, "slug", "This slug is already used by “Taken”. Choose another."],
    [{ excerpt: "x".repeat(501) }, "excerpt", "Excerpt must be at most 500 characters long."],
    [{ coverImage: "javascript:alert(1)" }, "cover-image", "Enter a path starting with / or an http(s) URL."],
    [{ coverImage: "//evil.example/a.png" }, "cover-image", "Enter a path starting with / or an http(s) URL."],
    [{ tags: "x".repeat(51) }, "tags", "Each entry must be at most 50 characters long."],
    [{ tags: "ok, 🎉" }, "tags", "Each tag must contain a letter or digit."],
    [{ tags: Array.from({ length: 31 }, (_, i) => `t${i}`).join() }, "tags", "Use at most 30 tags."],
    [{ publishedAt: "soon" }, "published-at", "Enter a date and time, such as 2026-03-14 09:00."],
    [{ content: "x".repeat(1_000_001) }, "content", "Text must be at most 1,000,000 characters long."],
  ])("refuses %j, keeps what was typed, and changes nothing", async (wrong, field, message) => {
    const { write, send, stored } = await openEditor();
    await write({ title: "Taken" });
    const { id } = await write({ title: "Mine" });
    for (const to of ["new", id])
      for (const more of [{}, htmx] as Record<string, string>[]) {
        const { status, text } = await send(to, { title: "Kept title", author: hostile, ...wrong }, more);
        expect([to, status]).toEqual([to, 422]);
        expect(text).toContain(`id="${field}-error"`);
        expect(text.split(`id="${field}-error"`)[1]).toContain(message.replaceAll("“", "“"));
        expect(text).not.toContain(hostile);
      }
    expect(await stored(id)).toMatchObject({ title: "Mine", version: 1 });
  });

  test("with two things to correct leads to both", async () => {
    const { send } = await openEditor();
    const { text } = await send("new", { coverImage: "x" });
    expect(text).toContain(`<a href="#title">Enter a title.</a>`);
    expect(text).toContain(`<a href="#cover-image">Enter a path starting with / or an http(s) URL.</a>`);
  });

  test("a slug that was left answers with the new one, and the check of addresses knows it", async () => {
    const { published, send, manager } = await openEditor();
    const { id } = await published("One");
    const promise = "the API leads from the old slug to the new one";
    const page = async (id: string) => (await manager.get(`${path}/${id}`)).text();
    expect(await page(id)).toContain(promise);
    expect(await page("new")).not.toContain(promise);
    await send(id, { title: "One", slug: "two", publishedAt: "2026-11-21T12:00" });
    const check = async (of: string, post = "") => (await manager.get(`${path}/slug?of=${of}&post=${post}`)).json();
    expect(await check("One")).toEqual({
      slug: "one",
      problem: "This slug redirects to “One”, which used it before. Choose another.",
    });
    expect(await check("Two", id)).toEqual({ slug: "two", problem: null });
    expect(await check("Crème+brûlée")).toEqual({ slug: "creme-brulee", problem: null });
    expect((await send("new", { title: "Other", slug: "one" })).status).toBe(422);
  });

  test("a post of a million characters is saved", async () => {
    const { send, idOf, stored } = await openEditor();
    const { location } = await send("new", { title: "Long", content: "é".repeat(400_000) });
    expect((await stored(idOf(location))).content).toHaveLength(400_000);
  });
});

describe("unsaved changes", () => {
  test("typing into a new post makes it a draft at an address of its own, and is offered when it is opened again", async () => {
    const { send, manager, text, stored, idOf, clock } = await openEditor();
    const kept = JSON.parse((await send("new/draft", { title: "Beginning", content: "First words" })).text);
    const id = idOf(kept.action);
    expect(kept).toEqual({ savedAt: "2026-11-21T12:00:00.000Z", action: `${path}/${id}`, version: 1, isBehind: false });
    clock.time += 60_000;
    await send(`${id}/draft`, { title: "Beginning", content: `More ${hostile}` });
    expect(await stored(id)).toMatchObject({ title: "Beginning", content: "", published: false });

    const offered = await text(`/${id}`);
    expect(offered).toContain("You have unsaved changes from 21 Nov 2026, 12:01.");
    expect(offered).not.toContain("data-autosave");
    const continued = await text(`/${id}?draft=continue`);
    expect(continued).toContain("More &quot;&gt;&lt;img");
    expect(continued).toContain("data-autosave");

    await send(id, { title: "Beginning", content: "More", keepDraft: "yes" });
    expect(await text(`/${id}`)).toContain("You have unsaved changes");
    await manager.submit(`${path}/${id}/draft/discard`);
    expect(await text(`/${id}`)).not.toContain("You have unsaved changes");
    expect((await stored(id)).content).toBe("More");
  });

  test("are offered only if they say something new: an empty line that a tap began is nothing", async () => {
    const { send, text, idOf } = await openEditor();
    const fields = { title: "Quay", content: "![A pier](/media/pier.png)" };
    const id = idOf((await send("new", fields)).location);
    const form = await text(`/${id}`);
    const [, slug = ""] = /name="slug"[^>]*value="([^"]*)"/.exec(form) ?? [];
    const [, author = ""] = /name="author"[^>]*value="([^"]*)"/.exec(form) ?? [];
    const same = { ...fields, slug, author };
    await send(`${id}/draft`, { ...same, content: `${fields.content}\n\n` });
    expect(await text(`/${id}`)).not.toContain("You have unsaved changes");
    await send(`${id}/draft`, { ...same, excerpt: "Where the boats lie" });
    expect(await text(`/${id}`)).toContain("You have unsaved changes");
    await send(`${id}/draft`, { ...same, content: `${fields.content}\n\nBoats` });
    expect(await text(`/${id}`)).toContain("You have unsaved changes");
  });

  test("are each manager's own, and are deleted by saving", async () => {
    const { write, send, signIn, text, db, by } = await openEditor();
    const { id } = await write();
    const other = await signIn({ email: "bo@example.com" });
    await send(`${id}/draft`, { title: "Mine" });
    expect(await (await other.get(`${path}/${id}`)).text()).not.toContain("You have unsaved changes");
    await send(id, { title: "Mine" });
    expect(await revisions.draftOf(db, id, by)).toBeUndefined();
    expect(await text(`/${id}`)).not.toContain("You have unsaved changes");
  });

  test("report that someone saved in the meantime, and that the post is gone", async () => {
    const { write, send } = await openEditor();
    const { id } = await write();
    await send(id, { title: "Newer" });
    expect(JSON.parse((await send(`${id}/draft`, { title: "Mine" })).text)).toMatchObject({
      version: 1,
      isBehind: true,
    });
    expect((await send("nothing/draft", { title: "Mine" })).status).toBe(404);
  });
});

describe("two managers at the same time", () => {
  async function race() {
    const own = await openEditor();
    const other = await own.signIn({ email: "bo@example.com" });
    const { id } = await own.write({ content: "One\ntwo\nthree", tags: ["Sea"] });
    await own.send(id, { title: "Theirs", content: "One\nTWO\nthree", tags: "Sea" }, {}, other);
    const mine = { title: "Mine", content: `One\ntwo\n${hostile}`, tags: "Sea" };
    return { ...own, id, mine, answer: await own.send(id, mine, htmx), other };
  }

  test("the second one sees what is different, and who was quicker; nothing is saved and nothing lost", async () => {
    const { answer, id, stored, text } = await race();
    expect([answer.status, answer.headers.get("hx-retarget")]).toEqual([409, "#editor"]);
    expect(answer.text).toContain(
      `<span title="bo@example.com">Olive Owner (bo@example.com)</span> saved this post`, // two managers have this name
    );
    expect(answer.text).toMatch(
      /<del><span class="sr">Removed: <\/span>Theirs<\/del><ins><span class="sr">Added: <\/span>Mine/,
    );
    expect(answer.text).not.toContain(hostile);
    expect(await stored(id)).toMatchObject({ title: "Theirs", version: 2 });
    expect(await text(`/${id}?draft=continue`)).toContain(">Mine</textarea>");
  });

  test("a time that no one touched is no difference, though the browser's zone is known only since", async () => {
    const { manager, send, write } = await openEditor();
    const { id } = await write({ published: true, publishedAt: new Date("2026-11-01T10:20:00Z") });
    const mine = { title: "Mine", publishedAt: "2026-11-01T19:20", zone: "Asia/Tokyo" };
    await send(id, { ...mine, title: "Theirs" });
    const { text } = await send(id, mine, { cookie: `${manager.headers.cookie}; tz=Europe/Berlin` });
    expect(text).toContain("Someone else saved this post");
    expect(text.match(/2026-11-01T\d\d:20/g)).toEqual(text.match(/2026-11-01T19:20/g));
  });

  test("a save that is sent again, because its response was lost, finds itself saved", async () => {
    const { send, write, stored } = await openEditor();
    const { id } = await write({ content: "One" });
    const mine = { title: "Mine", content: "Two", tags: "Sea, Air" };
    for (let times = 0; times < 2; times++) expect((await send(id, mine)).status).toBe(303);
    expect(await stored(id)).toMatchObject({ title: "Mine", version: 2 });
    expect((await send(id, { ...mine, title: "Theirs" })).status).toBe(409);
  });

  test("can overwrite it, unless there was yet another save", async () => {
    const { send, id, mine, stored, other } = await race();
    await send(id, { title: "Third", version: "2" }, {}, other);
    expect((await send(id, { ...mine, version: "2" })).status).toBe(409);
    expect((await send(id, { ...mine, version: "3" })).status).toBe(303);
    expect(await stored(id)).toMatchObject({ title: "Mine", version: 4 });
  });

  test("can keep both versions", async () => {
    const { send, id, mine, stored, idOf } = await race();
    const copy = await send("new", { ...mine, slug: "a-post", copy: "yes" });
    expect(await stored(idOf(copy.location))).toMatchObject({ title: "Mine", slug: "mine", published: false });
    expect(await stored(id)).toMatchObject({ title: "Theirs" });
  });

  test("a post deleted in the meantime can still be saved as a new one", async () => {
    const { send, id, mine, manager, idOf, stored } = await race();
    await manager.submit(`${path}/${id}/trash`);
    const inTrash = await send(id, { ...mine, version: "2" });
    expect(inTrash.status).toBe(409);
    expect(inTrash.text).toContain("This post was moved to the trash");
    await manager.submit(`${path}/${id}/delete`);
    expect((await send(id, { ...mine, version: "2" })).text).toContain("This post was permanently deleted.");
    const saved = await send("new", { ...mine, copy: "yes" });
    expect(await stored(idOf(saved.location))).toMatchObject({ title: "Mine" });
    expect((await manager.submit(`${path}/${id}/publish`, { version: "2" })).headers.get("location")).toBe(path);
    expect((await manager.submit(`${path}/${id}/delete`, {}, htmx)).status).toBe(200);
  });
});

test("revisions of one minute are told apart by the second, those of another minute need none", async () => {
  const { write, send, text, clock } = await openEditor();
  const { id } = await write({ title: "One" });
  clock.time += 65_000;
  await send(id, { title: "Two" });
  clock.time += 10_000;
  await send(id, { title: "Three", version: "2" });
  const times = [...(await text(`/${id}/revisions`)).matchAll(/<li><a href=[^>]*><time[^>]*>([^<]*)/g)];
  expect(times.map(([, words]) => words)).toEqual(["Today 12:01:15", "Today 12:01:05", "Today 12:00"]);
});

test("revisions show what each save changed, and lead back to any of them", async () => {
  const { write, send, text, manager, stored, db, actions } = await openEditor();
  const { id } = await write({ title: "First", content: "One\ntwo" });
  await send(id, { title: "Second", content: `One\n${hostile}` });
  const page = await text(`/${id}/revisions`);
  expect(page).toContain("Current version, saved");
  expect(page).toContain("<ins>");
  expect(page).not.toContain(hostile);
  const first = (await revisions.list(db, id)).at(-1);
  expect(await text(`/${id}/revisions/${first?.id}`)).toContain("Restore this revision");
  await manager.submit(`${path}/${id}/revisions/${first?.id}/restore`);
  expect(await stored(id)).toMatchObject({ title: "First", content: "One\ntwo", version: 3 });
  expect((await actions())[0]).toBe("post.revert");
  for (const gone of [`/${id}/revisions/nothing`, "/nothing/revisions", "/nothing", "/nothing/publish"])
    expect([gone, (await manager.get(path + gone)).status]).toEqual([gone, 404]);
});

test("an earlier revision says what restoring it would change, whatever was changed by it", async () => {
  const { write, send, text, manager, db } = await openEditor();
  const { id } = await write({ title: "A post", content: "One" });
  await send(id, { title: "The post", slug: "the-post", content: "One" });
  await send(id, { title: "The post", slug: "the-end", content: "Two", version: "2" });
  const [, second] = await revisions.list(db, id);
  const comparison = async (revision = "") =>
    /<summary>Compare with the current version<.summary>.*?<.details>/s.exec(
      await text(`/${id}/revisions${revision}`),
    )?.[0];
  const shown = await comparison(`/${second?.id}`);
  expect(shown).toMatch(/Text<.*Removed: .*Two.*Added: .*One/s);
  expect(shown).not.toContain("the-end"); // slugs stay as they are
  expect(shown).not.toContain("A post");
  expect(await comparison()).toBeUndefined();
  await manager.submit(`${path}/${id}/trash`);
  expect(await comparison(`/${second?.id}`)).toBeUndefined();
});

test("a revision says when a post is published as the manager reads dates", async () => {
  const { write, send, text, manager } = await openEditor();
  await manager.submit("/dashboard/account/times", { timeZone: "Asia/Kathmandu", dates: "en-GB" });
  const { id } = await write();
  await send(id, { title: "Later", publishedAt: "2026-11-21T20:30", zone: "Asia/Kathmandu" });
  const page = await text(`/${id}/revisions`);
  expect(page).toContain("21 Nov 2026, 20:30");
  expect(page).not.toContain("T14:45");
});

test("the heading of a revision says which version it is, and not that something was changed just now", async () => {
  const { write, send, text, db } = await openEditor();
  const { id } = await write({ content: "One" });
  await send(id, { title: "A post", content: "Two" });
  await send(id, { title: "A post", content: "Three", version: "2" });
  const headings = (await revisions.list(db, id)).map(
    async (revision) => /<h2 id="shown-title">([^<]*)<time/.exec(await text(`/${id}/revisions/${revision.id}`))?.[1],
  );
  expect(await Promise.all(headings)).toEqual([
    "Current version, saved ",
    "Earlier version, saved ",
    "First version, saved ",
  ]);
});

test("the latest revision is not the post of now when that was changed together with others since", async () => {
  const { write, text, manager } = await openEditor();
  const { id } = await write();
  expect(await text(`/${id}/revisions`)).toContain(
    `<span title="owner@example.com">Olive Owner</span> · current version`,
  );
  await manager.submit(`${path}/bulk`, { do: "tag", ids: id, tag: "Sea" });
  expect(await text(`/${id}/revisions`)).not.toContain("· current version");
});

test("a revision of a post in the trash is shown, but no way back to it", async () => {
  const { write, send, text, manager, db } = await openEditor();
  const { id } = await write({ content: "One" });
  await send(id, { title: "A post", content: "Two" });
  await manager.submit(`${path}/${id}/trash`);
  const [, first] = await revisions.list(db, id);
  const page = await text(`/${id}/revisions/${first?.id}`);
  expect(page).toContain("This post is in the trash.");
  expect(page).not.toContain("Restore this revision");
});

test("saving a text leaves each line that was not touched as it was brought", async () => {
  const { write, send, stored, text } = await openEditor();
  const brought = "\r\n  One\r\ntw\u0001o e\u0301\r\n\u2028\f\n\n";
  const { id, slug } = await write({ content: brought });
  expect(await text(`/${id}`)).toContain(`>\n${brought}</textarea>`); // browsers drop the first line feed
  const shown = brought.replaceAll("\r", "");
  await send(id, { title: "A post", slug, content: shown });
  expect(await stored(id)).toMatchObject({ content: brought, version: 1 });
  await send(id, { title: "A post", slug, content: shown.replace("One", "Two") });
  expect(await stored(id)).toMatchObject({ content: brought.replace("One", "Two"), version: 2 });
});

test("a text is stored as it was typed, but for U+0000", async () => {
  const { write, send, stored } = await openEditor();
  const { id, slug } = await write({ content: "" });
  const typed = "\n\tA\u030a \u0001\ufeff\0 \n\n";
  await send(id, { title: "A post", slug, content: typed });
  expect(await stored(id)).toMatchObject({ content: typed.replace("\0", "\ufffd") });
});

test("saving takes no post away from its readers: a time in the future is for drafts and what is scheduled", async () => {
  const { published, manager, send, stored, isPublic } = await openEditor();
  const { id, slug } = await published("Read");
  const later = { title: "Read", slug, publishedAt: "2027-01-01T00:00" };
  const refused = await send(id, later);
  expect([refused.status, await isPublic("read")]).toEqual([422, true]);
  expect(refused.text).toContain("A future date would hide this published post. Unpublish it first.");
  await manager.submit(`${path}/${id}/unpublish`);
  await send(id, { ...later, version: "2" });
  await manager.submit(`${path}/${id}/publish`, { version: "3" });
  await send(id, { ...later, publishedAt: "2027-02-01T00:00", version: "4" });
  expect(await stored(id)).toMatchObject({ published: true, publishedAt: new Date("2027-02-01T00:00:00Z") });
});

test("an action that comes too late says so, and claims nothing that did not happen", async () => {
  const { write, published, manager, stored, text } = await openEditor();
  const told = async (to: string, fields = {}) => {
    const { headers } = await manager.submit(path + to, fields);
    return (await manager.get(headers.get("location") ?? "")).text();
  };
  const { id } = await published("Read");
  await manager.submit(`${path}/${id}/trash`);
  expect(await told(`/${id}/unpublish`)).toContain("Nothing changed");
  await manager.submit(`${path}/${id}/restore`);
  expect(await told(`/${id}/restore`)).toContain("Nothing changed");

  const draft = await write({ title: "Twice" });
  await told(`/${draft.id}/publish`, { version: "1" });
  expect(await told(`/${draft.id}/publish`, { version: "1" })).toContain("This post was already published.");
  expect(await stored(draft.id)).toMatchObject({ published: true, version: 2 });
  expect(await text()).toContain("Twice");
});

test.each(["/\\evil.example/a.png", "//evil.example/a.png", "javascript:alert(1)"])(
  "%s is no cover that a form takes",
  async (coverImage) => {
    const { send } = await openEditor();
    expect(await send("new", { title: "A", coverImage })).toMatchObject({ status: 422 });
  },
);

test("a post without a word is no minute to read", async () => {
  const { write, text } = await openEditor();
  const { id } = await write({ content: "" });
  const page = await text(`/${id}`);
  expect(page).toContain("0 words");
  expect(page).not.toContain("min read");
  const other = await write({ title: "Wet", content: "Wet" });
  expect(await text(`/${other.id}`)).toMatch(/1 word.* · 1 min read/s);
  const list = await text("");
  expect([list.match(/No text yet/g)?.length, list.match(/1 min/g)?.length]).toEqual([1, 1]);
});

test.each(["", " \n\t\u00a0\u3000\n", "---\n\n***\n", "# \n\n> \n\n- \n", "****\n```\n```"])(
  "a post with only %j has no word to read, and the API names a minute as before",
  async (content) => {
    const { write, text, stored } = await openEditor();
    const { id } = await write({ content });
    const page = await text(`/${id}`);
    expect(page).toMatch(/>\s*0 words/);
    expect(page).not.toContain("min read");
    const list = await text("");
    expect([list.match(/No text yet/g)?.length, list.match(/1 min/g)?.length]).toEqual([1, undefined]);
    expect(await stored(id)).toMatchObject({ content, readingTime: 1 });
  },
);

test("a cover that an import brought stays, though no one could type it", async () => {
  const { write, send, stored } = await openEditor();
  const { id, slug } = await write({ coverImage: "./images/a b.png" });
  const saved = await send(id, { title: "Another", slug, coverImage: "./images/a b.png" });
  expect([saved.status, (await stored(id)).coverImage]).toEqual([303, "./images/a b.png"]);
  expect((await send(id, { title: "Another", slug, coverImage: "./b.png", version: "2" })).status).toBe(422);
  await send(id, { title: "Another", slug, coverImage: "", version: "2" });
  expect((await stored(id)).coverImage).toBe("");
});

test("an address and tags that an import brought stay, though no one could type them", async () => {
  const { send, stored, db, now } = await openEditor();
  const tags = ["🎉", ...Array.from({ length: 40 }, (_, i) => `Tag ${i}`)];
  const imported = await posts.save(
    db,
    { slug: "long-".repeat(30) + "end", title: "A", published: false, tags },
    now(),
  );
  const { id, slug } = imported;
  const typed = { slug, tags: tags.slice(1).join(", ") };
  expect((await send(id, { ...typed, title: "Another" })).status).toBe(303);
  expect(await stored(id)).toMatchObject({ slug, title: "Another", tags: { length: 40 } });
  expect((await send(id, { ...typed, title: "A", slug: `${slug}-too`, version: "2" })).status).toBe(422);
  expect((await send(id, { ...typed, title: "A", tags: `${typed.tags}, More`, version: "2" })).status).toBe(422);
});

describe("tags", () => {
  const tagged = async () => {
    const own = await openEditor();
    for (const tags of [["Tide", "Sea"], ["Tides"], ["Tides"]]) await own.write({ tags });
    const rows = async (query = "") =>
      [...(await own.text(`/tags${query}`)).matchAll(/class="who">([^<]*)<[\s\S]*?<a [^>]*>([^<]*)<\/a>/g)].map(
        ([, name, n]) => `${name} ${n}`,
      );
    const act = async (slug: string, verb: string, fields: Record<string, string> = {}) => {
      const here = { ...htmx, "hx-current-url": `http://localhost:3000${path}/tags` };
      const answer = await own.manager.submit(`${path}/tags/${slug}/${verb}`, fields, here);
      return { status: answer.status, text: await answer.text() };
    };
    return { ...own, rows, act };
  };

  test("are listed with their counts, searched and sorted", async () => {
    const { rows } = await tagged();
    expect(await rows()).toEqual(["Sea 1", "Tide 1", "Tides 2"]);
    expect(await rows("?sort=-posts")).toEqual(["Tides 2", "Sea 1", "Tide 1"]);
    expect(await rows("?q=TIDE")).toEqual(["Tide 1", "Tides 2"]);
    expect(await rows("?q=%25")).toEqual([]);
  });

  test("are renamed; a slug that another has leads to merging", async () => {
    const { rows, act, key, get } = await tagged();
    await act("tides", "rename", { name: "Ebb & flow", slug: "" });
    expect(await rows()).toEqual(["Ebb &amp; flow 2", "Sea 1", "Tide 1"]);
    const clash = await act("tide", "rename", { name: "Sea", slug: "" });
    expect([clash.status, clash.text.includes("This slug is already used by the tag “Sea”.")]).toEqual([422, true]);
    expect((await act("tide", "rename", { name: "🎉", slug: "" })).status).toBe(422);
    expect((await act("gone", "rename", { name: "x", slug: "" })).text).toContain("already been deleted");
    expect((await get("/api/v1/posts?tag=tides", await key())).status).toBe(200);
  });

  test("keep a comma in their names when the post is saved and restored", async () => {
    const { write, send, text, rows, act } = await tagged();
    const { id, title, slug } = await write({ tags: ["Ships, boats", 'Say "ahoy"'] });
    expect(await text(`/${id}`)).toContain('value="&#34;Ships, boats&#34;, Say &#34;ahoy&#34;"');
    await send(id, { title, slug, tags: '"Ships, boats", Say "ahoy", Sea' });
    expect(await rows("?q=ships")).toEqual(["Ships, boats 1"]);
    expect(await rows("?q=ahoy")).toEqual(["Say &quot;ahoy&quot; 1"]);
    await act("sea", "merge", { into: "Ships, boats" });
    expect(await rows("?q=ships")).toEqual(["Ships, boats 2"]);
  });

  test("are merged and deleted, after a question that says how many posts it is about", async () => {
    const { rows, act, text, actions } = await tagged();
    expect(await text("/tags/tides/merge")).toContain("2 posts");
    expect((await act("tide", "merge", { into: "nothing" })).status).toBe(422);
    expect((await act("tide", "merge", { into: "tide" })).status).toBe(422);
    await act("tide", "merge", { into: "Tides" });
    expect(await rows()).toEqual(["Sea 1", "Tides 3"]);
    expect(await text("/tags/tides/delete")).toContain("It will be removed from 3 posts");
    await act("tides", "delete");
    expect(await rows()).toEqual(["Sea 1"]);
    expect(await actions("tag")).toEqual(["tag.delete", "tag.merge"]);
  });
});
