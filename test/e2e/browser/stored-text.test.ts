import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import * as apiKeys from "../../../db/access/keys/api-keys";
import * as postList from "../../../db/posts/list";
import * as posts from "../../../db/posts/posts";
import * as projects from "../../../db/projects/projects";
import * as settings from "../../support/settings";
import * as subscribers from "../../../db/newsletter/subscribers";
import { store } from "../../support/storage/stored-files";
import { scripts as payloads } from "../../security/markup";
import { fillDatabase } from "./fixtures";
import { openStage, type Stage } from "./stage";
import { look } from "../../support/look";
import { testTimeoutMs } from "../../support/within";

type Page = import("playwright-core").Page;

setDefaultTimeout(testTimeoutMs);

let stage: Stage;
let rooms: Record<string, string>;
let filePages: string[];
let nodePages: string[];
beforeAll(async () => {
  stage = await openStage();
  rooms = await fillDatabase(stage);
  await plant(stage);
  filePages = await plantFiles(stage);
  nodePages = await plantNodes(stage);
});
afterAll(() => stage.close());

/** Puts every payload into every field that a visitor, a client or a manager can fill. */
async function plant({ db, now, post, owner }: Stage) {
  for (const [i, evil] of payloads.entries()) {
    const text = evil.replace(/[\u0000-\u001f]/g, " ");
    const at = new Date(now().getTime() + i);
    await subscribers.subscribe(
      db,
      { email: `evil${i}@example.com`, name: text, source: text },
      { via: "form", userAgent: text },
      at,
    );
    await post("/api/contact", {
      name: text.slice(0, 100),
      email: `evil${i}@example.com`,
      message: `${text} and ten letters`,
      source: text.slice(0, 100),
    });
    await apiKeys.generate(db, { prefix: "site", name: `${text.slice(0, 50)} ${i}`, createdBy: text }, at);
    const written = {
      title: text,
      excerpt: text,
      content: text,
      tags: [text.slice(0, 60)],
      author: text,
      coverImage: text,
    };
    await posts.save(db, { slug: `evil-${i}`, ...written, published: true }, at);
    await posts.save(db, { slug: `evil-${i}`, ...written, content: `${text}\n${text}`, published: true }, at, {
      actor: text,
    });
    await projects.save(
      db,
      {
        ...{ slug: `evil-${i}`, title: text, description: text, status: "PUBLISHED", tech: [text], author: text },
        ...{ liveUrl: text, githubUrl: text, imageUrl: text }, // no form and no import accepts all of them
      },
      at,
    );
  }
  const evil = payloads[3] ?? "";
  for (const key of ["siteTitle", "name", "jobTitle", "github"])
    await settings.set(db, key, evil, { by: owner.manager.email }, now());
}

test(`${payloads.length} payloads in every stored field: none runs on any page`, async () => {
  expect(payloads.length).toBeGreaterThanOrEqual(150);
  const page = await (await stage.manager()).newPage();
  page.on("dialog", (dialog) => void dialog.dismiss());
  const pages = {
    ...rooms,
    "newsletter, page 2": "/dashboard/newsletter?page=2&per=100",
    "keys, sorted": "/dashboard/api-keys?sort=used",
    "all tags": "/dashboard/posts/tags?per=100",
  };
  for (const [name, path] of Object.entries(pages)) {
    const queries = [""];
    for (const query of queries) {
      await page.goto(path + query);
      // Only a list is another page when something is searched in it, or more of it is shown
      if (!path.includes("?") && !query && (await page.locator("#list").count()))
        queries.push("?per=100&q=evil", "?per=100&page=2");
      await page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)");
      expect([name, await harm(page)]).toEqual([name, none]);
    }
  }
  const singles = [
    ...(await messageLinks(page)),
    ...(await postLinks(stage)),
    ...(await projectLinks(stage)),
    ...filePages,
    ...nodePages,
  ];
  for (const row of singles) {
    const answer = await page.goto(row);
    expect([row, answer?.status(), await harm(page)]).toEqual([row, 200, none]);
  }
  expect(stage.complaints).toEqual([]);
});

test("files of posts with payloads as names and titles are reported, and run nothing", async () => {
  const page = await stage.open("/dashboard/posts/import");
  const files = payloads.map((evil, i) => ({
    name: `${evil.replaceAll("/", "∕")}${i}.mdx`,
    mimeType: "text/markdown",
    buffer: Buffer.from(
      `---\ntitle: ${JSON.stringify(evil)}\n${i % 2 ? `slug: new-${i}` : `date: ${evil}`}\n---\n${evil}\n`,
    ),
  }));
  await page.locator("input[type=file]").setInputFiles(files);
  await page.locator("main form button[type=submit]").click();
  await page.getByRole("heading", { name: "Review before importing" }).waitFor();
  expect(await page.locator("main").innerText()).toContain("<script>");
  expect([await harm(page), stage.complaints]).toEqual([none, []]);
});

/** What a payload did, or would do if someone followed a link. */
const harm = (page: Page) =>
  page.evaluate(`({ hit: window.hit ?? null, links: [...document.querySelectorAll("[href], [action], [formaction]")]
    .flatMap((one) => [one.href, one.action, one.formAction])
    .filter((url) => typeof url === "string" && /^(javascript|data|vbscript):/i.test(url)) })`);
const none = { hit: null, links: [] };

/** Nodes whose responses put payloads where a health check reads a code; disabled, so that nothing is sent to them. */
async function plantNodes({ db }: Stage): Promise<string[]> {
  const add = `insert into storage_nodes
    (id, name, endpoint, public_endpoint, region, bucket, access_key, secret, state, capacity_bytes, max_put_bytes,
     check_error, probe, checked_at, created_at)
    values (?1, ?2, ?3, ?3, ?4, ?4, '', '', 'down', 1, 1, ?4, ?5, 0, 0)`;
  for (const [i, text] of payloads.entries()) {
    const checks = ["bucket", "put", "length", "clock", "milliseconds", `cors ${text}`, text];
    const probe = Object.fromEntries(checks.slice(i % 2).map((check) => [check, text]));
    const values = [`evil-node-${i}`, `${text} ${i}`, `https://node${i}.example`, text, JSON.stringify(probe)];
    await look(db, add, values);
  }
  const some = payloads.map((_, i) => i).filter((i) => i % 6 === 0 || i % 6 === 5);
  return some.map((i) => `/dashboard/storage/nodes/evil-node-${i}`);
}

/** The forms and dialogs of some projects. */
const projectLinks = async ({ db }: Stage): Promise<string[]> =>
  (await look<{ id: string }>(db, "select id from projects where slug like 'evil-%' order by id limit 12")).flatMap(
    ({ id }) => ["", "/move"].map((to) => `/dashboard/projects/${id}${to}`),
  );

/** A text made of every payload, stored once and listed under each of them as its name, in folders named by some. */
async function plantFiles(stage: Stage) {
  const { db } = stage;
  const [id = ""] = await store(stage, { filename: "evil.txt", mimeType: "text/html", body: payloads.join("\n") });
  const copy = `insert into uploads
    (id, node_id, folder_id, object_key, filename, folded, mime_type, size, state, next_check_at, hold_until, created_at, deleted_at, purge_at)
    select ?1, node_id, folder_id, ?1, ?2, 'evil', ?6, size, ?3, 0, 0, created_at, ?4, ?4 from uploads where id = ?5`;
  const folder = "insert into folders (id, path, created_at) values (?1, ?2, 0)";
  for (const [i, text] of payloads.entries()) {
    await look(db, copy, [
      `evil-${i}`,
      text,
      i % 3 ? "completed" : "open",
      i % 3 === 2 ? stage.clock.time + 1e9 : null,
      id,
      i % 2 ? text : "image/png",
    ]);
    if (i % 10 === 0) await look(db, folder, [`evil-${i}`, text.replaceAll("/", "∕")]);
  }
  return [id, "evil-1", "evil-4"].flatMap((each) =>
    ["", "/rename", "/move", "/link"].map((to) => `/dashboard/storage/files/${each}${to}`),
  );
}

/** Editors, revisions and dialogs of some posts. */
async function postLinks({ db, now }: Stage): Promise<string[]> {
  const { rows } = await postList.list(db, { filter: { q: "script" }, sort: "title" }, { page: 1, per: 12 }, now());
  expect(rows).toHaveLength(12);
  return rows.flatMap(({ id }) =>
    ["", "/revisions", "/publish", "/unpublish"].map((to) => `/dashboard/posts/${id}${to}`),
  );
}

/** The pages of some messages and people, which show the whole text. */
async function messageLinks(page: Page) {
  const links: string[] = [];
  for (const list of ["/dashboard/contact", "/dashboard/newsletter", "/dashboard/outbox"]) {
    await page.goto(list);
    const here = (await page.evaluate(
      `[...document.querySelectorAll("#list a[href^='${list}/']")].map(a => a.getAttribute("href"))`,
    )) as string[];
    links.push(...[...new Set(here)].filter((href) => !href.endsWith("/delete")).slice(0, 20));
  }
  return links;
}
