import { describe, expect, test } from "bun:test";
import * as audit from "../../../db/audit";
import * as fileList from "../../../db/storage/files-list";
import * as files from "../../../db/storage/files";
import { trash } from "../../../db/storage/trash";
import * as posts from "../../../db/posts/posts";
import { maxFileBytes } from "../../storage/uploads/file-input";
import { bytes } from "../../../views/components/bytes";
import { store } from "../../../test/support/storage/stored-files";
import { testService } from "../../../test/support/service";
import { look, lookAt } from "../../../test/support/look";

const path = "/dashboard/storage";
const hostile = `x" onerror=alert(1) <img src=x>.txt`;

type Content = Parameters<typeof store>[1];

/** A signed-in manager, and a storage with these files. */
async function open(...contents: Content[]) {
  const service = await testService();
  const manager = await service.signIn();
  const ids = await store(service, ...contents);
  const htmxFrom = (from: string) => ({
    "hx-request": "true",
    "hx-request-type": "partial",
    "hx-current-url": `http://localhost:3000${from}`,
  });
  const text = async (query = "", more: Record<string, string> = {}) => (await manager.get(path + query, more)).text();
  const names = async (query = "") =>
    [...(await text(query)).matchAll(/class="who named"[^>]*>.*?<span>([^<]+)<\/span>/gs)].map(([, name]) => name);
  const send = async (to: string, fields: Record<string, string | string[]>, from = path, more = htmxFrom(from)) => {
    const answer = await manager.submit(path + to, fields, more);
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  const find = (id = "") => files.find(service.db, id);
  return { ...service, manager, ids: ids as [string, ...string[]], text, names, send, find, htmxFrom };
}

describe("the list", () => {
  test("tells the largest size as sizes are told everywhere", async () => {
    const { manager, text } = await open();
    expect(await text()).toContain(`Up to ${bytes(maxFileBytes)} each.`);
    const form = await (await manager.get(`${path}/nodes/new`)).text();
    expect(form).toContain(`Leave empty for ${bytes(5 * 2 ** 30)} (${bytes(maxFileBytes)} on MinIO).`);
  });

  test("counts its folders too", async () => {
    const found = async (text: string) => /<p class="found(?: sr)?" data-announce>([^<]+)/.exec(text)?.[1];
    const { text } = await open({ filename: "a.txt", folderPath: "deep" });
    expect(await found(await text())).toBe("1 folder");
    expect(await found(await text("?folder=deep"))).toBe("1 file");
    const both = await open({ filename: "a.txt", folderPath: "deep" }, { filename: "b.txt" }, { filename: "c.txt" });
    expect(await found(await both.text())).toBe("1 folder, 2 files");
    const nothing = await both.text("?q=nothing");
    expect(await found(nothing)).toBe("0 files");
    expect(nothing).toContain('class="found sr"'); // only said: “No matching files” is seen
  });

  test("the number of folders is seen where there is no file beside them", async () => {
    const { text } = await open({ filename: "a.txt", folderPath: "deep" });
    expect(await text()).toContain('<p class="found" data-announce>1 folder');
  });

  test("deleting files has no “…”, as in every list with a trash: one is deleted without a question, and can be undone", async () => {
    const { manager, text } = await open({ filename: "a.png", mimeType: "image/png" });
    const button = />Delete(…?)<\/button>/;
    for (const list of [await text(), await (await manager.get(`${path}/pictures`)).text()])
      expect(button.exec(list)?.[1]).toBe("");
  });

  test("shows folders first, then files by name, and follows its URL", async () => {
    const { names, text } = await open(
      { filename: "b.txt" },
      { filename: "A.png", mimeType: "image/png", body: "1234567890" },
      { filename: "deep.txt", folderPath: "photos/2026" },
    );
    expect(await names()).toEqual(["photos", "A.png", "b.txt"]);
    expect(await names("?sort=-size")).toEqual(["photos", "A.png", "b.txt"]);
    expect(await names("?sort=size")).toEqual(["photos", "b.txt", "A.png"]);
    expect(await names("?kind=image")).toEqual(["A.png"]);
    expect(await names("?folder=photos/2026")).toEqual(["deep.txt"]);
    expect(await names("?q=PHOTO")).toEqual(["photos"]);
    expect(await names("?folder=photos&q=b.")).toEqual([]);
    expect(await names("?folder=photos&q=b.&where=everywhere")).toEqual(["b.txt"]);
    expect(await names("?folder=../x&sort=;drop&per=7&page=-1&kind=none")).toHaveLength(3);
    const page = await text("?folder=photos/2026");
    expect(page).toContain(`href="${path}?folder=photos"`);
    expect(page).toContain("<title>2026 · Storage · Postroom</title>");
    expect(page).toContain(`data-folder="photos/2026"`);
  });

  test("a type or a use is looked for in the subfolders, too, the largest first if one wants", async () => {
    const { db, now, ids, names, text, send, find } = await open(
      { filename: "small.png", mimeType: "image/png", body: "1", folderPath: "photos" },
      { filename: "large.png", mimeType: "image/png", body: "1234567890", folderPath: "photos/2026" },
      { filename: "notes.txt", body: "123" },
      { filename: "used.txt", body: "12", folderPath: "photos/2026" },
    );
    const post = { slug: "a", title: "A", content: `[](/media/${ids[3]}/used.txt)`, published: true };
    await posts.save(db, { ...post, publishedAt: now() }, now());
    expect(await names("?kind=image&sort=-size")).toEqual(["large.png", "small.png"]);
    expect(await names("?folder=photos&kind=image")).toEqual(["large.png", "small.png"]);
    expect(await names("?use=unused&sort=-size")).toEqual(["large.png", "notes.txt", "small.png"]);
    expect(await names("?use=used")).toEqual(["used.txt"]);
    expect(await text("?kind=image")).toContain("in photos/2026");
    const done = await send("/bulk", {
      do: "trash",
      all: "matching",
      filter: "use=unused",
      confirmed: "yes",
      asked: "3",
    });
    expect(done.status).toBe(200);
    expect(await Promise.all(ids.map(async (id) => Boolean((await find(id))?.deletedAt)))).toEqual([
      ...[true, true, true, false],
    ]);
  });

  test("htmx gets the list, the figures beside the rooms, and the way to a new folder in this one", async () => {
    const { text, htmxFrom } = await open({ folderPath: "a" });
    const answer = await text("?folder=a", htmxFrom(path));
    expect(answer).toStartWith('<section class="list files" id="list"');
    expect(answer).toContain('hx-target="#storage-tabs"');
    expect(answer).toContain(`${path}/folders/new?in=a`);
  });

  test("says what is missing: any file, one in this folder, or one that matches", async () => {
    const { text, manager } = await open();
    expect(await text()).toContain("No files yet");
    await manager.submit(`${path}/folders`, { in: "", name: "a" });
    expect(await text("?folder=a")).toContain("This folder is empty");
    expect(await text("?q=nothing")).toContain("No matching files");
  });

  test("may talk to the nodes, as pages elsewhere may not", async () => {
    const { manager, storage } = await open({});
    const policy = async (at: string) => (await manager.get(at)).headers.get("content-security-policy") ?? "";
    const origin = new URL((await storage.nodes.list())[0]?.publicEndpoint ?? "").origin;
    for (const kind of ["connect-src 'self'", "img-src 'self'", "media-src", "frame-src"])
      expect(await policy(path)).toContain(`${kind} ${origin}`);
    expect(await policy("/dashboard")).not.toContain(origin);
  });

  test("what replaces a file says what becomes of one in use, and where the trash keeps the others", async () => {
    const { text } = await open({});
    expect(await text()).toContain("If something uses it, it stays beside the new one.");
    expect(await text("/trash")).toContain("Deleted files, and those that were replaced, are kept for 30 days");
  });

  test("a file's name is text, wherever it is shown", async () => {
    const { ids, text } = await open({ filename: hostile }, { filename: hostile, folderPath: "a" });
    for (const at of ["", "?q=onerror", `/files/${ids[0]}`, `/files/${ids[0]}/rename`, `/files/${ids[0]}/link`]) {
      const page = await text(at);
      expect([at, page.includes("<img src=x>"), page.includes("onerror=alert(1)")]).toEqual([at, false, true]);
    }
  });
});

describe("deleting", () => {
  test("one file is deleted immediately, restored by Undo, and its space is shown", async () => {
    const { find, ids, send, db } = await open({ filename: "a.txt" }, {});
    const { text, headers } = await send(`/files/${ids[0]}/trash`, {});
    expect(text).toContain("a.txt moved to the trash.");
    expect([headers.get("hx-retarget"), await fileList.counts(db)]).toEqual(["#list", { trash: 1, open: 0 }]);
    const undo = { do: "restore", ids: /name="ids" value="([^"]+)"><button[^>]*>Undo/.exec(text)?.[1] ?? "" };
    const restored = (await send("/bulk", undo)).text;
    expect(restored).toContain("a.txt restored.");
    expect(restored).toMatch(new RegExp(`<a class="btn sm" href="${path}/files/${ids[0]}">\\s*Open`));
    expect((await find(ids[0]))?.deletedAt).toBeNull();
    expect((await send("/bulk", undo)).text).toContain("Nothing changed");
    const { events } = await audit.list(db, { group: "file" }, { page: 1, per: 10 });
    expect(events.map(({ action }) => action)).toEqual(["file.restore", "file.trash"]); // what changed nothing is not on record
  });

  test("the result of restoring one file says that another file there has its name, such as the one that replaced it", async () => {
    const folderPath = "a";
    const { ids, send } = await open({ filename: "a.txt", folderPath }, { filename: "b.txt", folderPath });
    await send(`/files/${ids[0]}/trash`, {});
    await send(`/files/${ids[1]}/rename`, { filename: "a.txt" });
    const restored = await send(`/files/${ids[0]}/restore`, {}, `${path}/trash`);
    expect(restored.text).toContain("a.txt restored. Another file in its folder has the same name.");
    await send(`/files/${ids[0]}/trash`, {});
    await send(`/files/${ids[1]}/rename`, { filename: "b.txt" });
    expect((await send("/bulk", { do: "restore", ids: ids[0] ?? "" })).text).not.toContain("the same name");
  });

  test("of several files in use, the question and the result name their number", async () => {
    const { db, ids, now, send } = await open({}, {}, {}, {});
    for (const [at, slug] of ["a", "b"].entries())
      await posts.save(db, { slug, title: slug, published: false, coverImage: `/media/${ids[at]}/a` }, now());
    const fields = { do: "trash", ids };
    const question = "2 others will be kept because they are in use.";
    expect((await send("/bulk", fields)).text).toContain(question);
    const result = "2 others were kept because they are in use.";
    expect((await send("/bulk", { ...fields, confirmed: "yes" })).text).toContain(result);
  });

  test("deleting several asks for confirmation; files in use stay, and the result says so", async () => {
    const { db, ids, now, send, find, manager } = await open({}, {}, { filename: "cover.png" });
    const cover = { slug: "a", title: "A", published: false, coverImage: `/media/${ids[2]}/cover.png` };
    await posts.save(db, cover, now());
    const asked = await send("/bulk", { do: "trash", ids });
    expect(asked.text).toContain("Delete 2 files?");
    expect(asked.text).toContain("1 other will be kept because it is in use.");
    expect((await send("/bulk", { do: "trash", ids, confirmed: "yes" })).text).toContain(
      "2 files moved to the trash. 1 other was kept",
    );
    expect((await find(ids[2]))?.deletedAt).toBeNull();
    expect((await send(`/files/${ids[2]}/trash`, {})).text).toContain(
      "Not deleted: the file is in use. Its page says where.",
    );
    const page = await (await manager.get(`${path}/files/${ids[2]}`)).text();
    expect(page).toMatch(/href="\/dashboard\/posts\/[0-9a-f-]{36}"/);
    expect(page).not.toContain('id="trash"');
  });

  test("from the trash it is restored, or deleted permanently after a question, and its room is free", async () => {
    const { clock, db, ids, send, storage, text } = await open({ filename: "a.txt" }, { filename: "b.txt" });
    await send("/bulk", { do: "trash", ids, confirmed: "yes" });
    expect(await text("/trash")).toContain("from All files");
    expect((await send(`/files/${ids[0]}/restore`, {}, `${path}/trash`)).text).toContain("a.txt restored.");
    const ask = await send("/trash/bulk", { do: "delete", ids: ids.slice(1) }, `${path}/trash`);
    expect(ask.text).toContain("Permanently delete 1 file?");
    const deleted = { do: "delete", ids: ids.slice(1), confirmed: "yes" };
    expect((await send("/trash/bulk", deleted, `${path}/trash`)).text).toContain("b.txt permanently deleted.");
    expect(await text("/trash")).toContain("Deleting");
    clock.time += 1_000;
    await storage.sweep();
    expect(await text("/trash")).toContain("The trash is empty");
    expect(await lookAt(db, "select used_bytes from storage_nodes")).toEqual([[5]]);
  });

  test("all that match, counted again by the server", async () => {
    const { send, db } = await open({ filename: "a.log" }, { filename: "b.log" }, { filename: "c.txt" });
    const order = { do: "trash", all: "matching", filter: "q=.LOG" };
    expect((await send("/bulk", order)).text).toContain("Delete 2 files?");
    await send("/bulk", { ...order, confirmed: "yes" });
    expect(await fileList.counts(db)).toMatchObject({ trash: 2 });
  });
});

describe("renaming and moving", () => {
  test("a new name is saved; an invalid one must be corrected, and one that is taken leads to a choice", async () => {
    const { find, ids, send } = await open({ filename: "a.txt" }, { filename: "b.txt" });
    const rename = (filename: string, more = {}) => send(`/files/${ids[0]}/rename`, { filename, ...more });
    const done = await rename(" c.txt ");
    expect([done.headers.get("hx-redirect"), (await find(ids[0]))?.filename]).toEqual([path, "c.txt"]);
    expect(await rename("a/b")).toMatchObject({ status: 422, text: expect.stringContaining("must not contain / or") });
    expect(await rename("b.txt")).toMatchObject({ status: 422, text: expect.stringContaining("Rename anyway") });
    expect((await find(ids[0]))?.filename).toBe("c.txt");
    await rename("b.txt", { anyway: "b.txt" });
    expect((await find(ids[0]))?.filename).toBe("b.txt");
  });

  test("files move to a folder that is created for them, and Undo moves one of them back", async () => {
    const { find, ids, send } = await open({ filename: "a.txt", folderPath: "here" }, {});
    const form = await send("/bulk", { do: "move", ids: ids[0] }, `${path}?folder=here`);
    expect(form.text).toContain('name="to" ');
    expect(form.text).toContain('value="here"');
    const moved = await send("/bulk", { do: "move", ids: ids[0], to: "/there/deep/", filter: "folder=here" });
    expect(moved.text).toContain("a.txt moved to there/deep.");
    expect((await find(ids[0]))?.folder).toBe("there/deep");
    expect(moved.text).toContain('name="to" value="here"');
    await send("/bulk", { do: "move", ids: ids[0], to: "here", anyway: "/here" });
    expect((await find(ids[0]))?.folder).toBe("here");
    expect((await send("/bulk", { do: "move", ids, to: "a/../b" })).status).toBe(422);
    const both = await send("/bulk", { do: "move", ids, to: "both", anyway: "/both" });
    expect(both.text).toContain("2 files moved to both.");
  });

  test("a name conflict is reported before it happens", async () => {
    const { find, ids, send } = await open({ filename: "a.txt" }, { filename: "a.txt", folderPath: "there" });
    const order = { do: "move", ids: ids[0], to: "there" };
    const asked = await send("/bulk", order);
    expect([asked.status, asked.text.includes("Move anyway")]).toEqual([422, true]);
    expect((await find(ids[0]))?.folder).toBe("");
    await send("/bulk", { ...order, anyway: "/there" });
    expect((await find(ids[0]))?.folder).toBe("there");
  });

  test("from a file's own page, an action returns to it", async () => {
    const { ids, send } = await open({});
    const page = `${path}/files/${ids[0]}`;
    expect((await send("/bulk", { do: "move", ids: ids[0], to: "a" }, page)).headers.get("hx-redirect")).toBe(page);
    expect((await send(`/files/${ids[0]}/rename`, { filename: "z" }, page)).headers.get("hx-redirect")).toBe(page);
  });
});

describe("folders", () => {
  test("are created in the current folder, and removed when they are empty", async () => {
    const { manager, names } = await open({ folderPath: "full" });
    const post = async (to: string, fields: Record<string, string>) => {
      const answer = await manager.submit(path + to, fields);
      return [answer.status, answer.headers.get("location")];
    };
    expect(await post("/folders", { in: "full", name: "below" })).toEqual([303, `${path}?folder=full%2Fbelow`]);
    expect(await names("?folder=full")).toEqual(["below", "a.txt"]);
    expect(await post("/folders/remove", { path: "full" })).toEqual([303, `${path}?folder=full`]);
    expect(await post("/folders/remove", { path: "full/below" })).toEqual([303, `${path}?folder=full`]);
    expect(await names("?folder=full")).toEqual(["a.txt"]);
    expect((await post("/folders", { in: "", name: "../x" }))[0]).toBe(422);
    expect((await post("/folders", { in: "", name: " " }))[0]).toBe(422);
  });
});

describe("a file's page", () => {
  test.each([
    ["image/png", /<img src="\/media\/[^"]+\?w=1280[^"]*" alt="Preview of a.txt">/],
    ["video/mp4", /<video src="http:[^"]+" controls/],
    ["audio/mpeg", /<audio src="http:[^"]+" controls/],
    ["application/pdf", /<iframe src="http:[^"]+" title/],
    ["text/html", /<pre tabindex="0">&lt;b&gt;1<\/pre>/],
    ["application/zip", /No preview for this file type/],
  ])("previews %s", async (mimeType, shown) => {
    const { ids, text } = await open({ mimeType, body: "<b>1" });
    expect(await text(`/files/${ids[0]}`)).toMatch(shown);
  });

  test("shows the beginning of a long text, and says so if its node does not respond", async () => {
    const { db, ids, text } = await open({ body: `é${"a".repeat(70_000)}` });
    const page = await text(`/files/${ids[0]}`);
    expect(page).toContain(`<pre tabindex="0">é${"a".repeat(65_534)}</pre>`);
    expect(page).toContain("Only the beginning is shown.");
    await look(db, "update storage_nodes set endpoint = 'http://127.0.0.1:1'");
    expect(await text(`/files/${ids[0]}`)).toContain("The storage node is not responding.");
  });

  test("links to the bytes for an hour, and to the address that lasts", async () => {
    const { ids, manager, text } = await open({ filename: "a b.png", mimeType: "image/png" });
    const answer = await manager.get(`${path}/files/${ids[0]}/download`);
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([302, "no-store"]);
    expect((await fetch(answer.headers.get("location") ?? "")).headers.get("content-disposition")).toStartWith(
      "attach",
    );
    expect(await text(`/files/${ids[0]}/link`)).toMatch(/until <strong>21 Nov 2026, 13:00<\/strong>/);
    expect(await text(`/files/${ids[0]}`)).toContain(`http://localhost:3000/media/${ids[0]}/a%20b.png`);
  });

  test("that is deleted is not there any more", async () => {
    const { ids, manager, send } = await open({});
    await send(`/files/${ids[0]}/trash`, {});
    for (const at of ["", "/download", "/link", "/rename"])
      expect((await manager.get(`${path}/files/${ids[0]}${at}`)).status).toBe(404);
  });

  test("that was deleted elsewhere leads back to its folder, of files or of pictures", async () => {
    const { db, ids, manager } = await open({ filename: "pier.jpg", folderPath: "trips/2026" });
    const page = async (query = "", headers = {}) =>
      (await manager.get(`${path}/files/${ids[0]}${query}`, headers)).text();
    await trash(db, ids[0], { actor: "bo@example.com" }, new Date());
    expect(await page()).toContain(`href="${path}?folder=trips%2F2026">Back to the list`);
    expect(await page("?in=pictures")).toContain(`href="${path}/pictures?folder=trips%2F2026">Back to the list`);
    await look(db, "delete from uploads where id = ?", [ids[0]]);
    expect(await page()).toContain(`href="${path}">Back to the list`);
    const from = (list: string) => ({ referer: `http://localhost:3000${list}?folder=trips&sort=size` });
    expect(await page("", from(path))).toContain(`href="${path}?folder=trips">Back to the list`);
    expect(await page("", from("/dashboard/posts"))).toContain(`href="${path}">Back to the list`);
    expect(await page("?in=pictures", from(`${path}/pictures`))).toContain(
      `href="${path}/pictures?folder=trips">Back to the list`,
    );
  });
});

describe("open uploads", () => {
  const wanted = { filename: "movie.mov", mimeType: "video/quicktime", size: 1_000, folderPath: "video" };

  async function uploading() {
    const service = await open();
    const { db, key, manager, storage } = service;
    await key("Blog");
    const [[apiKeyId]] = (await lookAt(db, "select id from api_keys")) as [[string]];
    await storage.reserve({ ...wanted, apiKeyId });
    await storage.reserve({ ...wanted, filename: "mine.mov", managerId: manager.manager.id });
    const rows = (await lookAt(db, "select filename, id from uploads")) as [string, string][];
    const uploads = Object.fromEntries(rows) as { "movie.mov": string; "mine.mov": string };
    return { ...service, uploads };
  }

  test("are shown with who began them, their progress, and when they expire", async () => {
    const { db, text, uploads } = await uploading();
    await look(db, "update uploads set received = 250 where id = ?", [uploads["movie.mov"]]);
    const page = await text("/uploads");
    for (const words of [
      "Blog",
      "API key",
      "owner@example.com",
      "25% · 250 bytes",
      "No data received yet",
      "in 1 hour",
    ])
      expect(page).toContain(words);
    expect(await text("/uploads?view=mine")).not.toContain(">movie.mov<");
    expect(await text("/uploads?view=api")).not.toContain(">mine.mov<");
    expect(await text("/uploads?view=ended")).toContain("No incomplete uploads");
  });

  test("are aborted after a question; the sweeper then frees their room", async () => {
    const { clock, db, send, storage, text, uploads } = await uploading();
    const ids = uploads["mine.mov"];
    expect((await send("/uploads/abort", { ids }, `${path}/uploads`)).text).toContain("Cancel 1 upload?");
    const done = await send("/uploads/abort", { ids, confirmed: "yes" }, `${path}/uploads`);
    expect(done.text).toContain("mine.mov cancelled.");
    clock.time += 1_000;
    await storage.sweep();
    expect(await lookAt(db, "select reserved_bytes from storage_nodes")).toEqual([[1_000]]);
    expect(await text("/uploads?view=ended")).toContain("Aborted by a manager");
    const late = await send("/uploads/abort", { ids, confirmed: "yes" }, `${path}/uploads`);
    expect(late.text).toContain("Nothing to cancel");
    expect(await lookAt(db, "select action, target from audit_events where action like 'upload%'")).toEqual([
      ["upload.abort", "mine.mov"],
    ]);
  });
});
