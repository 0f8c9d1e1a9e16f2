import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Db } from "../engine/open";
import { openDb } from "../open";
import { authenticate } from "../access/keys/api-keys";
import { bitOf, scopes } from "../schema/scopes";
import { growthSince } from "../newsletter/counts";
import * as fileList from "../storage/files-list";
import * as folders from "../storage/folders";
import * as postList from "../posts/list";
import * as storageNodes from "../storage/nodes/nodes";
import * as subscriberList from "../newsletter/list";
import * as subscribers from "../newsletter/subscribers";
import * as tags from "../posts/tags";
import * as uploads from "../storage/uploads";
import { sqliteOf } from "../../test/support/look";
import { uploadOf } from "../../test/support/storage/upload-rows";

// A database as the first release wrote it: its migration, and rows with the columns of that time.

const folder = mkdtempSync(join(tmpdir(), "postroom-upgrade-"));
const path = join(folder, "postroom.sqlite");
const now = new Date("2026-11-21T12:00:00Z");
const at = now.getTime();
let db: Db;

/** The schema of the first release, recorded as that release did. */
function install(sqlite: Database): void {
  const [first] = readMigrationFiles({ migrationsFolder: join(import.meta.dir, "../migrations") });
  if (!first) throw new Error("There are no migrations");
  for (const statement of first.sql) sqlite.run(statement);
  sqlite.run(
    "CREATE TABLE __drizzle_migrations (id INTEGER PRIMARY KEY, hash TEXT NOT NULL, created_at INTEGER NOT NULL) STRICT",
  );
  sqlite.run("INSERT INTO __drizzle_migrations (hash, created_at) VALUES (?, ?)", [first.hash, first.folderMillis]);
}

const postsOfThen = [
  ["draft", 0, null],
  ["released", 1, null],
  ["other", 1, null],
  ["gone", 1, at],
] as const;
const filesOfThen = [
  ["f1", "ÉTÉ à Åre.txt", "completed"],
  ["f2", "Straße.txt", "completed"],
  ["f3", "plain.TXT", "completed"],
  ["f4", "on-its-way.bin", "open"],
] as const;
const invitationsOfThen = [
  ["owner's", "olive@example.com"],
  ["demoted's", "dan@example.com"],
  ["removed's", "gone@example.com"],
  ["line's", "cli"],
] as const;

function write(sqlite: Database): void {
  const post = sqlite.query(
    `INSERT INTO posts (id, slug, title, published, published_at, deleted_at, created_at, updated_at, folded, content)
     VALUES ($slug, $slug, $slug, $published, ${at}, $deletedAt, ${at}, ${at}, $slug, 'text')`,
  );
  for (const [slug, published, deletedAt] of postsOfThen) post.run({ slug, published, deletedAt });
  sqlite.run("INSERT INTO tags (slug, name) VALUES ('news', 'News'), ('lonely', 'Lonely')");
  const tagged = sqlite.query("INSERT INTO post_tags (post_id, tag_slug, position) VALUES (?, 'news', 0)");
  for (const [slug] of postsOfThen) tagged.run(slug);

  sqlite.run(`INSERT INTO storage_nodes (id, name, endpoint, public_endpoint, region, bucket, access_key, secret,
    capacity_bytes, used_bytes, reserved_bytes, max_put_bytes, created_at)
    VALUES ('n', 'default', 'http://s3', 'http://s3', 'r', 'b', 'k', 's', 1000, 30, 10, 1000, ${at})`);
  sqlite.run(`INSERT INTO folders (id, path, created_at) VALUES ('r', '', 0), ('a', 'Été', 0), ('b', 'Été/2026', 0)`);
  const file = sqlite.query(
    `INSERT INTO uploads (id, node_id, folder_id, object_key, provider_upload_id, filename, mime_type, size, state,
       next_check_at, hold_until, completed_at, created_at)
     VALUES ($id, 'n', 'b', $id, 'at the provider', $filename, 'text/plain', 10, $state, ${at}, ${at}, ${at}, ${at})`,
  );
  for (const [id, filename, state] of filesOfThen) file.run({ id, filename, state });

  const subscriber = sqlite.query(`INSERT INTO subscribers (id, email, email_key, folded, created_at, updated_at)
    VALUES ($email, $email, $email, $email, ${at}, ${at})`);
  for (const email of ["first@example.com", "second@example.com"]) subscriber.run({ email });
  sqlite.run(`INSERT INTO outbox (id, kind, recipient, recipient_key, subject_id, payload, state, next_attempt_at, created_at)
    SELECT column1, 'welcome', column1, column1, column1, '{}', 'sent', 0, unixepoch() * 1000
    FROM (VALUES ('first@example.com'), ('deleted@example.com'))`);
  sqlite.run(`INSERT INTO outbox (id, kind, recipient, recipient_key, payload, state, next_attempt_at, created_at)
    SELECT column1, column1, 'x@example.com', 'x@example.com', '{}', 'queued', ${at}, ${at}
    FROM (VALUES ('welcome'), ('contact'))`);
  sqlite.run(
    `INSERT INTO api_keys (id, name, hash, prefix, last_four, active, created_at)
     VALUES ('key', 'Blog', ?, 'site_live_', 'cafe', 1, ${at})`,
    [new Bun.CryptoHasher("sha256").update(keyOfThen).digest("hex")],
  );
  invitations(sqlite);
  histories(sqlite);
}

const keyOfThen = `site_live_${"cafe".repeat(8)}`;

const longAgo = 20_000; // a day
/** The states of people on days 0, 1 and 2 of that time. Deleted people have no state. */
const historiesOfThen = [
  ["stayed", "active", ["subscribed"]],
  ["left", "unsubscribed", ["subscribed", "unsubscribed"]],
  ["came back", "active", ["subscribed", "unsubscribed", "reactivated"]],
  ["imported", "active", ["imported"]],
  ["imported as unsubscribed", "unsubscribed", ["imported"]],
  ["deleted", undefined, ["subscribed", "deleted"]],
  ["left and deleted", undefined, ["subscribed", "unsubscribed", "deleted"]],
] as const;

function histories(sqlite: Database): void {
  const person =
    sqlite.query(`INSERT INTO subscribers (id, email, email_key, folded, state, source, created_at, updated_at)
    VALUES ($id, $id, $id, $id, $state, 'then', ${longAgo * 86_400_000}, ${at})`);
  const event = sqlite.query(`INSERT INTO subscriber_events (id, subscriber_id, kind, via, created_at)
    VALUES ($id || $kind, $id, $kind, 'form', $at)`);
  for (const [id, state, events] of historiesOfThen) {
    if (state) person.run({ id, state });
    for (const [i, kind] of events.entries()) event.run({ id, kind, at: (longAgo + i) * 86_400_000 });
  }
}

/** Invitations by a present owner, a former owner, a removed manager, and the command line. */
function invitations(sqlite: Database): void {
  sqlite.run(`INSERT INTO managers (id, email, email_key, role, password_hash, created_at)
    VALUES ('o', 'olive@example.com', 'olive@example.com', 'owner', '', 0), ('d', 'dan@example.com', 'dan@example.com', 'manager', '', 0)`);
  const invited = sqlite.query(`INSERT INTO one_time_tokens (hash, purpose, subject, payload, expires_at, created_at)
    VALUES ($to, 'invite', $to, json_object('email', $to, 'role', 'owner'), 9e15, ${at})`);
  const noted = sqlite.query(`INSERT INTO audit_events (id, actor, action, target, folded, created_at)
    VALUES ($to || $created, $by, 'manager.invite', $to, '', $created)`);
  for (const [to, by] of invitationsOfThen) {
    invited.run({ to });
    noted.run({ to, by: "olive@example.com", created: at - 1 }); // the last person to invite someone counts
    noted.run({ to, by, created: at });
  }
}

beforeAll(async () => {
  const sqlite = new Database(path, { create: true, strict: true });
  install(sqlite);
  write(sqlite);
  sqlite.close();
  db = await openDb(path);
});
afterAll(async () => {
  await db.close();
  rmSync(folder, { recursive: true });
});

test("a key of that time may do what it could then, from everywhere and for good, and no more", async () => {
  const key = await authenticate(db, keyOfThen, 9e15);
  expect(key).toMatchObject({ id: "key", networks: null, isReplaced: false });
  const allowed = scopes.filter((scope) => (key?.scopes ?? 0) & bitOf(scope));
  expect(allowed).toEqual(["content:read", "settings:read", "files:read", "files:write"]);
});

const namesFor = async (q: string) => {
  const { rows } = await fileList.list(db, { folder: "Été/2026", q }, "name", { page: 1, per: 50 });
  return rows.map(({ filename }) => filename);
};

test("files are listed, and found in any case and any alphabet", async () => {
  expect(await namesFor("")).toEqual(["plain.TXT", "Straße.txt", "ÉTÉ à Åre.txt"]);
  expect(await namesFor("été À åRE")).toEqual(["ÉTÉ à Åre.txt"]);
  expect(await namesFor("STRASSE")).toEqual(["Straße.txt"]);
  expect(await namesFor("Plain.txt")).toEqual(["plain.TXT"]);
});

test("folders and the bytes of nodes are what they were", async () => {
  expect(await folders.listIn(db, "")).toMatchObject([{ path: "Été", files: 0, folders: 1 }]);
  expect(await folders.listIn(db, "Été")).toMatchObject([{ path: "Été/2026", files: 3, folders: 0 }]);
  expect(await storageNodes.list(db)).toMatchObject([{ usedBytes: 30, reservedBytes: 10, probe: null }]);
});

test("an upload in progress continues and completes", async () => {
  expect(await uploads.find(db, "f4")).toMatchObject({ state: "open", partSize: null, received: 0, managerId: null });
  await uploads.startCompleting(db, await uploadOf(db, "f4"));
  expect(await uploads.settle(db, await uploadOf(db, "f4"), { state: "completed" }, now)).toBe(true);
  expect(await storageNodes.list(db)).toMatchObject([{ usedBytes: 40, reservedBytes: 0 }]);
  expect(await namesFor("on-its-way")).toEqual(["on-its-way.bin"]);
});

test("posts and tags are counted as if they had been written today, and stay so", async () => {
  expect(await postList.counts(db, now)).toMatchObject({ draft: 1, published: 2, trash: 1 });
  const listed = async () =>
    (await tags.list(db, "", "name", { page: 1, per: 50 })).rows.map(({ slug, posts }) => [slug, posts]);
  expect(await listed()).toEqual([
    ["lonely", 0],
    ["news", 3],
  ]);
  sqliteOf(db).run(`UPDATE posts SET deleted_at = ${at} WHERE slug = 'released'`);
  expect(await postList.counts(db, now)).toMatchObject({ draft: 1, published: 1, trash: 2 });
  expect(await listed()).toContainEqual(["news", 2]);
});

test("someone welcomed today is not welcomed again, deleted or not", async () => {
  const mails = () => sqliteOf(db).query<{ n: number }, []>("SELECT count(*) n FROM outbox").get()?.n;
  const subscribe = (email: string) => subscribers.subscribe(db, { email }, { via: "form" }, new Date());
  await subscribers.unsubscribe(db, "first@example.com", { via: "page" }, new Date());
  expect(await subscribe("first@example.com")).toMatchObject({ changed: true });
  expect(await subscribe("deleted@example.com")).toMatchObject({ changed: true });
  expect(mails()).toBe(4);
  await subscriberList.remove(db, { matching: { q: "deleted@" } }, { actor: "cli" }, now);
});

test("queued emails to strangers count towards the hourly limit like new ones", () => {
  expect(sqliteOf(db).query("SELECT id, lane FROM outbox WHERE state = 'queued' ORDER BY id").all()).toEqual([
    { id: "contact", lane: 0 },
    { id: "welcome", lane: 2 },
  ]);
});

test("old and new subscribers are found, and deleted ones are not", async () => {
  await subscribers.subscribe(db, { email: "third@example.com" }, { via: "form" }, now);
  const found = async () =>
    (await subscriberList.list(db, { q: "@example" }, "email", { page: 1, per: 50 })).rows.map(({ id }) => id.length);
  expect(await found()).toEqual([17, 18, 36]);
  await subscriberList.remove(db, { ids: ["first@example.com"] }, { actor: "cli" }, now);
  expect(await found()).toEqual([18, 36]);
});

test("posts are found by any piece of their text, and forgotten with it", async () => {
  const found = async (q: string) => {
    const { rows } = await postList.list(db, { filter: { q }, sort: "title" }, { page: 1, per: 50 }, now);
    return rows.map(({ slug }) => slug);
  };
  expect(await found("t")).toEqual(["draft", "other"]);
  for (const q of ["th", "the", "othe", "other"]) expect(await found(q)).toEqual(["other"]);
  sqliteOf(db).run("DELETE FROM posts WHERE slug = 'other'");
  expect([await found("oth"), await found("other")]).toEqual([[], []]);
});

test("an invitation from before the upgrade records its creator, and is withdrawn when they are no longer an owner", () => {
  const waiting = sqliteOf(db).query(
    "select subject, made_by from one_time_tokens where purpose = 'invite' order by subject",
  );
  expect(waiting.all()).toEqual([
    { subject: "line's", made_by: null },
    { subject: "owner's", made_by: "o" },
  ]);
});

test("the days before the upgrade are counted from what is known", async () => {
  const { days, sources } = await growthSince(db, 0);
  const none = { joined: 0, imported: 0, unsubscribed: 0, suppressed: 0, deleted: 0, paused: 0, added: 0 };
  expect(days.filter(({ day }) => day < longAgo + 3)).toEqual([
    { ...none, day: longAgo, joined: 6, imported: 1, added: 1 },
    { ...none, day: longAgo + 1, unsubscribed: 3, deleted: 1 },
    { ...none, day: longAgo + 2, joined: 1 },
  ]);
  expect(sources).toContainEqual({ source: "then", joined: 5 });
});
