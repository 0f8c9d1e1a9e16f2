import { expect, test } from "bun:test";
import sharp from "sharp";
import { z } from "zod";
import * as audit from "../../../db/audit";
import * as broadcasts from "../../../db/broadcasts/edit";
import * as posts from "../../../db/posts/posts";
import * as projects from "../../../db/projects/projects";
import * as files from "../../../db/storage/files";
import { describe } from "../../../db/storage/pictures";
import { look } from "../../../test/support/look";
import { set } from "../../../test/support/settings";
import { testService } from "../../../test/support/service";
import { draw } from "../../../test/support/storage/pictures";
import { store } from "../../../test/support/storage/stored-files";

const path = "/dashboard/storage";
const Post = z.object({ data: z.object({ files: z.array(z.unknown()) }) });
const partial = { "hx-request": "true", "hx-request-type": "partial" };

/** A signed-in manager, and these pictures. */
async function open(...contents: Parameters<typeof store>[1][]) {
  const service = await testService();
  const manager = await service.signIn();
  const ids = await store(service, ...contents);
  const text = async (to: string, more: Record<string, string> = {}) => (await manager.get(path + to, more)).text();
  const find = (id = "") => files.find(service.db, id);
  return { ...service, manager, ids, id: ids[0] ?? "", text, find };
}

const picture = (filename: string, more: object = {}) => ({ filename, mimeType: "image/png", ...more });

test("the page of a picture says its dimensions once they are known; until then not, and never 0", async () => {
  const { id, storage, text } = await open({
    ...picture("harbour.jpg"),
    body: await draw({ width: 1_200, height: 80, orientation: 6 }),
  });
  expect(await text(`/files/${id}`)).toContain("<dt>Dimensions</dt><dd>Not read yet</dd>");
  await storage.readPictures();
  const page = await text(`/files/${id}`);
  expect(page).toContain("<dt>Dimensions</dt><dd>80 × 1,200</dd>");
  expect(page).toMatch(
    /<img src="\/media\/[^"]+\/harbour\.jpg\?w=1280&amp;v=\w{8}" alt="Preview of harbour.jpg" width="80"/,
  );
});

test("those of a picture that cannot be read are unknown, and other files have none", async () => {
  const { ids, storage, text } = await open(picture("broken.png"), { filename: "logo.svg", mimeType: "image/svg+xml" });
  await storage.readPictures();
  expect(await text(`/files/${ids[0]}`)).toContain("<dt>Dimensions</dt><dd>Unknown</dd>");
  const drawing = await text(`/files/${ids[1]}`);
  expect(drawing).not.toContain("Dimensions");
  expect(drawing).not.toContain('name="alt"');
});

test("alternative text and focal point are kept with the file, by a form, and posts say them", async () => {
  const { db, find, get, id, manager, now, text } = await open(picture("a.png"));
  await posts.save(db, { slug: "a", title: "A", content: `/media/${id}/`, published: true, publishedAt: now() }, now());
  const ofPost = async () => Post.parse(await (await get("/api/posts/a")).json()).data.files[0];
  expect(await ofPost()).toMatchObject({ alt: null, focus: null });
  const answer = await manager.submit(`${path}/files/${id}/describe`, {
    ...{ alt: " Rain \r\n on <a> railing ", focalX: "15", focalY: "80" },
  });
  expect([answer.status, answer.headers.get("location")]).toEqual([303, `${path}/files/${id}`]);
  expect(await find(id)).toMatchObject({ alt: "Rain on <a> railing", focalX: 15, focalY: 80 });
  expect(await ofPost()).toMatchObject({ alt: "Rain on <a> railing", focus: { x: 15, y: 80 } });
  const page = await text(`/files/${id}`);
  expect(page).toContain(">Rain on &lt;a&gt; railing</textarea>");
  expect(page).toContain('class="focal fx-15 fy-80"');
  expect(page).toContain("Description saved.");
  await manager.submit(`${path}/files/${id}/describe`, { alt: "", focalX: "15", focalY: "80" });
  expect(await find(id)).toMatchObject({ alt: null, focalX: 15 });
  await manager.submit(`${path}/files/${id}/describe`, { alt: "", focalX: "15", focalY: "80" });
  const { events } = await audit.list(db, { group: "file" }, { page: 1, per: 50 });
  expect(events.filter(({ action }) => action === "file.caption")).toHaveLength(2);
});

test("a text that is too long is shown again, with the reason; nothing is stored", async () => {
  const { find, id, manager } = await open(picture("a.png"));
  for (const more of [{}, partial]) {
    const answer = await manager.submit(`${path}/files/${id}/describe`, { alt: "x".repeat(1_001) }, more);
    const page = await answer.text();
    expect(answer.status).toBe(422);
    expect(page).toContain("Alternative text must be at most 1,000 characters long.");
    expect(page).toContain("x".repeat(1_001));
  }
  for (const focalX of ["-1", "101", "1.5", "x"])
    expect((await manager.submit(`${path}/files/${id}/describe`, { focalX })).status).toBe(422);
  expect(await find(id)).toMatchObject({ alt: null, focalX: null });
});

test("the page says what uses a picture, with links", async () => {
  const { db, id, now, text } = await open(picture("a.png"));
  const address = `/media/${id}/a.png`;
  await posts.save(db, { slug: "a", title: "Of <rain>", coverImage: address, published: false }, now());
  await set(db, "welcomeText", `![](${address})`, { by: "cli" }, now());
  const page = await text(`/files/${id}`);
  expect(page).toMatch(/href="\/dashboard\/posts\/[0-9a-f-]{36}"><svg.*?<\/svg>Of &lt;rain&gt;/s);
  expect(page).toMatch(/href="\/dashboard\/settings\/welcome"><svg.*?<\/svg>Welcome email/s);
});

test("the menu of a file in use says why it cannot be deleted, where others have Delete", async () => {
  const { db, ids, now, text } = await open(picture("used.png"), picture("free.png"));
  const [used, free] = ids;
  const coverImage = `/media/${used}/used.png`;
  await posts.save(db, { slug: "a", title: "Of rain", coverImage, content: "Wet.", published: false }, now());
  const menuOf = async (id?: string) => (await text(`/files/${id}`)).split('class="menu"')[1]?.split("</section>")[0];
  expect(await menuOf(used)).toContain("In use, so it cannot be deleted. “Used by” says where.");
  expect(await menuOf(used)).not.toContain('id="trash"');
  expect(await menuOf(free)).toContain('id="trash"');
  expect(await menuOf(free)).not.toContain("cannot be deleted");
});

/** The names of the pictures that a page lists. */
const namesIn = (page: string) => [...page.matchAll(/<span class="name">([^<]+)/g)].map(([, name]) => name);

test("the library lists pictures of all folders, newest first, and nothing else", async () => {
  const { db, now, manager, ids, text } = await open(
    picture("old.png"),
    { filename: "notes.txt" },
    { filename: "logo.svg", mimeType: "image/svg+xml" },
    { ...picture("deep.jpg"), folderPath: "a/b" },
    { ...picture("gone.jpg"), mimeType: "IMAGE/JPEG" },
    picture("new.webp"),
  );
  await manager.submit(`${path}/files/${ids[4]}/trash`, {});
  const list = async (query: string) => namesIn(await text(`/pictures${query}`));
  expect(await list("")).toEqual(["new.webp", "deep.jpg", "old.png"]);
  expect([await list("?folder=a"), await list("?folder=a/b"), await list("?folder=b")]).toEqual([
    ["deep.jpg"],
    ["deep.jpg"],
    [],
  ]);
  await describe(db, ids[0] ?? "", { alt: "Ähren im Wind", focus: { x: 10, y: 90 } }, { actor: "cli" }, now());
  expect([await list("?q=ähREN"), await list("?q=NEW"), await list("?q=%25")]).toEqual([["old.png"], ["new.webp"], []]);
  expect(await list("?show=no-alt")).toEqual(["new.webp", "deep.jpg"]);
  const page = await text("/pictures");
  expect(page.match(/class="no-alt"/g)).toHaveLength(2);
  expect(page).toContain('class="focal fx-10 fy-90"');
  expect(page.match(/<img [^>]*width="320" height="240" alt="" loading="lazy"/g)).toHaveLength(3); // nothing moves
});

test("the library says that a picture without alternative text is described by the posts and emails that show it", async () => {
  const names = ["described.png", "half.png", "cover.png", "mailed.png"];
  const { db, now, ids, text } = await open(...names.map((name) => picture(name)));
  const [described, half, cover, mailed] = ids.map((id) => `/media/${id}/x.png`);
  const content = `![Rain](${described}) ![Wind](${half})`;
  await posts.save(db, { slug: "a", title: "A", content, coverImage: cover ?? "", published: false }, now());
  await posts.save(db, { slug: "b", title: "B", content: `![](${half})`, published: false }, now());
  const fields = { subject: "Tides", preheader: "", fromName: "", archive: "listed" as const, segment: {} };
  const draft = { source: { kind: "own" as const }, fields: { ...fields, content: `![Fog](${mailed})` } };
  await broadcasts.create(db, draft, { actor: "cli" }, now());
  const page = await text("/pictures");
  const saying = [...page.matchAll(/<span class="(?:no-alt|described)">([^<]+)<.*?class="name">([^<]+)/gs)];
  expect(saying.map(([, says, name]) => `${name}: ${says}`)).toEqual([
    "mailed.png: Described where used",
    "cover.png: No alternative text",
    "half.png: No alternative text",
    "described.png: Described where used",
  ]);
  const filtered = await text("/pictures?show=no-alt");
  expect(namesIn(filtered)).toHaveLength(4);
  expect(filtered).toContain("No alternative text in Storage");
  expect(filtered).toContain("have one in every text that shows them");
  expect(page).not.toContain("have one in every text");
});

test("the page of a file leads back to where it was opened, also after a change; a deleted picture to the pictures", async () => {
  const { id, manager, text } = await open({ ...picture("a.png"), folderPath: "trips" });
  const page = `/files/${id}`;
  const crumbsOf = async (to: string) =>
    [...(await text(to)).matchAll(/<a href="([^"]+)"[^>]* id="crumb-\d"/g)].map(([, href]) => href);
  expect(await crumbsOf(page)).toEqual([path, `${path}?folder=trips`]);
  const opened = /href="([^"]+)" id="open-/.exec(await text("/pictures"))?.[1] ?? "";
  expect(await crumbsOf(opened.replace(path, ""))).toEqual([`${path}/pictures`, `${path}/pictures?folder=trips`]);
  expect(await text(opened.replace(path, ""))).toContain(`<a href="${path}/pictures" aria-current="page" data-key`);
  const description = { alt: "Rain", focalX: "50", focalY: "50" };
  const referer = `http://localhost:3000${opened}`;
  const changed = await manager.submit(`${path}${page}/describe`, description, { referer });
  expect(changed.headers.get("location")).toBe(opened);
  const elsewhere = await manager.submit(`${path}${page}/describe`, description, {
    referer: `http://localhost:3000${path}${page}`,
  });
  expect(elsewhere.headers.get("location")).toBe(`${path}${page}`);
  const deleted = await manager.submit(`${path}${page}/trash`, {}, { referer });
  expect(deleted.headers.get("location")).toBe(`${path}/pictures`);
});

test("what uses a file is a link for those who may open it", async () => {
  const { db, id, now, signIn } = await open(picture("a.png"));
  const coverImage = `/media/${id}/a.png`;
  await posts.save(db, { slug: "a", title: "Of rain", coverImage, published: false }, now());
  await set(db, "brandLogo", coverImage, { by: "cli" }, now());
  const usesFor = async (role: "manager" | "editor") => {
    const person = await signIn({ email: `${role}@example.com`, role });
    const page = await (await person.get(`${path}/files/${id}`)).text();
    return [...page.matchAll(/<(?:a|span) class="use"(?: href="([^"]+)")?>.*?<.svg>([^<]+)/gs)].map(
      ([, ...use]) => use,
    );
  };
  const inPost = [expect.stringContaining("/dashboard/posts/"), "Of rain"];
  expect(await usesFor("manager")).toEqual([inPost, ["/dashboard/settings/brand", "Logo"]]);
  expect(await usesFor("editor")).toEqual([inPost, [undefined, "Logo"]]);
});

test("the library tells pictures in use from others: by posts, projects, broadcasts and settings", async () => {
  const { db, now, ids, text } = await open(...["post", "project", "setting", "none"].map((name) => picture(name)));
  const [inPost, inProject, inSetting] = ids.map((id) => `/media/${id}/x.png`);
  await posts.save(db, { slug: "a", title: "A", content: `![](${inPost})`, published: false }, now());
  await projects.save(db, { slug: "p", title: "P", status: "DRAFT", imageUrl: inProject ?? "" }, now());
  await set(db, "logo", inSetting ?? "", { by: "cli" }, now());
  const list = async (show: string) => namesIn(await text(`/pictures?show=${show}`));
  expect(await list("used")).toEqual(["setting", "project", "post"]);
  expect(await list("unused")).toEqual(["none"]);
});

test("its folders say how many pictures are in and below them; pictures are moved there by a form", async () => {
  const { find, ids, manager, text } = await open(
    { ...picture("a.png"), folderPath: "trips/2026" },
    { ...picture("b.png"), folderPath: "trips" },
    { filename: "c.txt", folderPath: "papers" },
    picture("d.png"),
  );
  const folders = async (query = "") =>
    [...(await text(`/pictures${query}`)).matchAll(/data-drop="([^"]+)">.*?aria-label="([^"]+)"/gs)].map(
      ([, ...it]) => it,
    );
  expect(await folders()).toEqual([
    ["papers", "0 pictures"],
    ["trips", "2 pictures"],
  ]);
  expect((await folders("?folder=trips")).at(-1)).toEqual(["trips/2026", "1 picture"]);
  expect(await folders("?q=a")).toEqual([]);
  const move = { do: "move", ids: ids[3] ?? "", to: "trips/2026", filter: "folder=" };
  const answer = await manager.submit(`${path}/pictures/bulk`, move);
  expect([answer.status, answer.headers.get("location")]).toEqual([303, `${path}/pictures`]);
  expect((await find(ids[3]))?.folder).toBe("trips/2026");
  const all = { do: "move", all: "matching", filter: "folder=trips/2026", to: "papers" };
  await manager.submit(`${path}/pictures/bulk`, all);
  expect([(await find(ids[0]))?.folder, (await find(ids[1]))?.folder]).toEqual(["papers", "trips"]);
});

test("a picture is replaced under its URL; the previous one is in the trash, and comes back by undoing", async () => {
  const [old, fresh] = [
    await draw({ width: 400, height: 300 }),
    await draw({ width: 600, height: 200, format: "png" }),
  ];
  const { db, find, get, ids, manager, now, storage, text } = await open(
    { filename: "harbour.jpg", mimeType: "image/jpeg", folderPath: "posts", body: old },
    { filename: "new.png", mimeType: "image/png", body: fresh },
  );
  const [id = "", other = ""] = ids;
  const address = `/media/${id}/harbour.jpg`;
  await posts.save(
    db,
    { slug: "a", title: "A", content: `![](${address})`, published: true, publishedAt: now() },
    now(),
  );
  await describe(db, id, { alt: "The harbour", focus: { x: 5, y: 10 } }, { actor: "cli" }, now());
  await storage.readPictures();
  /** What readers get, in full and in a small size. */
  const seen = async () => {
    const location = (await get(address)).headers.get("location") ?? "";
    const small = (await get(`${address}?w=320`)).headers.get("location") ?? "";
    const bytes = await (await fetch(location)).bytes();
    return { bytes, small: (await sharp(await (await fetch(small)).arrayBuffer()).metadata()).height };
  };
  expect(await seen()).toEqual({ bytes: old, small: 240 });
  const etag = async () => (await get("/api/posts/a")).headers.get("etag");
  const before = await etag();
  const page = await text(`/files/${id}`);

  const form = await text(`/files/${id}/replace`);
  expect(form).toContain(`name="other" value="${other}"`);
  expect(form).not.toContain(`value="${id}"`);
  const answer = await manager.submit(`${path}/files/${id}/replace`, { other });
  expect([answer.status, answer.headers.get("location")]).toEqual([303, `${path}/files/${id}`]);
  expect(await find(id)).toMatchObject({
    ...{ filename: "harbour.jpg", folder: "posts", mimeType: "image/png", width: 600, height: 200 },
    ...{ alt: "The harbour", focalX: 5, focalY: 10, deletedAt: null },
  });
  expect(await find(other)).toMatchObject({
    filename: "harbour.jpg",
    folder: "posts",
    mimeType: "image/jpeg",
    deletedAt: now(),
  });
  expect(await seen()).toEqual({ bytes: fresh, small: 107 });
  const [sums] = await look(
    db,
    "select used_bytes - (select sum(size) from uploads) - (select sum(bytes) from file_variants) as rest from storage_nodes",
  );
  expect(Number(sums?.rest)).toBe(0);
  expect(await etag()).not.toBe(before); // what posts say of the picture has changed
  const srcIn = (html: string) => /src="(\/media\/[^"]+w=1280[^"]+)"/.exec(html)?.[1];
  const after = await text(`/files/${id}`);
  expect(srcIn(after)).not.toBe(srcIn(page)); // no browser shows the previous one here

  await manager.submit(`${path}/files/${id}/replace`, { other }); // Undo
  expect(await seen()).toEqual({ bytes: old, small: 240 });
  expect(await find(other)).toMatchObject({ mimeType: "image/png", deletedAt: now() });
});

test("only a picture that exists and that nothing uses takes the place of another one; else nothing changes", async () => {
  const { db, find, ids, manager, now, text } = await open(
    picture("a.png"),
    picture("used.png"),
    picture("ending.png"),
    { filename: "notes.txt" },
  );
  const [id = "", used = "", ending = "", notes = ""] = ids;
  await posts.save(db, { slug: "a", title: "A", coverImage: `/media/${used}/x`, published: false }, now());
  await manager.submit(`${path}/files/${ending}/trash`, {});
  await look(db, "update uploads set purge_at = 1 where id = ?", [ending]); // its bytes are about to be deleted
  const before = await Promise.all(ids.map(find));
  for (const other of [used, ending, notes, id, crypto.randomUUID(), "", "x".repeat(101)]) {
    const { headers } = await manager.submit(`${path}/files/${id}/replace`, { other });
    expect([other, headers.get("location")]).toEqual([other, other.length > 100 ? null : `${path}/files/${id}`]);
  }
  expect((await manager.submit(`${path}/files/${notes}/replace`, { other: id })).status).toBe(303);
  expect(await Promise.all(ids.map(find))).toEqual(before);
  expect(await text(`/files/${id}`)).toContain("Not replaced");
});

test("whatever is written after a type, and none of similar ones, is offered for a file of it", async () => {
  const { ids, text } = await open(
    { filename: "a.txt", mimeType: "application/x_y" },
    { filename: "b.txt", mimeType: "Application/X_Y" },
    { filename: "c.txt", mimeType: "application/x_y ; v=1" },
    { filename: "d.txt", mimeType: 'application/x_y;a=b; c="d ;"' },
    { filename: "e.txt", mimeType: "application/xay; v=1" },
    { filename: "f.txt", mimeType: "application/x_y1" },
    { filename: "g.txt", mimeType: "application/x_" },
  );
  const form = await text(`/files/${ids[0]}/replace`);
  expect([...form.matchAll(/name="other" value="([^"]+)"/g)].map(([, id]) => id)).toEqual(ids.slice(1, 4));
});

test("a file that is no picture is replaced by one of its type under its URL, and comes back by undoing", async () => {
  const pdf = { mimeType: "application/pdf", folderPath: "papers" };
  const { db, find, get, ids, manager, now, text } = await open(
    { ...pdf, filename: "menu.pdf", body: "spring" },
    { ...pdf, filename: "new.pdf", mimeType: "Application/PDF; v=2", body: "autumn" },
    { ...pdf, filename: "elsewhere.pdf", folderPath: "" },
    { ...pdf, filename: "notes.txt", mimeType: "text/plain" },
    { ...pdf, ...picture("a.png") },
  );
  const [id = "", other = "", , notes = "", drawn = ""] = ids;
  const content = `[Menu](/media/${id}/menu.pdf)`;
  await posts.save(db, { slug: "a", title: "A", content, published: true, publishedAt: now() }, now());
  const seen = async () => {
    const location = (await get(`/media/${id}/menu.pdf`)).headers.get("location") ?? "";
    return (await fetch(location)).text();
  };
  expect(await text(`/files/${id}`)).toContain(`href="${path}/files/${id}/replace"`);
  const form = await text(`/files/${id}/replace`);
  expect([...form.matchAll(/name="other" value="([^"]+)"/g)].map(([, value]) => value)).toEqual([other]);
  expect(form).toMatch(/same type: [^<]*PDF.* accept="\.pdf"/s);
  for (const unlike of [notes, drawn]) {
    const before = await Promise.all(ids.map(find));
    await manager.submit(`${path}/files/${id}/replace`, { other: unlike });
    expect(await text(`/files/${id}`)).toContain("Not replaced: the other file has another type.");
    expect(await Promise.all(ids.map(find))).toEqual(before);
  }
  await manager.submit(`${path}/files/${id}/replace`, { other });
  expect(await text(`/files/${id}`)).toContain("menu.pdf replaced. The previous file is in the trash.");
  expect(await seen()).toBe("autumn");
  expect(await find(id)).toMatchObject({ filename: "menu.pdf", folder: "papers", deletedAt: null });
  expect(await find(other)).toMatchObject({ filename: "menu.pdf", folder: "papers", deletedAt: now() });
  await manager.submit(`${path}/files/${id}/replace`, { other }); // Undo
  expect(await seen()).toBe("spring");
});
