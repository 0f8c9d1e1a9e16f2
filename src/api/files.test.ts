import { describe, expect, test } from "bun:test";
import * as apiKeys from "../../db/access/keys/api-keys";
import * as fileBulk from "../../db/storage/files-bulk";
import * as postEdits from "../../db/posts/edit";
import * as posts from "../../db/posts/posts";
import * as revisions from "../../db/posts/revisions";
import { store } from "../../test/support/storage/stored-files";
import { testService } from "../../test/support/service";
import { look } from "../../test/support/look";

const path = "/api/v1/storage/files";
const uuid = /^[0-9a-f-]{36}$/;

type File = { id: string; filename: string; folderPath: string };
type List = { count: number; files: File[]; folders: { path: string; files: number }[] };

async function start() {
  const service = await testService();
  const headers = await service.key("Blog");
  const ask = async <T>(url: string, method = "GET", body?: unknown) => {
    const json = { body: JSON.stringify(body), headers: { ...headers, "content-type": "application/json" } };
    const answer = await service.send(url, { method, headers, ...(body !== undefined && json) });
    return { answer, status: answer.status, ...((await answer.json()) as { data: T; error: { code: string } | null }) };
  };
  return { ...service, headers, ask, list: (query = "") => ask<List>(path + query) };
}

describe("listing", () => {
  test("lists the files of one folder by name, and its subfolders", async () => {
    const { list, ...service } = await start();
    const inside = { folderPath: "photos/2026" };
    await store(
      service,
      { filename: "b.txt" },
      { filename: "Ä.txt" },
      { filename: "a.txt" },
      inside,
      { ...inside, filename: "c" },
      { folderPath: "photos/2026/winter" },
    );
    const root = await list();
    expect([root.status, root.answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(root.data.files.map(({ filename }) => filename)).toEqual(["a.txt", "b.txt", "Ä.txt"]);
    expect(root.data.files[0]).toEqual({
      id: expect.stringMatching(uuid),
      filename: "a.txt",
      mimeType: "text/plain",
      size: 5,
      folderPath: "",
      etag: expect.stringMatching(/^[0-9a-f]{32}-1$/),
      checksums: {},
      metadata: {},
      width: null,
      height: null,
      alt: null,
      focus: null,
      mediaUrl: expect.stringMatching(/^http:\/\/localhost:3000\/media\/[0-9a-f-]{36}\/a\.txt$/),
      createdAt: expect.stringMatching(/^2026-11-21T12:00:/),
    } as never);
    expect(root.data.folders).toEqual([{ path: "photos", files: 0 }]);
    const photos = await list("?folderPath=/photos//2026/");
    expect(photos.data).toMatchObject({ count: 2, folders: [{ path: "photos/2026/winter", files: 1 }] });
    expect((await list("?folderPath=nowhere")).data).toEqual({ count: 0, files: [], folders: [] });
  });

  test("continues where the Link says, and never lists a file twice", async () => {
    const { list, ask, ...service } = await start();
    await store(service, ...Array.from({ length: 7 }, (_, i) => ({ filename: i % 2 ? "same.txt" : `${i}.txt` })));
    const seen: string[] = [];
    let next: string | undefined = `${path}?limit=3`;
    for (let page = 0; next; page++) {
      const { answer, data }: { answer: Response; data: List } = await ask<List>(next);
      expect([answer.headers.get("x-total-count"), data.folders]).toEqual(["7", []]);
      seen.push(...data.files.map(({ id }) => id));
      next = /^<http:\/\/localhost:3000(.+)>; rel="next"$/.exec(answer.headers.get("link") ?? "")?.[1];
    }
    expect([seen.length, new Set(seen).size]).toEqual([7, 7]);
  });

  test("continues after the longest possible name: folded, one character can become eighteen", async () => {
    const { list, ask, ...service } = await start();
    await store(service, { filename: "\ufdfa".repeat(85) }, { filename: "字" });
    const { answer } = await list("?limit=1");
    const [, next = ""] = /^<http:\/\/localhost:3000(.+)>; rel="next"$/.exec(answer.headers.get("link") ?? "") ?? [];
    expect((await ask<List>(next)).data).toMatchObject({ files: [{ filename: "字" }] });
  });

  test.each(["?limit=0", "?limit=101", "?cursor=nonsense", "?folderPath=a/../b", `?folderPath=${"a".repeat(300)}`])(
    "400: %s",
    async (query) => {
      const { status, error } = await (await start()).list(query);
      expect([status, error?.code]).toEqual([400, "VALIDATION_ERROR"]);
    },
  );

  test("an incomplete upload is not a file", async () => {
    const { list, storage } = await start();
    await storage.reserve({ filename: "a.txt", mimeType: "text/plain", size: 5, folderPath: "" });
    expect((await list()).data.count).toBe(0);
  });
});

describe("one file", () => {
  test("is described and downloaded under its own name", async () => {
    const { ask, headers, send, ...service } = await start();
    const [id] = await store(service, { filename: 'Ünï "quoted"; x.html', mimeType: "text/html", body: "<b>hi</b>" });
    expect((await ask<File>(`${path}/${id}`)).data).toMatchObject({ id, filename: 'Ünï "quoted"; x.html' });
    const answer = await send(`${path}/${id}/download`, { headers });
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([302, "no-store"]);
    const location = answer.headers.get("location") ?? "";
    expect(location).toContain("X-Amz-Expires=3600");
    const bytes = await fetch(location);
    expect(await bytes.text()).toBe("<b>hi</b>");
    const disposition = Buffer.from(bytes.headers.get("content-disposition") ?? "", "latin1").toString();
    expect(disposition).toBe(
      `attachment; filename="Ünï _quoted_; x.html"; filename*=UTF-8''%C3%9Cn%C3%AF%20%22quoted%22%3B%20x.html`,
    );
  });

  test("that does not exist is a 404, whatever the request", async () => {
    const { ask } = await start();
    for (const id of ["none", crypto.randomUUID(), "%00"])
      for (const [url, method] of [
        [`${path}/${id}`, "GET"],
        [`${path}/${id}/download`, "GET"],
        [`${path}/${id}`, "DELETE"],
      ] as const)
        expect([url, method, await ask(url, method)]).toMatchObject([url, method, { status: 404 }]);
  });
});

describe("deleting", () => {
  test("moves it to the trash, however often, and says until when", async () => {
    const { ask, db, list, now, ...service } = await start();
    const [id] = await store({ ...service }, {});
    const first = await ask<{ id: string; purgeAt: string }>(`${path}/${id}`, "DELETE");
    const until = new Date(now().getTime() + 30 * 86_400_000).toISOString();
    expect([first.status, first.data]).toEqual([200, { id, purgeAt: until } as never]);
    service.clock.time += 60_000;
    expect((await ask(`${path}/${id}`, "DELETE")).data).toEqual(first.data);
    expect((await ask(`${path}/${id}`)).status).toBe(404);
    expect((await ask(`${path}/${id}/download`)).status).toBe(404);
    expect((await list()).data.count).toBe(0);
    expect(await look(db, "select actor, action, target from audit_events")).toEqual([
      { actor: "API key Blog", action: "file.trash", target: "a.txt" },
    ]);
    await fileBulk.applyAction(db, { action: "restore", selection: { ids: [id ?? ""] } }, { actor: "cli" }, now());
    expect((await ask(`${path}/${id}`)).status).toBe(200);
  });

  test("is a 409 while a post uses the file, by its cover or its text, in the trash or not", async () => {
    const { ask, db, now, ...service } = await start();
    const [cover, shown, free] = await store(service, {}, {}, {});
    const content = `![A](/media/${shown}/a.txt) and "/media/" and \\/media/x`;
    const post = { slug: "a", title: "A", published: false, coverImage: `https://blog.example/media/${cover}/a.txt` };
    await posts.save(db, { ...post, content }, now());
    for (const id of [cover, shown])
      expect(await ask(`${path}/${id}`, "DELETE")).toMatchObject({ status: 409, error: { code: "CONFLICT" } });
    expect((await ask(`${path}/${free}`, "DELETE")).status).toBe(200);
    await posts.save(db, { ...post, content: "Nothing" }, now());
    expect((await ask(`${path}/${shown}`, "DELETE")).status).toBe(200);
    expect((await ask(`${path}/${cover}`, "DELETE")).status).toBe(409);
    await look(db, "delete from posts");
    expect((await ask(`${path}/${cover}`, "DELETE")).status).toBe(200);
  });

  test("is not prevented by older revisions of a post, nor by unsaved drafts", async () => {
    const { ask, db, now, ...service } = await start();
    const [before, typed] = await store(service, {}, {});
    const by = { actor: "owner@example.com" };
    const blank = { slug: "a", title: "A", excerpt: "", coverImage: "", author: "", tags: [] };
    const fields = { ...blank, published: false, publishedAt: null, content: `![A](/media/${before}/a.txt)` };
    const created = await postEdits.create(db, fields, by, now());
    if (created.outcome !== "saved") throw new Error("The slug was taken");
    const { id, version } = created.post;
    expect((await ask(`${path}/${before}`, "DELETE")).status).toBe(409);
    const draft = { fields: {}, content: `![B](/media/${typed}/b.txt)` };
    await postEdits.edit(db, { id, version, typed: draft, fields: { ...fields, content: "None" } }, by, now());
    await revisions.autosave(db, { postId: id, version: version + 1, typed: draft }, by, now());
    const kept = await look<{ content: string }>(
      db,
      "select content from post_revisions where content like '%/media/%'",
    );
    expect(kept).toHaveLength(2);
    for (const file of [before, typed]) expect((await ask(`${path}/${file}`, "DELETE")).status).toBe(200);
    await fileBulk.applyAction(db, { action: "delete", selection: { ids: [before ?? "", typed ?? ""] } }, by, now());
    expect(await look(db, "select count(*) n from uploads where purge_at > ?", [now().getTime()])).toEqual([{ n: 0 }]);
  });
});

describe("renaming and moving", () => {
  test("changes what is named and leaves the rest, and the audit log names the key", async () => {
    const { ask, db, list, ...service } = await start();
    const [id] = await store(service, { filename: "old.txt", folderPath: "a" });
    const url = `${path}/${id}`;
    const renamed = await ask<File>(url, "PATCH", { filename: " neu\u0308.txt" });
    expect([renamed.status, renamed.answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(renamed.data).toMatchObject({ id, filename: "neü.txt", folderPath: "a" });
    expect(renamed.data).toEqual((await ask<File>(url)).data);
    expect((await ask<File>(url, "PATCH", { folderPath: "/b//c/" })).data).toMatchObject({ folderPath: "b/c" });
    expect((await list("?folderPath=b/c")).data.files.map(({ filename }) => filename)).toEqual(["neü.txt"]);
    const both = { filename: "last.txt", folderPath: "" };
    expect((await ask<File>(url, "PATCH", both)).data).toMatchObject(both);
    const absent = { filename: null, folderPath: null };
    for (const nothing of [{}, absent, both]) expect((await ask<File>(url, "PATCH", nothing)).data).toMatchObject(both);
    expect(await look(db, "select actor, action, target, details from audit_events order by id")).toEqual([
      { actor: "API key Blog", action: "file.rename", target: "neü.txt", details: '{"before":"old.txt"}' },
      { actor: "API key Blog", action: "file.move", target: "neü.txt", details: '{"to":"b/c"}' },
      { actor: "API key Blog", action: "file.rename", target: "last.txt", details: '{"before":"neü.txt"}' },
      { actor: "API key Blog", action: "file.move", target: "last.txt", details: '{"to":"/"}' },
    ]);
  });

  test("metadata comes back as it was sent with the reservation, and is changed entry by entry", async () => {
    const { ask, db, headers, list, post, ...service } = await start();
    const metadata = { "taken-by": " Åda\n\t<b>", "2_x": "", constructor: "é".repeat(500) };
    const wanted = { filename: "a.txt", mimeType: "text/plain", size: 5, metadata };
    type Granted = { data: { uploadUrl: string; _meta: { reservationId: string } } };
    const { data: granted } = (await (await post("/api/v1/storage/upload", wanted, headers)).json()) as Granted;
    await fetch(granted.uploadUrl, { method: "PUT", body: "12345" });
    await store(service, { filename: "b.txt" });
    const url = `${path}/${granted._meta.reservationId}`;
    type Described = { metadata: object };
    expect((await ask<Described>(url)).data.metadata).toEqual(metadata);
    const { files } = (await list()).data;
    expect(files.map((file) => ({ ...file }))).toMatchObject([{ metadata }, { metadata: {} }]);
    const change = async (changes: unknown) => {
      const { status, data } = await ask<Described>(url, "PATCH", { metadata: changes });
      return [status, data?.metadata] as const;
    };
    const left = { constructor: metadata.constructor, licence: "CC0" };
    expect(await change({ "taken-by": null, "2_x": null, "never-there": null, licence: "CC0" })).toEqual([200, left]);
    for (const nothing of [{}, null, { licence: "CC0" }]) expect(await change(nothing)).toEqual([200, left]);
    expect(await change({ licence: null, constructor: null })).toEqual([200, {}]);
    expect(await look(db, "select action, details from audit_events order by id")).toEqual([
      { action: "file.describe", details: '{"names":"taken-by, 2_x, licence"}' },
      { action: "file.describe", details: '{"names":"licence, constructor"}' },
    ]);
    expect(await look(db, "select metadata from uploads where filename = 'a.txt'")).toEqual([{ metadata: null }]);
  });

  test("metadata has bounds, also after a change, which then changes nothing", async () => {
    const { ask, headers, post, ...service } = await start();
    const [id] = await store(service, {});
    const url = `${path}/${id}`;
    const entries = (count: number, value = "x") =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`n${i}`, value]));
    const long = entries(8, "é".repeat(250)); // 4,016 bytes
    for (const [metadata, expected] of [
      [entries(20), 200],
      [entries(21), 400],
      [long, 200],
      [{ ...long, more: "x".repeat(77) }, 400],
      [{ more: "x".repeat(76), ...long }, 200],
      [{ a: "x".repeat(501) }, 400],
      [{ a: 1 }, 400],
      [{ a: null }, 400],
      [{ a: "\u0000" }, 400],
      [{ a: "\ud800" }, 400],
      [{ A: "x" }, 400],
      [{ "": "x" }, 400],
      [{ ["x".repeat(41)]: "x" }, 400],
      [JSON.parse('{"__proto__":"x"}'), 400],
      [["x"], 400],
      ["x", 400],
    ] as const) {
      const wanted = { filename: "a.txt", mimeType: "text/plain", size: 5, metadata };
      const answer = await post("/api/v1/storage/upload", wanted, headers);
      expect([metadata, answer.status]).toEqual([metadata, expected]);
    }
    await ask(url, "PATCH", { metadata: long });
    const tooMuch = await ask<File>(url, "PATCH", { filename: "other.txt", metadata: { more: "x".repeat(77) } });
    expect(tooMuch).toMatchObject({
      status: 400,
      error: { code: "VALIDATION_ERROR", details: [{ field: "metadata", message: expect.stringContaining("4096") }] },
    });
    expect((await ask(url, "PATCH", { metadata: entries(41) })).status).toBe(400);
    const removals = Object.fromEntries(Object.keys(entries(41)).map((name) => [name, null]));
    expect((await ask(url, "PATCH", { metadata: removals })).status).toBe(400);
    const exchanged = { ...Object.fromEntries(Object.keys(long).map((name) => [name, null])), ...{ more: "x" } };
    expect((await ask(url, "PATCH", { metadata: exchanged })).data).toMatchObject({ metadata: { more: "x" } });
    expect((await ask(url)).data).toMatchObject({ filename: "a.txt" });
  });

  test("what a picture shows is said by key, for the dashboard and posts too; of other files it cannot be", async () => {
    const { ask, db, list, now, get, ...service } = await start();
    const [id] = await store(service, { filename: "a.png", mimeType: "image/png" });
    const [other] = await store(service, { filename: "b.txt" });
    const url = `${path}/${id}`;
    type Picture = { width: number | null; alt: string | null; focus: object | null };
    const change = async (changes: unknown) => (await ask<Picture>(url, "PATCH", changes)).data;
    await posts.save(
      db,
      { slug: "a", title: "A", coverImage: `/media/${id}/a.png`, published: true, publishedAt: now() },
      now(),
    );
    const inPost = async () =>
      ((await (await get("/api/posts/a")).json()) as { data: { files: Picture[] } }).data.files[0];
    expect((await ask<Picture>(url)).data).toMatchObject({ width: null, alt: null, focus: null });
    const alt = "A lamp\n on the quay";
    const described = { alt: "A lamp on the quay", focus: { x: 0, y: 100 } };
    expect(await change({ alt, focus: described.focus })).toMatchObject(described);
    expect(await inPost()).toMatchObject(described);
    expect((await list()).data.files[0]).toMatchObject(described);
    for (const nothing of [{}, { alt: null, focus: null }, described])
      expect(await change(nothing)).toMatchObject(described);
    expect(await change({ alt: "" })).toMatchObject({ ...described, alt: null });
    expect(await inPost()).toMatchObject({ alt: null });
    for (const [field, wrong] of [
      ["alt", { alt: "x".repeat(1_001) }],
      ["focus", { focus: { x: 101, y: 0 } }],
      ["focus", { focus: { x: 1.5, y: 0 } }],
      ["focus", { focus: { x: 1 } }],
    ] as const) {
      const { status, error } = await ask(url, "PATCH", { filename: "c.png", ...wrong });
      expect([status, JSON.stringify(error)]).toEqual([400, expect.stringContaining(`"field":"${field}`)]);
    }
    const refused = await ask(`${path}/${other}`, "PATCH", { filename: "c.txt", alt: "Words" });
    expect(refused).toMatchObject({
      status: 400,
      error: { details: [{ field: "alt", message: "is for pictures only" }] },
    });
    expect((await ask<File>(`${path}/${other}`)).data).toMatchObject({ filename: "b.txt" });
    expect(await look(db, "select actor, action, target from audit_events order by id")).toEqual([
      { actor: "API key Blog", action: "file.caption", target: "a.png" },
      { actor: "API key Blog", action: "file.caption", target: "a.png" },
    ]);
  });

  test("a file is downloaded under its new name, and its old media URL leads to it", async () => {
    const { ask, db, headers, send, get, now, ...service } = await start();
    const [id] = await store(service, { filename: "old.txt" });
    const cover = { coverImage: `/media/${id}/old.txt`, published: true, publishedAt: now() };
    await posts.save(db, { slug: "a", title: "A", ...cover }, now());
    await ask(`${path}/${id}`, "PATCH", { filename: "new.txt" });
    const location = (await send(`${path}/${id}/download`, { headers })).headers.get("location") ?? "";
    expect((await fetch(location)).headers.get("content-disposition")).toContain('filename="new.txt"');
    expect((await get(`/media/${id}/old.txt`)).status).toBe(302);
  });

  test.each([
    { filename: "" },
    { filename: "a/b" },
    { filename: ".." },
    { filename: "x".repeat(256) },
    { folderPath: "a/../b" },
    { folderPath: 1 },
  ])("400, and nothing is changed: %j", async (body) => {
    const { ask, ...service } = await start();
    const [id] = await store(service, { filename: "old.txt" });
    const { status, error } = await ask(`${path}/${id}`, "PATCH", body);
    expect([status, error?.code]).toEqual([400, "VALIDATION_ERROR"]);
    expect((await ask<File>(`${path}/${id}`)).data).toMatchObject({ filename: "old.txt", folderPath: "" });
  });

  test("a name that is wrong leaves the file where it is; what is not JSON is refused", async () => {
    const { ask, headers, send, ...service } = await start();
    const [id] = await store(service, {});
    expect((await ask(`${path}/${id}`, "PATCH", { filename: "", folderPath: "b" })).status).toBe(400);
    const form = { method: "PATCH", headers: { ...headers, "content-type": "text/plain" }, body: '{"folderPath":"b"}' };
    expect((await send(`${path}/${id}`, form)).status).toBe(400);
    expect((await ask<File>(`${path}/${id}`)).data.folderPath).toBe("");
  });

  test("a file in the trash, an upload and nothing at all are a 404, and no folder is created", async () => {
    const { ask, db, storage, ...service } = await start();
    const [trashed] = await store({ ...service, storage }, {});
    await ask(`${path}/${trashed}`, "DELETE");
    await storage.reserve({ filename: "a.txt", mimeType: "text/plain", size: 5, folderPath: "" });
    const [open] = await look(db, "select id from uploads where state = 'open'");
    for (const id of [trashed, String(open?.id), "none"])
      expect((await ask(`${path}/${id}`, "PATCH", { folderPath: "made" })).status).toBe(404);
    expect(await look(db, "select path from folders where path = 'made'")).toEqual([]);
  });

  test("needs the scope files:write", async () => {
    const { db, now, send, ...service } = await start();
    const [id] = await store(service, {});
    const { key } = await apiKeys.generate(db, { prefix: "site", name: "Reader", scopes: ["files:read"] }, now());
    const headers = { "x-api-key": key, "content-type": "application/json" };
    const ask = (url: string, method: string) => send(url, { method, headers, body: '{"filename":"b"}' });
    expect((await ask(`${path}/${id}`, "PATCH")).status).toBe(403);
    expect((await ask(`${path}/${id}/link`, "POST")).status).toBe(200);
  });
});

describe("a link", () => {
  type Link = { url: string; expiresAt: string };
  const secondsOf = (url: string) => Number(new URL(url).searchParams.get("X-Amz-Expires"));

  test("works without a key for as long as it says: an hour, or up to seven days", async () => {
    const { ask, ...service } = await start();
    const [id] = await store(service, { body: "bytes" });
    for (const [body, seconds] of [
      [undefined, 3_600],
      [{}, 3_600],
      [{ expiresIn: 60 }, 60],
      [{ expiresIn: 604_800 }, 604_800],
    ] as const) {
      const { status, answer, data } = await ask<Link>(`${path}/${id}/link`, "POST", body);
      expect([status, answer.headers.get("cache-control"), secondsOf(data.url)]).toEqual([200, "no-store", seconds]);
      const [, y, m, d, h, min, s] = /X-Amz-Date=(\d{4})(..)(..)T(..)(..)(..)Z/.exec(data.url) ?? [];
      const signedAt = Date.parse(`${y}-${m}-${d}T${h}:${min}:${s}Z`);
      expect(Math.floor(Date.parse(data.expiresAt) / 1_000)).toBe(signedAt / 1_000 + seconds);
      expect(await (await fetch(data.url)).text()).toBe("bytes");
    }
  });

  test("is on record with its end and the key, because it outlives the key", async () => {
    const { ask, db, ...service } = await start();
    const [id] = await store(service, {});
    const { data } = await ask<Link>(`${path}/${id}/link`, "POST", { expiresIn: 604_800 });
    await ask(`${path}/none/link`, "POST");
    expect(await look(db, "select actor, action, target, target_id, details from audit_events")).toEqual([
      {
        ...{ actor: "API key Blog", action: "file.share", target: "a.txt", target_id: id ?? "" },
        details: JSON.stringify({ until: data.expiresAt }),
      },
    ]);
  });

  test("saves the file, or shows what is safe to show", async () => {
    const { ask, ...service } = await start();
    const [image, html] = await store(
      service,
      { mimeType: "image/png", filename: "a.png" },
      { mimeType: "text/html", filename: "a.html" },
    );
    const kindOf = async (id: string | undefined, body: object) => {
      const { data } = await ask<Link>(`${path}/${id}/link`, "POST", body);
      return (await fetch(data.url)).headers.get("content-disposition")?.split(";")[0];
    };
    expect(await kindOf(image, {})).toBe("attachment");
    expect(await kindOf(image, { download: false })).toBe("inline");
    expect(await kindOf(html, { download: false })).toBe("attachment");
  });

  test.each([{ expiresIn: 59 }, { expiresIn: 604_801 }, { expiresIn: "60" }, { expiresIn: 60.5 }, { download: "no" }])(
    "400: %j",
    async (body) => {
      const { ask, ...service } = await start();
      const [id] = await store(service, {});
      const { status, error } = await ask(`${path}/${id}/link`, "POST", body);
      expect([status, error?.code]).toEqual([400, "VALIDATION_ERROR"]);
    },
  );

  test("to a file in the trash, or to none, is a 404", async () => {
    const { ask, ...service } = await start();
    const [id] = await store(service, {});
    await ask(`${path}/${id}`, "DELETE");
    for (const each of [id, "none"]) expect((await ask(`${path}/${each}/link`, "POST")).status).toBe(404);
  });
});

describe("what was sent", () => {
  const sha256 = (body: string | Uint8Array) => new Bun.CryptoHasher("sha256").update(body).digest("base64");
  const isEmbedded = !process.env.STORAGE_TEST_ENDPOINT; // other servers need not support checksums
  /** Sends the bytes with their checksum, or without it to a server that rejects headers which were not signed. */
  async function put(url: string, body: string | Uint8Array<ArrayBuffer>) {
    const headers = { "x-amz-checksum-sha256": sha256(body) };
    const { status } = await fetch(url, { method: "PUT", body, headers });
    return status === 403 && !isEmbedded ? (await fetch(url, { method: "PUT", body })).status : status;
  }

  test("a file has its ETag, and the checksum that its client sent", async () => {
    const { ask, headers, post, storage } = await start();
    const reserved = await post("/api/v1/storage/upload", { filename: "a", mimeType: "a/b", size: 5 }, headers);
    const { data } = (await reserved.json()) as { data: { uploadUrl: string; _meta: { reservationId: string } } };
    expect(await put(data.uploadUrl, "12345")).toBe(200);
    const id = data._meta.reservationId;
    await ask(`/api/v1/storage/uploads/${id}/complete`, "POST");
    const file = await ask<{ etag: string; checksums: object }>(`${path}/${id}`);
    const object = await fetch((await storage.downloadUrl(id)) ?? "");
    expect(`"${file.data.etag}"`).toBe(object.headers.get("etag") ?? "");
    const told = { sha256: sha256("12345") };
    expect(isEmbedded ? [told] : [told, {}]).toContainEqual(file.data.checksums as never);
  });

  test("of a part that is sent again, the last one counts", async () => {
    const { ask, headers, post } = await start();
    const reserved = await post("/api/v1/storage/upload", { filename: "a", mimeType: "a/b", size: 5 }, headers);
    const { data } = (await reserved.json()) as { data: { uploadUrl: string; _meta: { reservationId: string } } };
    const put = (body: string, more: Record<string, string>) =>
      fetch(data.uploadUrl, { method: "PUT", body, headers: more });
    await put("12345", { "x-amz-checksum-sha256": sha256("12345") });
    await put("54321", {});
    const id = data._meta.reservationId;
    await ask(`/api/v1/storage/uploads/${id}/complete`, "POST");
    expect((await ask<object>(`${path}/${id}`)).data).toMatchObject({ checksums: {} });
  });

  test("a file of several parts has the ETag of its object, and no checksum: each part had its own", async () => {
    const { ask, headers, post } = await start();
    const wanted = { filename: "a", mimeType: "a/b", size: 5 * 2 ** 20 + 1, multipart: true };
    const reserved = await post("/api/v1/storage/upload", wanted, headers);
    const { data } = (await reserved.json()) as { data: { _meta: { reservationId: string } } };
    const id = data._meta.reservationId;
    const urls = await ask<{ parts: { url: string; size: number }[] }>(`/api/v1/storage/uploads/${id}/parts`, "POST");
    for (const { url, size } of urls.data.parts) expect(await put(url, new Uint8Array(size))).toBe(200);
    await ask(`/api/v1/storage/uploads/${id}/complete`, "POST");
    const { data: file } = await ask<object>(`${path}/${id}`);
    expect(file).toMatchObject({ etag: expect.stringMatching(/^[0-9a-f]{32}-2$/), checksums: {} });
  });
});
