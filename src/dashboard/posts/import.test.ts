import { randomBytes } from "node:crypto";
import { describe, expect, test } from "bun:test";
import * as posts from "../../../db/posts/posts";
import { unzip, zip } from "../../content/zip";
import { testService } from "../../../test/support/service";
import { look, lookAt } from "../../../test/support/look";

const path = "/dashboard/posts/import";
const post = (title: string, more = "") =>
  `---\ntitle: ${title}\npublishedAt: 2026-11-20T12:00:00Z\n${more}---\n\nText\n`;

async function desk() {
  const service = await testService();
  const { db, send, now } = service;
  const manager = await service.signIn();
  const bring = async (files: Record<string, string | Buffer>, as = manager) => {
    const body = new FormData();
    body.append("_token", as.token);
    for (const [name, content] of Object.entries(files))
      body.append("files", new File([new Uint8Array(Buffer.from(content))], name));
    const answer = await send(path, { method: "POST", body, headers: as.headers });
    const html = await answer.text();
    const upload = /name="upload" value="([^"]+)"/.exec(html)?.[1] ?? "";
    const tally = /class="tally">(.*?)<\/p>/.exec(html)?.[1]?.replace(/<[^>]+>/g, "");
    return { status: answer.status, html, upload, tally };
  };
  const confirm = (upload: string, as = manager) => as.submit(`${path}/confirm`, { upload });
  const slugs = async () => (await posts.listPublished(db, { limit: 100 }, now())).posts.map(({ slug }) => slug).sort();
  const events = async () => await lookAt(db, "select action, details from audit_events where action like 'post.%'");
  return { ...service, manager, bring, confirm, slugs, events };
}

async function archive(files: Record<string, string>): Promise<Buffer> {
  async function* each() {
    for (const [name, text] of Object.entries(files)) yield { name, bytes: Buffer.from(text) };
  }
  return Buffer.concat(await Array.fromAsync(zip(each())));
}

describe("an import", () => {
  test("shows first what would happen, and then does it, once", async () => {
    const { db, now, bring, confirm, slugs, manager, events } = await desk();
    await posts.save(db, { slug: "known", title: "Known", published: true }, now());
    const files = { "new.md": post("New"), "known.mdx": post("Better"), "bad.md": "no front matter", "image.png": "x" };
    const { tally, html, upload } = await bring(files);
    expect(tally).toBe("1 new, 1 updated, 0 unchanged, 1 rejected");
    expect(html).toContain("it does not start with front matter");
    expect(await slugs()).toEqual(["known"]);

    expect((await confirm(upload)).headers.get("location")).toBe("/dashboard/posts");
    expect(await slugs()).toEqual(["known", "new"]);
    expect(await posts.bySlug(db, "known", now())).toMatchObject({ title: "Better", content: "Text" });
    expect(await (await manager.get("/dashboard")).text()).toContain("1 post added, 1 updated. 1 file skipped.");
    expect(await events()).toEqual([["post.import", '{"new":"1","changed":"1","same":"0","refused":"1"}']]);
    expect((await confirm(upload)).status).toBe(422);
  });

  test("accepts a ZIP archive, and skips files in it that are not posts", async () => {
    const { bring, confirm, slugs } = await desk();
    const files = {
      "a.mdx": post("A"),
      "__MACOSX/._a.mdx": "x",
      "b/index.md": post("B"),
      ".hidden.md": "x",
      "c.txt": "x",
    };
    const { tally, upload } = await bring({ "posts.zip": await archive(files) });
    expect(tally).toBe("2 new, 0 updated, 0 unchanged, 0 rejected");
    await confirm(upload);
    expect(await slugs()).toEqual(["a", "b"]);
  });

  test("of what was exported changes nothing, and says so", async () => {
    const { db, bring, manager, now } = await desk();
    for (const slug of ["a", "b"]) await posts.save(db, { slug, title: slug, content: "x\n", published: true }, now());
    const exported = Buffer.from(await (await manager.get("/dashboard/posts/export.zip")).arrayBuffer());
    const { tally, html } = await bring({ "posts.zip": exported });
    expect([tally, html.includes("Nothing to import")]).toEqual(["0 new, 0 updated, 2 unchanged, 0 rejected", true]);
  });

  test.each([
    ["nothing", {}, "Choose post files"],
    ["an empty file", { "a.md": "" }, "Choose post files"],
    ["other files", { "a.png": "x" }, "No .md or .mdx files found."],
    ["no archive", { "a.zip": "not an archive at all, but long enough" }, "This is not a ZIP archive."],
  ])("of %s says what is wrong, and does nothing", async (_, files, problem) => {
    const { bring } = await desk();
    const { status, html } = await bring(files as Record<string, string>);
    expect([status, html.includes(problem)]).toEqual([422, true]);
  });

  test("of an archive that is a bomb is refused", async () => {
    const { bring } = await desk();
    const bomb = await archive({ "bomb.md": post("x", `# ${"0".repeat(5_000_000)}\n`) });
    expect(bomb.length).toBeLessThan(50_000);
    expect(await bring({ "bomb.zip": bomb })).toMatchObject({
      ...{ status: 422, html: expect.stringContaining("bomb.md, or the archive as a whole, is too large") },
    });
  });

  test("of an archive that unpacks to more than twenty times its size, and to more than 1 MB, is refused", async () => {
    const { bring } = await desk();
    const half = post("x", `# ${"0".repeat(700_000)}\n`);
    const bomb = await archive({ "a.md": half, "b.md": half });
    expect(await bring({ "bomb.zip": bomb })).toMatchObject({
      ...{ status: 422, html: expect.stringContaining("b.md, or the archive as a whole, is too large.") },
    });
  });

  test("of an archive with a post of more than 4 MiB is refused, however little it is compressed", async () => {
    const { bring } = await desk();
    const digits = randomBytes(300_000).toString("hex").padEnd(4_200_000, "0");
    expect(await bring({ "posts.zip": await archive({ "long.md": post("x", `# ${digits}\n`) }) })).toMatchObject({
      ...{ status: 422, html: expect.stringContaining("long.md, or the archive as a whole, is too large") },
    });
  });

  test("of more than 16 MB is rejected, and so is any file from someone who is not signed in", async () => {
    const { bring, send } = await desk();
    expect((await bring({ "a.md": "x".repeat(17 * 2 ** 20) })).status).toBe(413);
    expect((await send(path, { method: "POST", body: "x".repeat(100_000) })).status).toBe(413);
  });

  test("is confirmed by who brought it, within the hour", async () => {
    const { bring, confirm, signIn, clock, slugs } = await desk();
    const other = await signIn({ email: "bo@example.com" });
    const { upload } = await bring({ "a.md": post("A") });
    expect((await confirm(upload, other)).status).toBe(422);
    clock.time += 3_600_001;
    expect((await confirm(upload)).status).toBe(422);
    expect(await slugs()).toEqual([]);
  });

  test("shows a hostile file name and title as text", async () => {
    const { bring } = await desk();
    const { html } = await bring({ [`<img src=x onerror=alert(1)>.md`]: post(`"<script>alert(1)</script>"`) });
    expect(html).not.toMatch(/<img|<script>alert/);
  });
});

describe("an export", () => {
  test("is an archive of all posts, drafts and scheduled ones too, and is noted", async () => {
    const { db, manager, now, events } = await desk();
    const later = new Date("2030-01-01T00:00:00Z");
    await posts.save(db, { slug: "live", title: "Live", published: true }, now());
    await posts.save(db, { slug: "draft", title: "Draft", published: false }, now());
    await posts.save(db, { slug: "later", title: "Later", published: true, publishedAt: later }, now());
    await posts.save(db, { slug: "thrown-away", title: "Trash", published: true }, now());
    await look(db, "update posts set deleted_at = 1 where slug = 'thrown-away'");
    const answer = await manager.get("/dashboard/posts/export.zip");
    expect(answer.headers.get("content-type")).toBe("application/zip");
    expect(answer.headers.get("content-disposition")).toBe('attachment; filename="posts-2026-11-21.zip"');
    const limits = { files: 10, each: 1_000, total: 10_000 };
    const names = [...unzip(Buffer.from(await answer.arrayBuffer()), limits, () => true)].map(({ name }) => name);
    expect(names).toEqual(["live.mdx", "draft.mdx", "later.mdx"]);
    expect(await events()).toEqual([["post.export", "{}"]]);
  });
});
