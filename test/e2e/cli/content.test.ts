import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { postroom, startService, temporaryFolder } from "../../support/processes";
import { api, cliService } from "./service";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

test("posts are imported, absent fields are derived, importing again updates them, and a bad file is named", async () => {
  using at = cliService();
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
  expect(first.err.split("\n")[1]).toBe("bare.md: it does not start with front matter between two --- lines");

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
});

test("posts are exported as files that an import reads back: a round trip changes no byte", async () => {
  using at = cliService();
  using other = cliService();
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
});

test("the valid projects of a JSON file are imported", async () => {
  using at = cliService();
  const file = at.file(
    "projects.json",
    JSON.stringify([
      { title: "Stillwater", status: "PUBLISHED", featured: true, tech: ["SVG"], liveUrl: "https://a.example" },
      { title: "Bad", liveUrl: "javascript:alert(1)" },
    ]),
  );
  expect(await at.run("import", "projects", file)).toEqual({
    ...{ code: 1, out: "stillwater\n" },
    err: "item 2: liveUrl must be an http(s) URL\n",
  });
  expect(await at.run("import", "projects", at.file("not.json", "{}"))).toEqual({
    ...{ code: 1, out: "" },
    err: "postroom: The file must contain a JSON array.\n",
  });
});

test("the demo fills an empty database, and only an empty one", async () => {
  using at = cliService();
  expect(await at.run("demo")).toMatchObject({ code: 0, err: "" });
  expect(await at.run("demo")).toMatchObject({ code: 1, out: "" });
  const service = await startService(at.dataDir);
  const key = (await at.run("keys", "create", "test")).out.trim();
  expect(await api(service.url, "/api/v1/posts", key)).toMatchObject({ data: { count: 10 } }); // one scheduled, one draft
  expect(await api(service.url, "/api/v1/projects", key)).toMatchObject({ data: { count: 5 } });
  expect(await api(service.url, "/api/v1/settings", key)).toMatchObject({ data: { count: 12 } });
  const { out } = await service.end();
  expect(out).not.toContain("mail simulated"); // no one gets an email
});

test("in production, where there is no storage node until one is set, demo adds its content without files", async () => {
  using folder = temporaryFolder();
  const run = (...args: string[]) => postroom(folder.path, args, { NODE_ENV: "production" });
  expect(await run("demo")).toEqual({ code: 0, out: "Sample content added.\n", err: "" });
});
