import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort, postroom, startService, temporaryFolder } from "./processes";

/** A folder, a command line on it, and files in it. */
function desk() {
  const folder = temporaryFolder();
  const dataDir = join(folder.path, "data");
  return {
    dataDir,
    run: (...args: string[]) => postroom(dataDir, args),
    file(name: string, content?: string) {
      const path = join(folder.path, name);
      if (content !== undefined) writeFileSync(path, content);
      return path;
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

const rows = (out: string) =>
  out
    .split("\n")
    .filter(Boolean)
    .map((line) => line.split("\t"));

const api = async (url: string, path: string, key = "") =>
  (await fetch(url + path, { headers: { "x-api-key": key } })).json() as Promise<{ data: Record<string, never> }>;

// ── Usage ────────────────────────────────────────────────────────────────────────────────────

const usages = ["serve", "manager", "keys", "nodes", "import", "settings", "subscribers", "backup", "restore", "demo"];

test("--help names every command, on stdout, with exit 0", async () => {
  using at = desk();
  const { code, out, err } = await at.run("--help");
  expect([code, err]).toEqual([0, ""]);
  for (const noun of usages) expect(out).toMatch(new RegExp(`^  ${noun}\\b`, "m"));
});

test("each command explains itself, and does nothing", async () => {
  using at = desk();
  const answers = await Promise.all(usages.map((noun) => at.run(noun, "--help")));
  expect(answers.map(({ code, err }) => [code, err])).toEqual(usages.map(() => [0, ""]));
  expect(() => readdirSync(at.dataDir)).toThrow("ENOENT");
});

test.each([
  [[]],
  [["bake"]],
  [["constructor"]],
  [["keys"]],
  [["keys", "bake"]],
  [["keys", "create"]],
  [["keys", "create", "one", "two"]],
  [["keys", "list", "--all"]],
])("%j is no command: usage on stderr, exit 2", async (words) => {
  using at = desk();
  const { code, out, err } = await at.run(...words);
  expect([code, out]).toEqual([2, ""]);
  expect(err).toStartWith("Usage: npm run postroom -- <command>\n");
});

test("a wrong variable is one line that names it", async () => {
  using at = desk();
  const { code, err } = await postroom(at.dataDir, ["keys", "list"], { PORT: "none" });
  expect([code, err]).toEqual([1, "postroom: The configuration is not valid: PORT must be a port number\n"]);
});

// ── Keys, settings, managers, nodes ──────────────────────────────────────────────────────────

test("a key is made, listed and deactivated while the server runs, and the server obeys at once", async () => {
  using at = desk();
  const service = await startService(at.dataDir);
  const { code, out, err } = await at.run("keys", "create", "build server");
  expect([code, err]).toEqual([0, ""]);
  expect(out).toMatch(/^site_live_[0-9a-f]{32}\n$/);
  const key = out.trim();
  expect(await api(service.url, "/api/v1/settings", key)).toMatchObject({ success: true });

  const [listed] = rows((await at.run("keys", "list")).out);
  expect(listed?.slice(1, 4)).toEqual(["build server", `site_live_…${key.slice(-4)}`, "active"]);
  const id = listed?.[0] ?? "";
  expect(rows((await at.run("keys", "deactivate", id)).out)).toEqual([[id, "build server", "inactive"]]);
  expect(await api(service.url, "/api/v1/settings", key)).toMatchObject({
    error: { message: "Invalid or inactive API key" },
  });
  await service.end();
}, 15_000);

test("a key that is not there and a name that is empty are one line on stderr, exit 1", async () => {
  using at = desk();
  expect(await at.run("keys", "deactivate", "nobody")).toEqual({
    ...{ code: 1, out: "" },
    err: "postroom: There is no key with the id nobody.\n",
  });
  expect(await at.run("keys", "create", " ")).toMatchObject({ code: 1, out: "" });
});

test("a setting is written, and one that looks like a secret is refused", async () => {
  using at = desk();
  const service = await startService(at.dataDir);
  const key = (await at.run("keys", "create", "test")).out.trim();
  expect(await at.run("settings", "set", "siteTitle", "Lamps")).toMatchObject({ code: 0, out: "siteTitle\tLamps\n" });
  expect(await at.run("settings", "set", "motd", "Hello", "--public")).toMatchObject({ code: 0 });
  expect(await at.run("settings", "set", "internal", "quiet")).toMatchObject({ code: 0 });
  expect(await at.run("settings", "set", "stripeSecret", "x")).toMatchObject({
    ...{ code: 1, out: "" },
    err: expect.stringMatching(/^postroom: The key looks like a secret[^\n]*\n$/),
  });
  expect(await api(service.url, "/api/v1/settings", key)).toMatchObject({
    data: { count: 2, settings: { siteTitle: "Lamps", motd: "Hello" } },
  });
  await service.end();
}, 15_000);

test("a manager gets a link that works once; only a manager can be reset", async () => {
  using at = desk();
  const created = await at.run("manager", "create", "ada@example.com");
  expect([created.code, created.out]).toEqual([
    0,
    expect.stringMatching(/^http:\/\/localhost:3000\/dashboard\/setup\?token=[\w-]{43}\n$/),
  ]);
  expect(await at.run("manager", "reset", "ada@example.com")).toMatchObject({
    ...{ code: 1, out: "" },
    err: "postroom: There is no manager ada@example.com.\n",
  });
  expect(await at.run("manager", "create", "not an address")).toMatchObject({ code: 1, out: "" });
});

test("a node is added with its secret from stdin, listed without it, and tested", async () => {
  using at = desk();
  const options = ["--endpoint=http://127.0.0.1:1", "--bucket=parcels", "--access-key=minio", "--capacity=2GB"];
  const added = await postroom(at.dataDir, ["nodes", "add", "attic", ...options], {}, "a-secret-key\n");
  expect([added.code, added.err]).toEqual([0, ""]);
  const { out } = await at.run("nodes", "list");
  expect(rows(out)).toEqual([
    [expect.any(String), "attic", "active", "http://127.0.0.1:1", "parcels", "0", "0", "2000000000"],
  ] as never);
  expect(out).not.toContain("a-secret-key");
  const tested = await at.run("nodes", "test", "attic");
  expect([tested.code, tested.err]).toEqual([1, "postroom: attic does not work: bucket: ECONNREFUSED\n"]);
  expect(rows(tested.out)[0]).toEqual([
    ...[expect.any(String), "bucket", "ECONNREFUSED", expect.stringContaining("Nothing answers")],
    expect.stringContaining("Start the server"),
  ] as never);
  expect(await postroom(at.dataDir, ["nodes", "add", "attic", ...options], {}, "x")).toMatchObject({
    err: "postroom: There is a node called attic already.\n",
  });

  const edited = await postroom(at.dataDir, ["nodes", "edit", "attic", "--capacity=3GB", "--new-secret"], {}, "other");
  expect([edited.code, edited.err]).toEqual([0, ""]);
  expect(rows((await at.run("nodes", "drain", "attic")).out)[0]?.slice(1)).toEqual(["attic", "draining"]);
  expect(rows((await at.run("nodes", "list")).out)[0]?.slice(1)).toEqual([
    ...["attic", "draining", "http://127.0.0.1:1", "parcels", "0", "0", "3000000000"],
  ]);
  expect(rows((await at.run("nodes", "activate", "attic")).out)[0]?.slice(1)).toEqual(["attic", "active"]);
  expect(await at.run("nodes", "check")).toMatchObject({
    ...{ code: 1, out: "" },
    err: "postroom: attic does not answer: ECONNREFUSED\n",
  });
  expect(await at.run("nodes", "remove", "attic")).toMatchObject({ code: 0, err: "" });
  expect(await at.run("nodes", "remove", "attic")).toMatchObject({ err: "postroom: There is no node attic.\n" });
}, 30_000);

// ── Content ──────────────────────────────────────────────────────────────────────────────────

test("posts are imported with what is absent derived, again updates them, and a bad file is named", async () => {
  using at = desk();
  const folder = at.file("posts");
  mkdirSync(folder);
  const post = (name: string, text: string) => writeFileSync(join(folder, name), text);
  post(
    "2026-03-14-first-light.mdx",
    "---\ntitle: First light\ndate: 2026-03-14\ntags: [Lamps, C++]\n---\n\n# First light\n\nThe lamp *was* lit at six.\n",
  );
  post("given.md", "---\ntitle: 1984\nslug: Given Slug\nexcerpt: Short.\npublishedAt: 2026-03-15T08:00:00Z\n---\nText");
  post("draft.md", "---\ntitle: Not yet\ndraft: true\n---\nText");
  post("bad.md", "---\ntags: {}\n---\nNo title");
  post("bare.md", "No front matter");

  const first = await at.run("import", "posts", folder);
  expect([first.code, first.out]).toEqual([1, "first-light\ndraft\ngiven-slug\n"]);
  expect(first.err.split("\n")[0]).toStartWith("bad.md: title is required");
  expect(first.err.split("\n")[1]).toBe("bare.md: it does not start with front matter between two lines of ---");

  post("given.md", "---\ntitle: Nineteen\nslug: given-slug\npublishedAt: 2026-03-15T08:00:00Z\n---\nText");
  await at.run("import", "posts", folder);
  const service = await startService(at.dataDir);
  const key = (await at.run("keys", "create", "test")).out.trim();
  expect(await api(service.url, "/api/v1/posts", key)).toMatchObject({
    data: {
      count: 2,
      posts: [
        { slug: "given-slug", title: "Nineteen", publishedAt: "2026-03-15T08:00:00.000Z" },
        {
          ...{ slug: "first-light", excerpt: "The lamp was lit at six.", publishedAt: "2026-03-14T00:00:00.000Z" },
          tags: [
            { name: "Lamps", slug: "lamps" },
            { name: "C++", slug: "c-plus-plus" },
          ],
        },
      ],
    },
  });
  await service.end();
}, 20_000);

test("posts are exported as files that an import reads back: a round trip changes no byte", async () => {
  using at = desk();
  using other = desk();
  const [first, second] = [at.file("first"), other.file("second")];
  expect(await at.run("demo")).toMatchObject({ code: 0 });
  const exported = await at.run("export", "posts", first);
  const names = readdirSync(first).sort();
  expect([exported.code, exported.err, names.length]).toEqual([0, "", 12]);
  expect(
    exported.out
      .trim()
      .split("\n")
      .map((slug) => `${slug}.mdx`)
      .sort(),
  ).toEqual(names);

  expect(await other.run("import", "posts", first)).toMatchObject({ code: 0 });
  await other.run("export", "posts", second);
  const contents = (folder: string) => names.map((name) => readFileSync(join(folder, name), "utf8"));
  expect(readdirSync(second).sort()).toEqual(names);
  expect(contents(second)).toEqual(contents(first));

  expect(await at.run("import", "posts", first)).toMatchObject({ code: 0 });
  const before = contents(first);
  await at.run("export", "posts", first);
  expect(contents(first)).toEqual(before);
}, 20_000);

test("projects are imported from JSON, the valid ones of them", async () => {
  using at = desk();
  const file = at.file(
    "projects.json",
    JSON.stringify([
      { title: "Stillwater", status: "PUBLISHED", featured: true, tech: ["SVG"], liveUrl: "https://a.example" },
      { title: "Bad", liveUrl: "javascript:alert(1)" },
    ]),
  );
  expect(await at.run("import", "projects", file)).toEqual({
    ...{ code: 1, out: "stillwater\n" },
    err: "item 2: liveUrl must be an http or https URL\n",
  });
  expect(await at.run("import", "projects", at.file("not.json", "{}"))).toEqual({
    ...{ code: 1, out: "" },
    err: "postroom: The file is not a JSON array.\n",
  });
});

test("the demo fills an empty database, and only an empty one", async () => {
  using at = desk();
  expect(await at.run("demo")).toMatchObject({ code: 0, err: "" });
  expect(await at.run("demo")).toMatchObject({ code: 1, out: "" });
  const service = await startService(at.dataDir);
  const key = (await at.run("keys", "create", "test")).out.trim();
  expect(await api(service.url, "/api/v1/posts", key)).toMatchObject({ data: { count: 10 } }); // one scheduled, one draft
  expect(await api(service.url, "/api/v1/projects", key)).toMatchObject({ data: { count: 5 } });
  expect(await api(service.url, "/api/v1/settings", key)).toMatchObject({ data: { count: 9 } });
  const { out } = await service.end();
  expect(out).not.toContain("mail simulated"); // nobody is written to
}, 20_000);

// ── Subscribers ──────────────────────────────────────────────────────────────────────────────

const list = [
  "email,name,source,state,created_at",
  "ada@example.com,Ada,blog,active,2026-01-02T03:04:05.000Z",
  "+cmd@example.com,'=1+1,,unsubscribed,2026-01-03T03:04:05.000Z",
  'grace@example.com,"Hopper, ""Amazing"" Grace",,active,2026-01-04T03:04:05.000Z',
];

test("the list goes out and comes in again unchanged, with formulas made harmless", async () => {
  using at = desk();
  using other = desk();
  const csv = at.file("list.csv", `${list.join("\r\n")}\r\n`);
  const imported = await at.run("subscribers", "import", csv);
  expect([imported.code, imported.err, rows(imported.out)[0]]).toEqual([0, "", ["new", "3"]]);

  const out = at.file("out.csv");
  expect(await at.run("subscribers", "export", out)).toEqual({ code: 0, out: "", err: "" });
  const exported = readFileSync(out, "utf8");
  expect(exported).toBe(`${list.join("\r\n").replace("+cmd", "'+cmd")}\r\n`);
  expect(await at.run("subscribers", "export", out)).toMatchObject({ code: 1 }); // never overwrites

  await other.run("subscribers", "import", out);
  await other.run("subscribers", "export", other.file("again.csv"));
  expect(readFileSync(other.file("again.csv"), "utf8")).toBe(exported);
}, 15_000);

test("an import revives nobody, unless it is told to, and names the lines it cannot use", async () => {
  using at = desk();
  await at.run("subscribers", "import", at.file("old.csv", "email,state\nada@example.com,unsubscribed\n"));
  const csv = at.file(
    "new.csv",
    "\uFEFFName,EMAIL\nAda,ADA@example.com\nGrace,grace@example.com\nNobody,nowhere\nGrace again,grace@example.com\n",
  );
  const first = await at.run("subscribers", "import", csv);
  expect([first.code, first.err]).toEqual([1, "line 4: email must be an e-mail address\n"]);
  const counts = (out: string) => Object.fromEntries(rows(out));
  expect(counts(first.out)).toEqual({ new: "1", already: "1", "kept unsubscribed": "1", revived: "0", invalid: "1" });
  const second = await at.run("subscribers", "import", csv, "--revive");
  expect(counts(second.out)).toEqual({ new: "0", already: "2", "kept unsubscribed": "0", revived: "1", invalid: "1" });
  expect(await at.run("subscribers", "import", at.file("bad.csv", "name\nAda\n"))).toEqual({
    ...{ code: 1, out: "" },
    err: "postroom: The first line must name the columns, and one of them must be email\n",
  });
}, 15_000);

// ── Backup ───────────────────────────────────────────────────────────────────────────────────

test("a backup taken while the server runs holds what was acknowledged, and goes back in its place", async () => {
  using at = desk();
  const service = await startService(at.dataDir);
  const key = (await at.run("keys", "create", "kept")).out.trim();
  const file = at.file("backup.sqlite");
  const made = await at.run("backup", file);
  expect([made.code, made.out]).toEqual([0, expect.stringMatching(/^\/.*backup\.sqlite\t\d+ bytes\n$/)]);
  expect(await at.run("backup", file)).toMatchObject({ code: 1, out: "" });
  expect(readFileSync(file).includes(key)).toBe(false);

  await at.run("keys", "create", "later");
  const refused = await at.run("restore", file);
  expect([refused.code, refused.err]).toEqual([
    1,
    "postroom: A server is running on this DATA_DIR. Stop it first, or set another DATA_DIR.\n",
  ]);
  await service.end();

  expect(await at.run("restore", file)).toMatchObject({ code: 0, err: "" });
  expect(rows((await at.run("keys", "list")).out).map(([, name]) => name)).toEqual(["kept"]);
  expect(readdirSync(join(at.dataDir, "backups"))).toEqual([expect.stringMatching(/^before-restore-\d{8}T\d{6}Z/)]);
}, 20_000);

test("what is no backup is not restored, and the database stays", async () => {
  using at = desk();
  await at.run("keys", "create", "kept");
  for (const file of [at.file("text.sqlite", "no database"), at.file("empty.sqlite", ""), at.file("absent.sqlite")])
    expect(await at.run("restore", file)).toMatchObject({ code: 1, out: "" });
  expect(rows((await at.run("keys", "list")).out)).toHaveLength(1);
});

test("commands do not care whether the server runs, or where", async () => {
  using at = desk();
  expect(await postroom(at.dataDir, ["keys", "list"], { PORT: String(freePort()) })).toMatchObject({
    code: 0,
    out: "",
  });
});
