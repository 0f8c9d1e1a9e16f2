import { expect, test } from "bun:test";
import { eq, sql } from "drizzle-orm";
import { together } from "../../db/async/turns";
import { openDb } from "../../db/open";
import type { Orm } from "../../db/engine/open";
import * as versions from "../../db/engine/versions";
import { settings } from "../../db/schema/settings";
import { databaseGauges } from "../../src/telemetry/metrics";
import { look } from "../support/look";

/** The same database opened twice, as by two processes. */
const pair = async (name: string) => [await openDb(name), await openDb(name)] as const;
const put = (orm: Orm, key: string, value = "0", isPublic = false) =>
  orm.insert(settings).values({ key, value, isPublic }).run();
const valueOf = async (orm: Orm, key: string) =>
  (await orm.select({ value: settings.value }).from(settings).where(eq(settings.key, key)).get())?.value;
const set = (orm: Orm, key: string, value: string) =>
  orm.update(settings).set({ value }).where(eq(settings.key, key)).run();

test("works of two processes that read and then write run as if each were alone", async () => {
  const [one, two] = await pair("alone");
  await one.write((orm) => put(orm, "n"));
  const increment = async (orm: Orm) => set(orm, "n", String(Number(await valueOf(orm, "n")) + 1));
  await Promise.all(Array.from({ length: 40 }, (_, i) => (i % 2 ? one : two).write(increment)));
  expect(await one.read((orm) => valueOf(orm, "n"))).toBe("40");
});

test("guarded transactions run at the same time, kept apart by their own rows", async () => {
  const [one, two] = await pair("guarded");
  await one.write((orm) => put(orm, "n"));
  const increment = (orm: Orm) =>
    orm
      .update(settings)
      .set({ version: sql`version + 1` })
      .where(eq(settings.key, "n"))
      .run();
  await Promise.all(Array.from({ length: 60 }, (_, i) => (i % 2 ? one : two).write(increment, { guarded: true })));
  expect(await look(one, "select version from settings")).toEqual([{ version: 61 }]);
});

test("a work that throws leaves nothing, and says why", async () => {
  const db = await openDb(":memory:");
  const failing = db.write(async (orm) => {
    await put(orm, "half");
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  await db.write((orm) => put(orm, "a"));
  const twice = db.write(async (orm) => {
    await put(orm, "a"); // its failure arrives with the next response
    return valueOf(orm, "a");
  });
  await expect(twice).rejects.toMatchObject({ errno: "23505" }); // not "current transaction is aborted"
  expect(await look(db, "select key from settings")).toEqual([{ key: "a" }]);
});

test("a transaction that continues after a failed statement is not reported as done", async () => {
  const db = await openDb(":memory:");
  const careless = db.write(async (orm) => {
    await put(orm, "a");
    await orm.values(sql`select 1 / 0`).catch(() => undefined);
    return "done";
  });
  await expect(careless).rejects.toThrow();
  expect(await look(db, "select key from settings")).toEqual([]);
});

test("what a failed work still sends reaches no other transaction", async () => {
  const db = await openDb(":memory:");
  const others = Promise.withResolvers<void>();
  const late = Promise.withResolvers<unknown>();
  const failing = db.write(async (orm) => {
    const rest = others.promise.then(() => put(orm, "late"));
    rest.then(late.resolve, late.resolve);
    await orm.values(sql`select 1 / 0`);
  });
  await expect(failing).rejects.toThrow();
  await db.write(async (orm) => {
    others.resolve();
    await late.promise;
    await put(orm, "a");
  });
  expect(await late.promise).toBeInstanceOf(Error);
  expect(await look(db, "select key from settings")).toEqual([{ key: "a" }]);
});

test("a process sees its own writes immediately, and others' when it asks", async () => {
  const [one, two] = await pair("fresh");
  const before = versions.current(one, "settings").version;
  await one.write((orm) => put(orm, "a", "x", true));
  expect(versions.current(one, "settings").version).toBe(before + 1);
  const counter = one.changeCounter();
  await two.write((orm) => put(orm, "b", "x", true));
  await Promise.all([one.fresh(), one.fresh(), one.fresh()]);
  expect(versions.current(one, "settings").version).toBe(before + 2);
  expect(one.changeCounter()).not.toBe(counter);
});

test("a transaction counts as one change of a topic, however many rows it changes; without rows it counts as none", async () => {
  const db = await openDb(":memory:");
  const { version } = versions.current(db, "settings");
  await db.write(async (orm) => {
    for (const key of ["a", "b", "c"]) await put(orm, key, "x", true);
  });
  await db.write((orm) => set(orm, "unknown", "y"));
  expect(versions.current(db, "settings").version).toBe(version + 1);
});

test("NUL is left out of what is stored, and finds nothing", async () => {
  const db = await openDb(":memory:");
  await db.write((orm) => put(orm, "a", "x\0y"));
  expect(await db.read((orm) => valueOf(orm, "a"))).toBe("xy");
  expect(await db.read((orm) => valueOf(orm, "a\0"))).toBeUndefined();
  const listed = sql`select value from json_each(${JSON.stringify(["a\0b", "\\u0000"])})`;
  expect((await db.read((orm) => orm.values<[string]>(listed))).flat()).toEqual(["a\ufffdb", "\\u0000"]);
});

test("sizes and times beyond 32 bits are numbers", async () => {
  const db = await openDb(":memory:");
  const [row] = await db.read((orm) =>
    orm.values(sql`select cast(9007199254740991 as bigint), count(*) from settings`),
  );
  expect(row).toEqual([9_007_199_254_740_991, 0]);
});

test("metrics show how much of the pool is in use, and how often the versions were queried", async () => {
  const db = await openDb("metrics");
  const gauges = () => databaseGauges(db.statistics);
  await db.fresh();
  const used = await db.write(async () => gauges(), { guarded: true });
  expect(used).toMatchObject({ database_pool_in_use: 1, database_version_questions: expect.any(Number) });
  expect(gauges()).toMatchObject({ database_pool_in_use: 0 });
});

test("the first statement that failed is the cause, whatever was sent after it in the same transaction", async () => {
  const db = await openDb("engine");
  const statements = ["select 1 / 0", "update tags set name = name"];
  const failing = db.write((orm) =>
    together(statements, String, async (text) => {
      if (text.startsWith("select")) await orm.values(sql.raw(text));
      else await orm.run(sql.raw(text));
    }),
  );
  expect(await failing.catch(({ errno }) => errno as string)).toBe("22012");
});
