import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { join } from "node:path";
import { importPosts } from "../../../src/content/import-posts";
import { importProjects } from "../../../src/content/import-projects";
import { nextPeer, testService } from "../../support/service";
import { startService, temporaryFolder } from "../../support/processes";
import { look } from "../../support/look";

const half = 32_700;
const deepest = "[".repeat(half) + "]".repeat(half);
/** As deep and as long as is accepted: indented, it is twenty times as long. */
const widest = "[".repeat(31) + "1,".repeat(32_000) + "1" + "]".repeat(31);
const json = { "content-type": "application/json" };

const stringify = spyOn(JSON, "stringify");
afterEach(() => void stringify.mockClear());

describe.each([
  ["", {}],
  ["with NODE_ENV=production", { NODE_ENV: "production" }],
])("a service %s", (_, env) => {
  test("responds to a body of 32,700 brackets with 400, on every route and for every sender", async () => {
    using folder = temporaryFolder();
    const service = await startService(folder.path, { LOG_LEVEL: "debug", ...env });
    const send = async (path: string, body: string) => {
      const answer = await fetch(service.url + path, { method: "POST", body, headers: json });
      return [answer.status, await answer.json()];
    };
    const told = {
      success: false,
      data: null,
      error: { code: "INVALID_JSON", message: "The request body is nested more than 32 levels deep." },
    };
    for (const path of ["/api/contact", "/api/newsletter/subscribe"]) {
      expect(await send(path, deepest)).toEqual([400, told]);
      expect(await send(path, `{"website":${"[".repeat(32)}${"]".repeat(32)}}`)).toEqual([400, told]);
      expect(await send(path, widest)).toMatchObject([400, { error: { code: "VALIDATION_ERROR" } }]);
    }
    const refused = await send("/api/v1/storage/upload", deepest);
    expect(refused).toMatchObject([401, { error: { code: "UNAUTHORIZED" } }]); // the key is checked first (D7)
    expect((await service.end()).code).toBe(0);
  });
});

test("lists and objects beside each other are no levels", async () => {
  const { post } = await testService();
  const message = { name: "Ada", email: "ada@example.com", message: "Good morning, and good day." };
  const website = Array.from({ length: 40 }, (_, at) => (at % 2 ? [] : {}));
  expect((await post("/api/contact", { ...message, website })).status).toBe(201);
});

test("31 levels of lists in an object are read, and brackets in text are no levels", async () => {
  const { post } = await testService();
  const message = { name: "Ada", email: "ada@example.com", message: `"${"[".repeat(100)}\\" good morning` };
  const website = JSON.parse("[".repeat(31) + "]".repeat(31));
  expect((await post("/api/contact", { ...message, website })).status).toBe(201);
});

test("no route repeats or logs what it rejects: neither the response nor an error contains it", async () => {
  const { app, key, send, signIn } = await testService();
  const { headers } = await signIn();
  const everybody = { ...json, ...headers, ...(await key()) };
  const routes = (await app.routes()).filter(({ method }) => method !== "GET");
  expect(routes.length).toBeGreaterThan(50);
  for (const { method, path } of routes)
    for (const body of [deepest, widest, `{"_token":${widest},"ids":${widest}}`, `{"numbers":${widest}}`]) {
      stringify.mockClear();
      const answer = await send(path.replace(/:\w+/g, "x"), { method, body, headers: everybody }, nextPeer());
      const written = stringify.mock.results.map(({ value }) => String(value).length);
      expect([method, path, answer.status, Math.max(0, ...written) < 8_000]).toEqual([
        method,
        path,
        answer.status,
        true,
      ]);
      expect([path, (await answer.arrayBuffer()).byteLength < 40_000]).toEqual([path, true]);
    }
});

describe("combining marks", () => {
  const marks = `a${"\u0301".repeat(15_000)}${"\u0316".repeat(16_500)}`;
  const normalize = String.prototype.normalize;
  /** The longest run of marks that was sorted, and the longest text that was normalised during a write. */
  let [longestRun, longestInWrite] = [0, 0];
  let isWriting = false;

  beforeEach(() => {
    [longestRun, longestInWrite, isWriting] = [0, 0, false];
    String.prototype.normalize = function (form) {
      for (const [run] of this.matchAll(/\p{M}+/gu)) longestRun = Math.max(longestRun, run.length);
      if (isWriting) longestInWrite = Math.max(longestInWrite, this.length);
      return normalize.call(this, form);
    };
  });
  afterEach(() => {
    String.prototype.normalize = normalize;
  });

  test("are sorted 32 at a time, on every route and for every sender", async () => {
    const { db, get, key, post, send, signIn } = await testService();
    const manager = await signIn();
    const keyed = await key();
    const file = { filename: marks, mimeType: "a/b", size: 1, folderPath: "" };
    const person = { name: "Ada", email: "ada@example.com" };
    const refused = await Promise.all([
      post("/api/contact", { ...person, message: marks }),
      post("/api/contact", { ...person, name: marks, message: "Good morning." }),
      post("/api/newsletter/subscribe", { email: `${marks}@example.com` }),
      post("/api/newsletter/subscribe", { email: `ada@${marks}.com` }),
      post("/api/v1/storage/upload", file, keyed),
      post("/api/v1/storage/upload", { ...file, filename: "a", folderPath: marks }, keyed),
    ]);
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 400));
    const short = encodeURIComponent(marks.slice(14_000, 16_000));
    await get(`/api/v1/posts?q=${short}`, keyed);
    await get(`/api/newsletter/unsubscribe?email=${short}@example.com&token=${"a".repeat(43)}`);
    for (const list of ["newsletter", "messages", "posts", "posts/tags", "projects", "storage", "audit"])
      await manager.get(`/dashboard/${list}?q=${short}`);
    const form = { title: marks, slug: "", excerpt: "", coverImage: "", author: marks, tags: marks, content: marks };
    await manager.submit("/dashboard/posts/new", form);
    await manager.submit("/dashboard/projects", { ...form, description: marks });
    await manager.submit("/dashboard/account/name", { name: marks });
    await manager.submit("/dashboard/sign-in", { email: marks.slice(0, 300), password: marks.slice(0, 2_000) });
    const text = `---\ntitle: ${marks.repeat(8)}\n---\n${marks}`;
    for (const [path, name] of [
      ["posts/import", "a.md"],
      ["newsletter/import", "a.csv"],
    ]) {
      const body = new FormData();
      body.set("_token", manager.token);
      body.append("file", new File([name === "a.md" ? text : `email,name\na@example.com,${marks}\n`], name ?? ""));
      const page = await (await send(`/dashboard/${path}`, { method: "POST", body, headers: manager.headers })).text();
      const upload = /name="upload" value="([^"]+)"/.exec(page)?.[1] ?? "";
      if (name === "a.csv") await manager.submit(`/dashboard/${path}/review`, { upload, columns: ["email", "name"] });
    }
    await importPosts(db, [{ name: "b.md", bytes: async () => Buffer.from(text) }], { actor: "cli" }, new Date());
    await importProjects(
      db,
      JSON.stringify([{ title: marks.repeat(8), tech: [marks] }]),
      { actor: "cli" },
      new Date(),
    ).catch(() => {});
    expect(longestRun).toBeLessThanOrEqual(32);
  });

  test("and all else of a long post are folded before the write, not in it", async () => {
    const { db, signIn } = await testService();
    const { session: _, ...manager } = await signIn();
    const { write } = db;
    db.write = (work) =>
      write((orm) => {
        isWriting = true;
        try {
          return work(orm);
        } finally {
          isWriting = false;
        }
      });
    const fields = {
      title: "A post",
      slug: "",
      excerpt: "",
      coverImage: "",
      author: "",
      tags: "a, b",
      publishedAt: "",
    };
    const saved = await manager.submit("/dashboard/posts/new", { ...fields, content: marks.slice(0, 9_000) });
    expect(saved.status).toBe(303);
    const to = saved.headers.get("location") ?? "";
    const edited = await manager.submit(to, { ...fields, content: "Straße ".repeat(5_000), version: "1" });
    expect(edited.status).toBe(303);
    for (const act of ["duplicate", "publish"]) await manager.submit(`${to.split("?")[0]}/${act}`, { version: "2" });
    const text = `---\ntitle: Long\n---\n${"Straße ".repeat(50_000)}`;
    await importPosts(db, [{ name: "b.md", bytes: async () => Buffer.from(text) }], { actor: "cli" }, new Date());
    expect((await look(db, "select count(*) n from posts where length(folded) > 5000"))[0]).toEqual({ n: 3 });
    expect(longestInWrite).toBeLessThan(1_000);
  });
});

test("text from outside is normalised in one place, which bounds it first", async () => {
  const root = join(import.meta.dir, "../../..");
  const files = [...new Bun.Glob("{src,db,views}/**/*.{ts,tsx}").scanSync(root)].filter(
    (file) => !file.includes(".test."),
  );
  const normalising = await Promise.all(
    files.map(async (file) => (/\.normalize\(/.test(await Bun.file(join(root, file)).text()) ? [file] : [])),
  );
  expect(normalising.flat()).toEqual(["db/lib/text.ts"]);
});

test("of a list that is too long no item is looked at, and one sentence says so", async () => {
  const { key, post } = await testService();
  const keyed = await key();
  const reserved = await post("/api/v1/storage/upload", { filename: "a", mimeType: "a/b", size: 20_000_000 }, keyed);
  const { data } = (await reserved.json()) as { data: { _meta: { reservationId: string } } };
  const path = `/api/v1/storage/uploads/${data._meta.reservationId}/parts`;
  const answer = await post(path, { numbers: Array.from({ length: 10_000 }, () => "x") }, keyed);
  expect([answer.status, await answer.json()]).toMatchObject([
    400,
    { error: { details: [{ field: "numbers", message: "must have at most 100 entries" }] } },
  ]);
  const wrong = await post(path, { numbers: Array.from({ length: 100 }, () => "x") }, keyed);
  const { error } = (await wrong.json()) as { error: { details: unknown[] } };
  expect(error.details).toHaveLength(20);
});

test("a query of 4,000 names is read once", async () => {
  const { get } = await testService();
  const getAll = spyOn(URLSearchParams.prototype, "getAll");
  const names = Array.from({ length: 4_000 }, (_, n) => `${n.toString(36)}=`).join("&");
  expect((await get(`/api/projects/none/visit?${names}`)).status).toBe(404);
  expect(getAll).not.toHaveBeenCalled();
  getAll.mockRestore();
});
