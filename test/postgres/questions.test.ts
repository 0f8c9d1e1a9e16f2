import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import * as submissions from "../../db/contact/submissions";
import * as messageList from "../../db/contact/list";
import type { Db } from "../../db/engine/open";
import { openSqlite } from "../../db/engine/sqlite/open";
import * as newsletter from "../../db/newsletter/list";
import * as subscribers from "../../db/newsletter/subscribers";
import { copyDatabase } from "../../db/ops/copy/copy";
import { postgresSide } from "../../db/ops/copy/postgres";
import { sqliteSide } from "../../db/ops/copy/sqlite";
import { migrate } from "../../db/ops/migrate";
import * as postsList from "../../db/posts/list";
import * as posts from "../../db/posts/posts";
import * as tags from "../../db/posts/tags";
import * as projectList from "../../db/projects/list";
import * as projects from "../../db/projects/projects";
import { administer, open, urlOf } from "../support/postgres/databases";
import { temporaryFolder } from "../support/processes";
import { testTimeoutMs } from "../support/within";

setDefaultTimeout(testTimeoutMs);

const server = process.env.TEST_DATABASE_URL ?? "";
const name = `questions_${process.pid}`;
const folder = temporaryFolder();
const start = new Date("2026-11-22T12:00:00Z").getTime();
const now = new Date(start);
const questions = 500;

/** The same numbers in every run. */
let state = 42;
const random = (below: number) => (state = (state * 48_271) % 2_147_483_647) % below;
const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;
const maybe = <T>(value: T): T | undefined => (random(2) ? value : undefined);

const words = [
  "Straße",
  "STRASSE",
  "ΟΔΌΣ",
  "οδός",
  "日本語",
  "東京",
  "İstanbul",
  "naïve",
  "100%",
  "a_b",
  "it's",
  'say "hi"',
  "back\\slash",
  "quiet",
  "Quiet",
  "tide",
  "ledger",
  "é",
  "🦊",
  "x",
];
const text = (count: number) => Array.from({ length: count }, () => pick(words)).join(" ");
const pieces = () => {
  const [word] = [...pick(words)].length > 2 && random(2) ? [[...pick(words)].slice(0, 3).join("")] : [pick(words)];
  return word ?? "x";
};

async function fill(db: Db) {
  for (let n = 0; n < 150; n++) {
    const publishedAt = random(9) ? new Date(start + (random(400) - 380) * 3_600_000) : undefined;
    const post = {
      slug: `p-${n}`,
      title: text(1 + random(3)),
      content: text(random(40)),
      excerpt: text(random(4)),
      author: pick(words),
    };
    await posts.save(
      db,
      { ...post, tags: [pick(words), pick(words)], published: random(5) > 0, ...(publishedAt && { publishedAt }) },
      now,
    );
  }
  for (let n = 0; n < 300; n++) {
    const person = {
      email: `${pick(["ada", "Bob", "çelik", "o'hara"])}${n}@example.com`,
      name: text(random(3)),
      source: pick(["blog", "Fair", "é"]),
    };
    const at = new Date(start - random(20) * 86_400_000);
    await subscribers.subscribe(db, person, { via: "form" }, at, { welcome: false });
    if (!random(4)) await subscribers.unsubscribe(db, person.email, { via: "link" }, now);
  }
  for (let n = 0; n < 120; n++)
    await submissions.submit(
      db,
      { name: text(1), email: `m${n}@example.com`, message: text(1 + random(20)), source: pick(["blog", "site"]) },
      random(6) ? {} : { spamReason: "hidden field" },
      new Date(start - random(30) * 3_600_000),
    );
  for (let n = 0; n < 20; n++)
    await projects.save(
      db,
      {
        slug: `r-${n}`,
        title: text(2),
        description: text(5),
        status: pick(["PUBLISHED", "DRAFT", "ARCHIVED"]),
        displayOrder: random(5),
        featured: random(2) > 0,
      } as never,
      now,
    );
}

let [sqlite, postgres]: Db[] = [];
beforeAll(async () => {
  const file = join(folder.path, "postroom.sqlite");
  const filled = await openSqlite(file, (database) => migrate(database));
  await fill(filled);
  await filled.close();
  await administer(server, `create database ${name}`);
  await (await open(urlOf(server, name))).close();
  const [from, to] = [sqliteSide(file), await postgresSide(urlOf(server, name))];
  await copyDatabase(from, to, () => {}).finally(() => Promise.all([from.close(), to.close()]));
  sqlite = await openSqlite(file, (database) => migrate(database));
  postgres = await open(urlOf(server, name));
});
afterAll(async () => {
  await Promise.all([sqlite?.close(), postgres?.close()]);
  await administer(server, `drop database ${name} with (force)`);
  folder[Symbol.dispose]();
});

type Question = { of: string; given: unknown; ask: (db: Db) => Promise<unknown> };
const request = () => ({ page: 1 + random(4), per: pick([25, 50]) });

const kinds: (() => Question)[] = [
  () => {
    const given = { q: maybe(pieces()), tag: random(4) ? undefined : "quiet", limit: 1 + random(30) };
    return { of: "published posts", given, ask: (db) => posts.listPublished(db, given as never, now) };
  },
  () => {
    const filter = {
      q: maybe(pieces()),
      status: random(3) ? undefined : pick(["draft", "published", "scheduled", "trash"]),
    };
    const [sort, page] = [pick(["-published", "published", "title", "-title", "-views", "views"]), request()];
    return {
      of: "posts",
      given: { filter, sort, page },
      ask: (db) => postsList.list(db, { filter: filter as never, sort: sort as never }, page, now),
    };
  },
  () => {
    const filter = {
      q: maybe(pieces()),
      state: maybe(pick(["active", "unsubscribed"])),
      source: maybe(pick(["blog", "é"])),
    };
    const [sort, page] = [pick(["joined", "-joined", "email", "-email"]), request()];
    return {
      of: "subscribers",
      given: { filter, sort, page },
      ask: (db) => newsletter.list(db, filter as never, sort as never, page),
    };
  },
  () => {
    const filter = { box: pick(["inbox", "spam", "archived", "trash"]), q: maybe(pieces()), source: maybe("blog") };
    const page = request();
    return { of: "messages", given: { filter, page }, ask: (db) => messageList.list(db, filter as never, page) };
  },
  () => {
    const filter = { q: maybe(pieces()), status: maybe(pick(["PUBLISHED", "DRAFT"])) };
    const page = request();
    return { of: "projects", given: { filter, page }, ask: (db) => projectList.list(db, filter as never, page) };
  },
  () => {
    const [q, sort, page] = [maybe(pieces()) ?? "", pick(["name", "-name", "posts", "-posts"] as const), request()];
    return { of: "tags", given: { q, sort, page }, ask: (db) => tags.list(db, q, sort, page) };
  },
];

test(`both engines give the same answers, in the same order, to ${questions} random questions`, async () => {
  if (!sqlite || !postgres) throw new Error("The databases were not opened");
  const different: unknown[] = [];
  const found = new Map<string, number>();
  for (let n = 0; n < questions; n++) {
    const { of, given, ask } = pick(kinds)();
    const [here, there] = [await ask(sqlite), await ask(postgres)].map((answer) => JSON.stringify(answer));
    if (here !== there) different.push({ of, given, here: here?.slice(0, 400), there: there?.slice(0, 400) });
    if ((here?.length ?? 0) > 200) found.set(of, (found.get(of) ?? 0) + 1);
  }
  expect(different.slice(0, 3)).toEqual([]);
  expect(found.size).toBe(kinds.length); // each kind of query found something
});
