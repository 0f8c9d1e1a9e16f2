import { expect, test } from "bun:test";
import { openDb } from "../open";
import { cleanUp } from "./cleanup";
import * as idempotency from "../idempotency";
import * as tokens from "../access/one-time-tokens";
import * as posts from "../posts/posts";
import { look, lookAt } from "../../test/support/look";

const day = 86_400_000;
const now = new Date("2026-11-21T12:00:00Z");
const ago = (days: number) => new Date(now.getTime() - days * day);

test("what its time is over for is forgotten, and nothing else", async () => {
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
