import { expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import * as rateLimits from "../../db/limits/rate-limits.postgres";
import type { Db, Orm } from "../../db/engine/open";
import { isDatabaseFault } from "../../db/engine/errors";
import * as versions from "../../db/engine/versions";
import { openDb } from "../../db/open";
import { settings } from "../../db/schema/settings";
import { look, unplug } from "../support/look";
import { open, urlOf } from "../support/postgres/databases";
import { lineTo } from "../support/postgres/line";
import { lockTable } from "../support/postgres/locks";

const put = (orm: Orm, key: string) => orm.insert(settings).values({ key, value: "0", isPublic: false }).run();

/** The same database opened twice, as by two processes. */
const pair = async (name: string) => [await openDb(name), await openDb(name)] as const;

/** A database behind a connection that can fail. */
async function distant(where: string, maxSilenceMs?: number) {
  const [name] = await (await openDb(where)).read((orm) => orm.values<[string]>(sql`select current_database()`));
  const line = await lineTo(urlOf(process.env.TEST_DATABASE_URL ?? "", name?.[0] ?? ""));
  return { line, db: await open(line.url, maxSilenceMs) };
}

test("an unresponsive database is not waited for, and nothing cached is trusted", async () => {
  const { line, db } = await distant("dead");
  const { version } = versions.current(db, "keys");
  line.goDead();
  await expect(db.fresh()).rejects.toThrow("The database did not answer in time.");
  expect(versions.current(db, "keys").version).not.toBe(version);
  line.cut();
  await db.close();
});

test("works that wait for each other do not each wait for a database that is away", async () => {
  const { line, db } = await distant("away");
  const retries = () => [...(db.statistics?.retries.values() ?? [])].reduce((sum, n) => sum + n, 0);
  line.cut();
  const works = [1, 2, 3].map(() => db.write((orm) => orm.values(sql`select 1`)));
  await expect(works[0]).rejects.toThrow();
  const before = retries();
  expect(before).toBeGreaterThan(0);
  expect((await Promise.allSettled(works)).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  expect(retries()).toBe(before);
  await db.close();
});

test("a statement that a silent server does not answer fails as a database error, and connections are replaced", async () => {
  const { line, db } = await distant("silent", 3_000);
  line.goDead();
  const work = async (orm: Orm) => put(orm, "a");
  const asked = [
    db.read((orm) => orm.select().from(settings).all()),
    db.write(work),
    db.write(work, { guarded: true }),
  ];
  for (const each of await Promise.allSettled(asked))
    expect(each.status === "rejected" && isDatabaseFault(each.reason)).toBe(true);
  await db.write(work); // nothing of the others was committed
  expect(await look(db, "select key from settings")).toEqual([{ key: "a" }]);
  line.cut();
  await db.close();
});

test("a connection that is cut before the commit is replaced, and the work runs again", async () => {
  const [db, other] = await pair("cut");
  let runs = 0;
  await db.write(async (orm) => {
    await put(orm, "a");
    const [[pid] = [0]] = await orm.values<[number]>(sql`select pg_backend_pid()`);
    if (++runs === 1) await look(other, "select pg_terminate_backend(?)", [pid]);
    await put(orm, "b");
  });
  expect([runs, await look(other, "select key from settings order by key")]).toEqual([2, [{ key: "a" }, { key: "b" }]]);
});

/** Cuts the connection of a statement that waits for this table, and then lets others lock it. */
async function cutAsItWaits<T>(table: string, other: Db, ask: () => Promise<T>): Promise<T> {
  const cut = `select pg_terminate_backend(pid) from pg_stat_activity
    where wait_event_type = 'Lock' and datname = current_database()`;
  const { asked } = await other.write(async (orm) => {
    await lockTable(orm, `${table} in access exclusive mode`);
    const asked = ask();
    asked.catch(() => undefined);
    while (!(await look(other, cut)).length);
    return { asked };
  });
  return asked;
}

test("a query is repeated if its connection is cut, but a write that may have happened is not", async () => {
  const [db, other] = await pair("again");
  await db.write((orm) => put(orm, "a"));
  const keys = () => db.read((orm) => orm.select({ key: settings.key }).from(settings).all());
  expect(await cutAsItWaits("settings", other, keys)).toEqual([{ key: "a" }]);
  const change = () => db.read(async (orm) => void (await orm.run(sql`update settings set version = version + 1`)));
  await expect(cutAsItWaits("settings", other, change)).rejects.toThrow();
});

test("a visitor's request is counted although the connection was cut", async () => {
  const [db, other] = await pair("counted");
  const wanted = { limit: "subscribe", client: "a", since: 0, at: 1_800_000_000_000, max: 5, count: 1 };
  const taken = await cutAsItWaits("rate_limit_windows", other, () => rateLimits.take(db, wanted));
  expect(taken).toMatchObject({ granted: 1, remaining: 4 });
});

test("without a response every version changes, each time", async () => {
  const db = await openDb(":memory:");
  const seen = [versions.current(db, "keys").version];
  await unplug(db);
  for (let i = 0; i < 2; i++) {
    await expect(db.fresh()).rejects.toThrow();
    seen.push(versions.current(db, "keys").version);
  }
  expect(new Set(seen).size).toBe(3);
});
