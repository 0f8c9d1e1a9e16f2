/**
 * `bun test/security/injection.ts [count]` (figure S2): hostile texts in every search field of the dashboard and every
 * parameter of its lists. Results are compared with a reference in memory.
 */
import { fold } from "../../db/lib/fold";
import * as submissions from "../../db/contact/submissions";
import * as posts from "../../db/posts/posts";
import * as projects from "../../db/projects/projects";
import { slugOf } from "../../db/lib/text";
import * as subscribers from "../../db/newsletter/subscribers";
import { Filename } from "../../src/storage/uploads/file-input";
import { store } from "../support/storage/stored-files";
import { testService } from "../support/service";
import { payloads } from "./payloads";
import { isOnPostgres, look } from "../support/look";

/** A row of a list: `email`, `name` or `id` tells it from the others; `text`, `file` and `tag` are hostile. */
type Row = { id: string; email: string; name: string; text: string; file: string; tag: string };
type Search = { path: string; mark: (row: Row) => string; isFound: (row: Row, wanted: string) => boolean };

/** Returns how many requests were made, and every response that was a failure or differs from the reference. */
export async function injectEverywhere(count: number) {
  const service = await testService();
  const rows = await fill(service);
  const { get } = await service.signIn();
  const wrong: string[] = [];
  let asked = 0;

  const look = async (path: string) => {
    const answer = await get(path);
    asked++;
    if (answer.status !== 200) wrong.push(`${path}: ${answer.status}`);
    return answer.text();
  };

  for (const payload of payloads(count)) {
    const text = encodeURIComponent(payload.toWellFormed());
    for (const { path, mark, isFound } of searches) {
      const page = await look(`${path}?per=100&q=${text}`);
      const wanted = payload.trim();
      const isAsked = wanted !== "" && wanted.length <= 200; // what is too long for the box is no filter
      const found = rows.filter((row) => page.includes(mark(row)));
      const expected = rows.filter((row) => !isAsked || isFound(row, wanted));
      if (found.length !== expected.length || found.some((row, i) => row !== expected[i]))
        wrong.push(`${path} ${JSON.stringify(payload)}: ${found.map(mark)} not ${expected.map(mark)}`);
    }
    for (const [path, names] of Object.entries(parameters))
      await look(`${path}?${names.map((n) => `${n}=${text}`).join("&")}`);
  }
  const faults = service.logged.filter(({ level }) => level === "error");
  return { asked, wrong: [...wrong, ...faults.map((line) => JSON.stringify(line))] };
}

/** PostgreSQL does not store it. */
const withoutNul = (text: string) => (isOnPostgres ? text.replaceAll("\0", "") : text);

/** As many of everything as fit on one page; each holds hostile text of its own. */
async function fill(service: Awaited<ReturnType<typeof testService>>): Promise<Row[]> {
  const { db, now } = service;
  const rows = payloads(80)
    .map(withoutNul)
    .map((text, i) => ({
      id: `hostile-${i}`,
      email: `p${i}@example.com`,
      name: `Person number ${i}.`,
      text: `${text} ${i}`,
      file: Filename.safeParse(`${text} ${i}`).data ?? `file ${i}`,
      tag: slugOf(`${text} ${i}`),
    }));
  const [stored = ""] = await store(service, { filename: "another.png", mimeType: "image/png" });
  const copy = `insert into uploads
    (id, node_id, folder_id, object_key, filename, folded, mime_type, size, state, next_check_at, hold_until, created_at)
    select ?1, node_id, folder_id, ?1, ?2, ?3, mime_type, size, state, 0, 0, created_at from uploads where id = ?4`;
  for (const { id, email, name, text, file } of rows) {
    await subscribers.subscribe(db, { email, name: text }, { via: "form" }, now());
    await submissions.submit(db, { email, name, message: text, source: "landing" }, {}, now());
    await posts.save(db, { slug: id, title: name, content: text, tags: [text], published: true }, now());
    await projects.save(db, { slug: id, title: name, description: text }, now());
    await look(db, copy, [id, file, fold(file), stored]);
    // Half of the subscribers are in the search index, the others wait for it
    if (id === "hostile-40" && !isOnPostgres)
      await look(db, "insert into subscribers_search (rowid, folded) select row, folded from subscribers");
  }
  return rows;
}

/** Literally, whatever the case. */
const within = (wanted: string, ...fields: string[]) => fields.some((field) => fold(field).includes(fold(wanted)));

const searches: Search[] = [
  {
    path: "/dashboard/newsletter",
    mark: ({ email }) => email,
    isFound: ({ email, text }, wanted) =>
      [...fold(wanted)].length < 3 ? email.startsWith(fold(wanted)) : within(wanted, email, text),
  },
  {
    path: "/dashboard/contact",
    mark: ({ name }) => name,
    isFound: ({ email, name, text }, wanted) => within(wanted, email, name, text),
  },
  { path: "/dashboard/outbox", mark: ({ email }) => email, isFound: ({ email }, wanted) => within(wanted, email) },
  {
    path: "/dashboard/posts",
    mark: ({ name }) => name,
    isFound: ({ name, text }, wanted) => within(wanted, name, text),
  },
  {
    path: "/dashboard/projects",
    mark: ({ name }) => name,
    isFound: ({ id, name, text }, wanted) => within(wanted, id, name, text),
  },
  {
    path: "/dashboard/posts/tags",
    mark: ({ tag }) => `href="/dashboard/posts?tag=${encodeURIComponent(tag)}"`,
    isFound: ({ text, tag }, wanted) =>
      text.toLowerCase().replaceAll("ß", "ss").includes(fold(wanted)) ||
      (slugOf(wanted) !== "" && tag.includes(slugOf(wanted))),
  },
  {
    path: "/dashboard/storage",
    mark: ({ id }) => `href="/dashboard/storage/files/${id}"`,
    isFound: ({ file }, wanted) => within(wanted, file),
  },
];

/** What the lists read from their URLs, besides the search. */
const parameters: Record<string, string[]> = {
  "/dashboard/newsletter": ["status", "source", "sort", "page", "per", "__proto__", "q"],
  "/dashboard/contact": ["box", "source", "page", "per", "q"],
  "/dashboard/outbox": ["kind", "state", "page", "per", "q"],
  "/dashboard/audit": ["actor", "action", "from", "to", "page", "q"],
  "/dashboard/api-keys": ["status", "sort", "page", "q"],
  "/dashboard/posts": ["status", "tag", "sort", "page", "per", "q"],
  "/dashboard/posts/tags": ["sort", "page", "per", "q"],
  "/dashboard/posts/pictures": ["for", "q"],
  "/dashboard/projects": ["status", "page", "per", "q"],
  "/dashboard/storage": ["folder", "where", "kind", "sort", "page", "per", "q"],
  "/dashboard/storage/trash": ["page", "per", "q"],
  "/dashboard/storage/uploads": ["view", "page", "per"],
};

if (import.meta.main) {
  const { asked, wrong } = await injectEverywhere(Number(Bun.argv[2] ?? 5_000));
  console.log(wrong.slice(0, 20).join("\n"));
  console.log(`${wrong.length ? "NOT OK" : "ok"}: ${asked} requests, ${wrong.length} wrong`);
  process.exitCode = wrong.length ? 1 : 0;
}
