import { Database } from "bun:sqlite";
import { closeSync, fsyncSync, linkSync, openSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { standing } from "./migrate";

/**
 * Writes everything committed by now into `file`, while others read and write. Blocks its thread, so it belongs in a
 * process of its own. The file appears whole, checked and on disk, or not at all.
 *
 * @throws when `file` exists, or the copy does not pass its check
 */
export function backup(database: string, file: string): void {
  const draft = `${file}.${process.pid}.part`;
  const sqlite = new Database(database, { readwrite: true, create: false });
  try {
    sqlite.run("PRAGMA busy_timeout = 10000");
    sqlite.run("VACUUM INTO ?", [draft]);
    const problem = inspect(draft);
    if (problem) throw new Error(`The copy is damaged: ${problem}`);
    sync(draft);
    linkSync(draft, file); // unlike a rename it never replaces what is there
    sync(dirname(file));
  } finally {
    sqlite.close();
    rmSync(draft, { force: true });
  }
}

/** What speaks against using this file as the database; undefined when nothing does. */
export function inspect(file: string): string | undefined {
  const sqlite = new Database(file, { readonly: true });
  try {
    const found = sqlite.query<{ integrity_check: string }, []>("PRAGMA integrity_check(1)").get()?.integrity_check;
    if (found !== "ok") return found ?? "no answer";
    return { none: "it is not a Postroom database", newer: "it is from a newer Postroom", usable: undefined }[
      standing(sqlite)
    ];
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    sqlite.close();
  }
}

/**
 * Makes a database nobody else uses one self-contained file: its log is written back and gone.
 *
 * @throws while another process has it open
 */
export function settle(database: string): void {
  const sqlite = new Database(database, { readwrite: true, create: false });
  try {
    sqlite.run("PRAGMA busy_timeout = 2000");
    sqlite.run("PRAGMA journal_mode = DELETE"); // SQLite refuses this while anybody else is connected
  } finally {
    sqlite.close();
  }
}

/** What is written to the file, or to the list of names in the folder, survives a power cut. */
export function sync(path: string): void {
  const descriptor = openSync(path, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}
