import { Database } from "bun:sqlite";
import { statSync } from "node:fs";
import { setPriority } from "node:os";
import { isDamage } from "../engine/errors";

const smallBytes = 8 * 2 ** 20; // looked through in some five milliseconds

/** What is wrong with the database in `file`: where, and what. Undefined when nothing is. */
export type Damage = string | undefined;

/**
 * Looks whether the pages of the database hold together (`quick_check`), table by table, so that no transaction lasts
 * longer than one of them takes. A large file is looked through in a process of its own, behind everybody else: SQLite
 * stops the thread that asks, for a second a gigabyte.
 *
 * @throws when it could not be looked at
 */
export async function findDamage(file: string, signal?: AbortSignal): Promise<Damage> {
  if (statSync(file).size <= smallBytes) return damageIn(file);
  const child = Bun.spawn([process.execPath, "--no-env-file", `${import.meta.dir}/integrity.ts`, file], {
    env: {},
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    ...(signal && { signal }),
  });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (code !== 0) throw new Error(`The check ended with ${child.signalCode ?? code}: ${err.trim().split("\n").at(-1)}`);
  return out || undefined;
}

function damageIn(file: string): Damage {
  const sqlite = new Database(file, { readwrite: true, create: false });
  try {
    sqlite.run("PRAGMA busy_timeout = 5000");
    using tables = sqlite.prepare<{ name: string }, []>(
      "SELECT 'sqlite_schema' AS name UNION ALL SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0",
    );
    for (const { name } of tables.all()) {
      using check = sqlite.prepare<{ quick_check: string }, []>(`PRAGMA quick_check('${name.replaceAll("'", "''")}')`);
      const found = check.get()?.quick_check ?? "no answer";
      if (found !== "ok") return `${name}: ${found.replaceAll(/\s+/g, " ")}`;
    }
    return undefined;
  } catch (error) {
    if (isDamage(error)) return error instanceof Error ? error.message : String(error);
    throw error;
  } finally {
    sqlite.close();
  }
}

if (import.meta.main) {
  setPriority(19);
  process.stdout.write(damageIn(Bun.argv[2] ?? "") ?? "");
}
