import { expect, test } from "bun:test";
import type { Db } from "../engine/open";
import { openDb } from "../open";
import { deleteOld } from "../webhooks/deliveries";
import { remove } from "../webhooks/endpoints";
import { cleanUp } from "./cleanup";
import * as idempotency from "../idempotency";
import * as tokens from "../access/one-time-tokens";
import * as posts from "../posts/posts";
import { look, lookAt } from "../../test/support/look";

const day = 86_400_000;
const now = new Date("2026-11-21T12:00:00Z");
const ago = (days: number) => new Date(now.getTime() - days * day);

test("everything that has expired is deleted, and nothing else", async () => {
  const db = await openDb(":memory:");
  for (const [slug, days] of [
    ["old", 31],
    ["recent", 29],
    ["kept", undefined],
  ] as const) {
    const { id } = await posts.save(db, { slug, title: slug, published: true }, ago(60));
    if (days) await look(db, "update posts set deleted_at = ? where id = ?", [ago(days).getTime(), id]);
  }
  await db.write(async (orm) => {
    for (const [hash, days] of [
      ["expired", -0.5],
      ["usable", 0.5],
    ] as const)
      await tokens.issue(orm, { hash, purpose: "reset", subject: hash, expiresAt: ago(-days) }, ago(2));
    for (const [key, days] of [
      ["old", 1.1],
      ["young", 0.9],
    ] as const)
      await idempotency.remember(orm, { key, fingerprint: "f", resultId: "r", createdAt: ago(days) });
  });

  for (const [id, days] of [
    ["old", 401],
    ["recent", 399],
  ] as const)
    await look(db, "insert into provider_events (id, type, at, received_at) values (?, 'x', 0, ?)", [
      id,
      ago(days).getTime(),
    ]);

  expect(await cleanUp(db, now)).toEqual({ tokens: 1, idempotencyKeys: 1, trash: 1 });
  expect(await lookAt(db, "select slug from posts order by slug")).toEqual([["kept"], ["recent"]]);
  expect(await lookAt(db, "select hash from one_time_tokens")).toEqual([["usable"]]);
  expect(await lookAt(db, "select key from idempotency_keys")).toEqual([["young"]]);
  expect(await lookAt(db, "select id from provider_events")).toEqual([["recent"]]);
  expect(await cleanUp(db, now)).toEqual({ tokens: 0, idempotencyKeys: 0, trash: 0 });
});

/** The same database, recording how many rows of the tables were left after each commit. */
function counting(db: Db, tables: string[]) {
  const count = async () => {
    const each = tables.map((table) => `(select count(*) from ${table})`);
    return (await look<{ n: number }>(db, `select ${each.join(" + ")} as n`))[0]?.n ?? 0;
  };
  const left: number[] = [];
  const write: Db["write"] = (work, how) => db.write(work, how).finally(async () => void left.push(await count()));
  /** The most rows that were deleted in one commit. */
  const largest = () => Math.max(...left.map((n, at) => (left[at - 1] ?? n) - n));
  return { db: { ...db, write }, count, largest };
}

/** Inserts 2,500 rows. @param values of the number i of a row */
const fill = (db: Db, table: string, columns: string, values: string) =>
  look(
    db,
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 2500)
      insert into ${table} (${columns}) select ${values} from n`,
  );

test("expired rows are deleted a thousand at a time, however many there are", async () => {
  const db = await openDb(":memory:");
  const tables = ["provider_events", "one_time_tokens", "idempotency_keys", "visits", "messages", "subscribers"];
  const watched = counting(db, tables);
  await fill(db, "provider_events", "id, type, at, received_at", "'e' || i, 'x', 0, 0");
  await fill(db, "one_time_tokens", "hash, purpose, payload, expires_at, created_at", "'t' || i, 'form', '{}', 0, 0");
  await fill(db, "idempotency_keys", "key, fingerprint, result_id, created_at", "'k' || i, 'f', 'r', 0");
  await fill(db, "visits", "day, visitor", "i / 100, 'v' || i");
  await fill(
    db,
    "messages",
    "id, name, email, message, source, fingerprint, folded, deleted_at, created_at",
    "'m' || i, 'a', 'a@example.com', 'x', 's', 'f', '', 0, 0",
  );
  await fill(
    db,
    "subscribers",
    "id, email, email_key, folded, pending_at, created_at, updated_at",
    "'s' || i, 's' || i || '@example.com', 's' || i || '@example.com', '', 0, 0, 0",
  );
  expect(await cleanUp(watched.db, now)).toEqual({ tokens: 2_500, idempotencyKeys: 2_500, trash: 2_500 });
  expect(await watched.count()).toBe(0);
  expect(watched.largest()).toBe(1_000);
});

test("so are webhook deliveries, when they are old and when their endpoint is removed", async () => {
  const db = await openDb(":memory:");
  const watched = counting(db, ["webhook_deliveries"]);
  await look(
    db,
    "insert into webhook_endpoints (id, name, url, events, secret, created_by, created_at) values ('w', 'n', 'u', '[]', 's', 'a', 0)",
  );
  const add = () =>
    fill(
      db,
      "webhook_deliveries",
      "id, endpoint_id, type, body, next_attempt_at, created_at",
      "'d' || i, 'w', 'ping', '', 0, 0",
    );
  await add();
  expect(await deleteOld(watched.db, now)).toBe(2_500);
  await add();
  expect(await remove(watched.db, "w", { actor: "cli" }, now)).toMatchObject({ id: "w" });
  expect(await watched.count()).toBe(0);
  expect(watched.largest()).toBe(1_000);
});
