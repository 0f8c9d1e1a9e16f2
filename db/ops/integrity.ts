import { Database } from "bun:sqlite";
import { statSync } from "node:fs";
import { setPriority } from "node:os";
import { isDamage } from "../engine/errors";
import { commandOf } from "../lib/own-process";

const smallBytes = 8 * 2 ** 20; // checked in about five milliseconds

/** What is wrong with a database file, and where; undefined if it is intact. */
export type Damage = string | undefined;

/**
 * Checks the integrity of the database's pages (`quick_check`), table by table, so that no transaction lasts longer
 * than one of them takes. A large file is checked in a process of its own, because SQLite blocks the calling thread, for
 * about a second per gigabyte.
 *
 * @param isInNoHurry gives the process the lowest priority: on a busy machine, it may take minutes
 * @throws if the check could not be run
 */
export async function findDamage(file: string, isInNoHurry = false, signal?: AbortSignal): Promise<Damage> {
  if (statSync(file).size <= smallBytes) return damageIn(file);
  const child = Bun.spawn(commandOf("db/ops/integrity.ts", file, ...(isInNoHurry ? [inNoHurry] : [])), {
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
      const verdict = check.get()?.quick_check ?? "no answer";
      if (verdict !== "ok") return `${name}: ${verdict.replaceAll(/\s+/g, " ")}`;
    }
    return undefined;
  } catch (error) {
    if (isDamage(error)) return error instanceof Error ? error.message : String(error);
    throw error;
  } finally {
    sqlite.close();
  }
}

const inNoHurry = "in-no-hurry";

/** In a process of its own: what is wrong with the file goes to stdout. */
export function run([file = "", hurry]: string[]): void {
  if (hurry === inNoHurry) setPriority(19);
  process.stdout.write(damageIn(file) ?? "");
}

if (import.meta.main) run(Bun.argv.slice(2));
