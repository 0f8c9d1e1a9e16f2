import { expect } from "bun:test";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Db } from "../../db/engine/open";
import { confirmedBroadcast } from "./broadcasts/archive";
import { look } from "./look";
import { freePort, postroom, postroomKilled, startService } from "./processes";

type Env = Record<string, string>;

/** The same secret, address and storage for the old installation and the new one, so that their answers can be equal. */
export function twoInstallations() {
  const port = freePort();
  const env: Env = { APP_SECRET: "a-secret-of-at-least-32-characters", BLOG_URL: "https://blog.example" };
  return (dataDir: string, own: Env = {}) => ({
    run: (...args: string[]) => postroom(dataDir, args, { ...env, ...own }),
    killed: (ms: number, ...args: string[]) => postroomKilled(ms, dataDir, args, { ...env, ...own }),
    start: () => startService(dataDir, { ...env, ...own }, port),
  });
}
export type Installation = ReturnType<ReturnType<typeof twoInstallations>>;

const files = [
  {
    filename: "lamp.svg",
    folderPath: "",
    body: "<svg xmlns='http://www.w3.org/2000/svg'/>",
    mimeType: "image/svg+xml",
  },
  { filename: "Tide tables: 1893?.txt", folderPath: "notes/tides", body: "high water 06:12", mimeType: "text/plain" },
  { filename: "empty.txt", folderPath: "notes", body: "", mimeType: "text/plain" },
];

/**
 * Puts something into everything that an export has: sample content, files in folders, one of which a post shows, a
 * post with a previous address, a broadcast in the archive, someone who was erased, a webhook.
 */
export async function furnish(installation: Installation, open: () => Promise<Db>, folder: string): Promise<void> {
  const { run, start } = installation;
  expect(await run("demo")).toMatchObject({ code: 0 });
  const key = (await run("keys", "create", "uploads")).out.trim();
  const service = await start();
  const ids = [];
  for (const file of files) ids.push(await upload(service.url, key, file));
  await service.end();
  const posts = join(folder, "posts");
  mkdirSync(posts);
  await Bun.write(join(posts, "lit.mdx"), `---\ntitle: Lit\n---\n![Lamp](/media/${ids[0]}/lamp.svg)\n`);
  expect(await run("import", "posts", posts)).toMatchObject({ code: 0 });
  expect(await run("people", "erase", "someone@example.com", "--yes")).toMatchObject({ code: 0 });
  const db = await open();
  await confirmedBroadcast(db, new Date("2026-11-20T12:00:00Z"));
  await look(
    db,
    "insert into post_slugs (slug, post_id, created_at) select 'formerly', id, created_at from posts where slug = 'lit'",
  );
  await look(
    db,
    "insert into webhook_endpoints (id, name, url, events, with_people, secret, created_by, created_at) values ('hook', 'Site', 'https://hook.example', '[]', 0, 'sealed', 'ada@example.com', 1)",
  );
  await furnishRest(db);
  await db.close();
}

/** A row of every table that is still empty. Tests fail for a new one that has none: it would not be known to leave. */
async function furnishRest(db: Db): Promise<void> {
  const [post, project, setting] = [
    "select min(id) from posts",
    "select min(id) from projects",
    "select min(key) from settings",
  ];
  const person = "select min(row) from subscribers";
  const broadcast = "select max(row) from broadcasts";
  const lamp = "select id from uploads where filename = 'lamp.svg'";
  const times = "1700000000000, 1700000000000";
  for (const statement of [
    "update uploads set focal_x = 20, focal_y = 80 where filename = 'lamp.svg'",
    "insert into audience_tags (row, name, folded, used_at) values (9007, 'Leaving', 'leaving', 1700000000000)",
    `insert into subscriber_tags (tag_row, subscriber_row) select 9007, row from subscribers limit 3`,
    "insert into topics (row, id, slug, name, folded, position, created_at) values (9004, 'topic', 'leaving', 'Leaving', 'leaving', 91, 1)",
    `insert into subscriber_topics (topic_row, subscriber_row, chosen) values (9004, (${person}), 1)`,
    "insert into subscriber_fields (row, id, key, name, type, position, created_at) values (9002, 'field', 'leaving', 'Leaving', 'number', 91, 1)",
    `insert into field_values (subscriber_row, field_row, number) values ((${person}), 9002, 3.5)`,
    `insert into segments (id, name, folded, definition, created_by, created_at, updated_at) values ('segment', 'Leaving', 'leaving', '{"all":[]}', 'ada@example.com', ${times})`,
    `insert into snippets (id, name, text, created_at, updated_at) values ('snippet', 'Leaving', 'Thank you.', ${times})`,
    "insert into message_entries (id, message_id, kind, author, text, created_at) values ('entry', (select min(id) from messages), 'note', 'ada@example.com', 'Call her.', 1)",
    `insert into sequences (row, id, name, folded, trigger, tag_row, topic_row, state, created_by, created_at, updated_at) values (9003, 'sequence', 'Leaving', 'leaving', 'tag', 9007, 9004, 'on', 'ada@example.com', ${times})`,
    `insert into sequence_steps (row, sequence_row, edition, position, number, wait_hours, broadcast_row) values (9005, 9003, 0, 1, 1, 24, (${broadcast}))`,
    `insert into sequence_people (sequence_row, subscriber_row, step_row, due_at, entered_at) values (9003, (${person}), 9005, 1700000000000, 1)`,
    `insert into post_rules (row, id, position, becomes, topic_row, created_by, created_at, updated_at) values (9006, 'rule', 91, 'send', 9004, 'ada@example.com', ${times})`,
    "insert into digests (rule_row, week, state, version, due_at, created_at) values (9006, '2026-W01', 'done', 1, 1, 1)",
    `insert into post_mailings (post_id, rule_row, becomes, state, due_at, created_at) select (${post}), 9006, 'send', 'waiting', 1, 1 where not exists (select 1 from post_mailings)`,
    `insert into post_revisions (id, post_id, kind, version, fields, saved_by, saved_at, content) values ('revision', (${post}), 'saved', 1, '{}', 'ada@example.com', 1, 'Before')`,
    `insert into broadcast_batches (row, broadcast_row, first_recipient, last_recipient, count, state, next_attempt_at, created_at) values (9008, (${broadcast}), 1, 1, 1, 'accepted', 1, 1)`,
    `insert into broadcast_recipients (broadcast_row, subscriber_row, batch_row, state, accepted_at) values ((${broadcast}), (${person}), 9008, 2, 1)`,
    `insert into broadcast_files (file_id, broadcast_row) values ((${lamp}), (${broadcast}))`,
    `insert into project_files (file_id, project_id) values ((${lamp}), (${project}))`,
    `insert into setting_files (file_id, setting_key) values ((${lamp}), (${setting}))`,
    "insert into provider_events (id, type, at, received_at) values ('event', 'email.delivered', unixepoch() * 1000, unixepoch() * 1000)",
    "insert into access_rules (name, since) values ('two-factor', 1)",
  ])
    await look(db, statement);
}

export async function upload(url: string, key: string, { body, ...file }: (typeof files)[number]): Promise<string> {
  const headers = { "x-api-key": key, "content-type": "application/json" };
  const request = JSON.stringify({ ...file, size: body.length });
  const reserve = () => fetch(`${url}/api/v1/storage/upload`, { method: "POST", headers, body: request });
  let reserved = await reserve();
  for (; reserved.status === 429; reserved = await reserve())
    await Bun.sleep(1_000 * Number(reserved.headers.get("retry-after"))); // a machine that is fast reaches the limit
  const { data } = (await reserved.json()) as { data: { uploadUrl: string; _meta: { reservationId: string } } };
  expect((await fetch(data.uploadUrl, { method: "PUT", body })).status).toBe(200);
  const { reservationId: id } = data._meta;
  const completed = await fetch(`${url}/api/v1/storage/uploads/${id}/complete`, { method: "POST", headers }); // at once, not when it is looked for
  expect(completed.status).toBe(200);
  const isStored = async () => (await fetch(`${url}/api/v1/storage/files/${id}`, { headers })).ok;
  while (!(await isStored())) await Bun.sleep(100);
  return id;
}

/** What is asked of a documented path, if not the path itself; nothing if it does not answer with content. */
const asked: Record<string, ((facts: Facts) => string[]) | undefined> = {
  "/api/newsletter/unsubscribe": undefined, // links in emails, which change something
  "/api/newsletter/leave": undefined,
  "/api/newsletter/subscribe-again": undefined,
  "/api/newsletter/confirm": undefined,
  "/api/projects/{slug}/visit": undefined, // counts a click
  "/healthz": undefined, // what runs, not what is in it
  "/readyz": undefined,
  "/metrics": undefined,
  "/openapi.json": undefined,
  "/docs": undefined,
  "/docs.md": undefined,
  "/docs/search": undefined,
  "/docs/{page}": undefined,
  "/llms.txt": undefined,
  "/api/posts/{slug}": ({ posts }) => [...posts, "formerly", "nothing"].map((slug) => `/api/posts/${slug}`),
  "/media/{id}/{filename}": ({ files }) =>
    files.map(({ id, filename }) => `/media/${id}/${encodeURIComponent(filename)}`),
  "/api/v1/posts": () =>
    ["", "?limit=3", "?q=sqlite", "?tag=notes&limit=2", "?q=nothing-at-all"].map((query) => `/api/v1/posts${query}`),
  "/api/v1/projects": () => ["", "?featured=true", "?limit=2"].map((query) => `/api/v1/projects${query}`),
  "/api/v1/projects/{slug}": ({ projects }) => [...projects, "nothing"].map((slug) => `/api/v1/projects/${slug}`),
  "/api/v1/newsletter/broadcasts/{slug}": () => ["/api/v1/newsletter/broadcasts/rain-gauges"],
  "/api/v1/storage/uploads/{id}": ({ files }) => files.map(({ id }) => `/api/v1/storage/uploads/${id}`),
  "/api/v1/storage/files": () =>
    ["", "?folderPath=notes", "?folderPath=notes/tides"].map((query) => `/api/v1/storage/files${query}`),
  "/api/v1/storage/files/{id}": ({ files }) => files.map(({ id }) => `/api/v1/storage/files/${id}`),
  "/api/v1/storage/files/{id}/download": ({ files }) => files.map(({ id }) => `/api/v1/storage/files/${id}/download`),
  "/api/v1/subscribers": () => ["", "?limit=2&count=true", "?q=ada"].map((query) => `/api/v1/subscribers${query}`),
  "/api/v1/subscribers/{id}": ({ subscribers }) => subscribers.map(({ id }) => `/api/v1/subscribers/${id}`),
  "/sitemap-{page}": () => ["/sitemap-1.xml"],
  "/api/posts/{slug}/preview-events": () => ["/api/posts/nothing/preview-events?preview=none"], // a stream without an end
  "/newsletter/{slug}": () => ["/newsletter/rain-gauges"],
};

type Slugs = { slug: string }[];
type Lists = { posts: Slugs; projects: Slugs } & Pick<Facts, "files" | "subscribers">;
type Facts = {
  posts: string[];
  projects: string[];
  files: { id: string; filename: string }[];
  subscribers: { id: string }[];
};

const readerScopes = "content:read,settings:read,files:read,files:write,newsletter:read";

/** What every keyed and public GET answers, by its path. */
export async function answersOf({ run, start }: Installation): Promise<Record<string, unknown>> {
  const service = await start();
  const key = (await run("keys", "create", "reader", `--scopes=${readerScopes}`)).out.trim();
  const get = (path: string) =>
    fetch(service.url + path, { headers: { "x-api-key": key, "sec-purpose": "prefetch" }, redirect: "manual" });
  const read = async (path: string) => ((await (await get(path)).json()) as { data: Lists }).data;
  const { paths } = (await (await get("/openapi.json")).json()) as { paths: Record<string, { get?: object }> };
  const gets = Object.keys(paths).filter((path) => paths[path]?.get);
  expect(gets.filter((path) => path.includes("{") && !(path in asked))).toEqual([]); // a new endpoint is asked, too
  expect(Object.keys(asked).filter((path) => !gets.includes(path))).toEqual([]);
  const facts: Facts = {
    posts: (await read("/api/v1/posts?limit=100")).posts.map(({ slug }) => slug),
    projects: (await read("/api/v1/projects?limit=100")).projects.map(({ slug }) => slug),
    files: [],
    subscribers: (await read("/api/v1/subscribers?limit=3")).subscribers,
  };
  for (const folder of ["", "notes", "notes/tides"])
    facts.files.push(...(await read(`/api/v1/storage/files?folderPath=${folder}`)).files);
  expect([facts.posts.length, facts.projects.length, facts.files.length]).toEqual([11, 5, 4]);
  const answers: Record<string, unknown> = {};
  for (const path of gets.flatMap((path) => (path in asked ? (asked[path]?.(facts) ?? []) : [path])))
    answers[path] = await describe(await get(path), service.url);
  await service.end();
  return answers;
}

const compared = ["content-type", "cache-control", "etag", "last-modified", "location", "x-total-count", "link"];

/** An answer without what is of one installation: forms, and the URLs at which a node has a file. */
async function describe(response: Response, url: string) {
  const headers = Object.fromEntries(compared.map((name) => [name, response.headers.get(name)]));
  const text = (await response.text()).replace(/name="(token|at)" value="[^"]*"/g, "");
  const withoutNodes = (words: string | null) => words?.replace(/http:\/\/[\w.:]+\/uploads\/[^"\s]*/g, "…") ?? null;
  const location = withoutNodes(headers.location ?? null);
  const etag = text.includes("http") && /expire/i.test(text) ? null : (headers.etag ?? null);
  return { status: response.status, ...headers, location, etag, text: withoutNodes(text)?.replaceAll(url, "") };
}

/** The files of an export, by their names, without what says that there was one. */
export function exportedFiles(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !["manifest.json", "audit_events.jsonl", "keys.csv"].includes(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(names.map((name) => [name.slice(folder.length), readFileSync(name, "base64")]));
}
