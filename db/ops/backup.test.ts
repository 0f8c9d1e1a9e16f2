import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDb } from "../open";
import { backup } from "./backup";
import { inspect } from "./backup-file";
import { settings } from "../schema/settings";
import { sqliteOf } from "../../test/support/look";
import { testTimeoutMs } from "../../test/support/within";

setDefaultTimeout(testTimeoutMs);

const rows = (file: string) => {
  const sqlite = new Database(file, { readonly: true });
  const found = sqlite.query<{ key: string }, []>("select key from settings").all();
  sqlite.close();
  return new Set(found.map(({ key }) => key));
};

test("a copy made while everything is being rewritten is intact, and contains what was committed before", async () => {
  const folder = mkdtempSync(join(tmpdir(), "postroom-backup-"));
  const db = await openDb(join(folder, "db"));
  const put = (key: string, value: string) =>
    db.write(async (orm) => {
      const row = { key, value };
      void (await orm.insert(settings).values(row).onConflictDoUpdate({ target: settings.key, set: row }).run());
    });
  const large = "x".repeat(20_000);
  await Promise.all(Array.from({ length: 100 }, (_, i) => put(`before${i}`, large)));

  let isOver = false;
  const copies = (async () => {
    for (let n = 0; n < 3; n++) await backup(join(folder, "db"), join(folder, `copy${n}`));
    isOver = true;
  })();
  for (let i = 0; !isOver; i++) {
    await put(`before${i % 100}`, `${i}${large}`); // every page being copied changes, and is written back during the backup
    if (i % 10 === 0) sqliteOf(db).run("PRAGMA wal_checkpoint(PASSIVE)");
    await new Promise((turn) => setImmediate(turn));
  }
  await copies;

  for (let n = 0; n < 3; n++) {
    expect(inspect(join(folder, `copy${n}`))).toBeUndefined();
    expect(
      rows(join(folder, `copy${n}`)).isSupersetOf(new Set(Array.from({ length: 100 }, (_, i) => `before${i}`))),
    ).toBe(true);
  }
  expect(readdirSync(folder).filter((name) => name.includes(".part"))).toEqual([]);
  await expect(backup(join(folder, "db"), join(folder, "copy0"))).rejects.toThrow(); // never overwrites
  await db.close();
  rmSync(folder, { recursive: true });
});
