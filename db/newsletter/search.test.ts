import { expect, test } from "bun:test";
import type { Db } from "../engine/open";
import { openDb } from "../open";
import { fold } from "../lib/fold";
import * as subscriberList from "./list";
import { importAll } from "./import";
import { sqliteOf } from "../../test/support/look";

// The index takes new subscribers by the thousand. Search results must not depend on that.

const now = new Date("2026-11-21T12:00:00Z");

/** Puts `reader<n>@example.com` on the list for each number. */
const add = (db: Db, from: number, to: number) => {
  const person = (n: number) => ({ email: `reader${n}@example.com`, name: null, source: null, createdAt: now });
  const people = Array.from({ length: to - from + 1 }, (_, i) => ({ ...person(from + i), state: "active" as const }));
  return importAll(db, people, { revive: false, origin: { via: "import" } }, now);
};

/** Searches in several ways, and compares the results with a scan of every row. */
async function expectExact(db: Db) {
  const all = sqliteOf(db).query<{ email: string; folded: string }, []>("SELECT email, folded FROM subscribers").all();
  for (const q of ["reader49", "R499@", "0@example", "nobody", "new name"]) {
    const { rows } = await subscriberList.list(db, { q }, "email", { page: 1, per: 5_000 });
    const wanted = all.filter(({ folded }) => folded.includes(fold(q)));
    expect(rows.map(({ email }) => email).sort()).toEqual(wanted.map(({ email }) => email).sort());
  }
  expect(sqliteOf(db).query("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
}

const indexed = (db: Db) =>
  sqliteOf(db).query<{ n: number }, []>("SELECT count(*) n FROM subscribers_search_docsize").get()?.n;
const drop = (db: Db, where: string) => sqliteOf(db).run(`DELETE FROM subscribers WHERE ${where}`);

test("a search is exact before, while and after the index takes the new rows", async () => {
  const db = await openDb(":memory:");
  await add(db, 1, 999);
  await expectExact(db);
  expect(indexed(db)).toBe(0);
  await add(db, 1_000, 1_000);
  await expectExact(db);
  expect(indexed(db)).toBe(1_000);
  await add(db, 1_001, 2_250);
  await expectExact(db);
  expect(indexed(db)).toBe(2_000);
});

test("searches find rows as they are now, although the index may contain changed and deleted ones", async () => {
  const db = await openDb(":memory:");
  await add(db, 1, 1_200);
  const rename = "UPDATE subscribers SET name = 'New Name', folded = folded || 'new name'";
  sqliteOf(db).run(`${rename} WHERE row IN (990, 998, 999, 1199)`);
  await expectExact(db);
  drop(db, "row IN (991, 999, 1149)");
  await expectExact(db);
});

test("a row number that is used again belongs to the new row", async () => {
  const db = await openDb(":memory:");
  await add(db, 1, 1_020);
  drop(db, "row > 1010");
  await add(db, 4_900, 4_910);
  await expectExact(db);
  drop(db, "row > 990");
  await add(db, 4_911, 4_999);
  await expectExact(db);
  await add(db, 5_000, 6_100);
  await expectExact(db);
  drop(db, "true");
  await expectExact(db);
  await add(db, 1, 1_001);
  await expectExact(db);
});

test("what a failed transaction indexed is undone with it", async () => {
  const db = await openDb(":memory:");
  await add(db, 1, 900);
  const failure = db.write(() => {
    for (let n = 0; n < 200; n++)
      sqliteOf(db).run(
        "INSERT INTO subscribers (id, email, email_key, folded, created_at, updated_at) VALUES (?1, ?1, ?1, ?1, 0, 0)",
        [`reader49${n}`],
      );
    throw new Error("no");
  });
  await expect(failure).rejects.toThrow("no");
  expect(indexed(db)).toBe(0);
  await expectExact(db);
});
