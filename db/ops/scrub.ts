import { Database } from "bun:sqlite";
import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { setPriority } from "node:os";
import type { Db } from "../engine/open";
import { findTemporaryFolder } from "../engine/sqlite/open";
import { commandOf } from "../lib/own-process";

type Question = {
  /** What to search for. */
  forms: string[];
  /** Up to which size the file may be rewritten. */
  maxVacuumBytes: number;
  /** Whether it is rewritten even if nothing is found. */
  mustRewrite: boolean;
};
type Task = { file: string; forms: string[]; rewrites: boolean };
type Result = { remnants: number; isClean: boolean; size: number };
type Stoppable = { /** Ends it. SQLite undoes what it has not finished. */ signal?: AbortSignal | undefined };

/**
 * Empties the database's log and counts how often a text is still in the file, in a separate process: reading the file
 * here would release SQLite's locks on it, and takes a second per gigabyte. If the text is found, in unused parts of
 * pages, or if the file was never rewritten since deleted rows are overwritten, it is rewritten (VACUUM), and writes
 * wait for that. PostgreSQL has no such file.
 *
 * @throws if it could not be done
 */
export async function scrub(db: Db, { forms, maxVacuumBytes, mustRewrite }: Question, stoppable: Stoppable = {}) {
  const { file } = db;
  if (!file) return 0;
  const { remnants, isClean, size } = await inOwnProcess({ file, forms, rewrites: false }, stoppable);
  const isTooLarge = size > maxVacuumBytes;
  if (isTooLarge && mustRewrite) throw new Error("The file is so large that only `people erase` rewrites it");
  if ((isClean && !remnants && !mustRewrite) || isTooLarge) return remnants;
  return (await db.lockedFor(() => inOwnProcess({ file, forms, rewrites: true }, stoppable))).remnants;
}

/** The task is passed through a pipe, because everyone on the machine can read arguments. */
async function inOwnProcess(task: Task, { signal }: Stoppable): Promise<Result> {
  const child = Bun.spawn(commandOf("db/ops/scrub.ts"), {
    env: {},
    stdin: new Blob([JSON.stringify(task)]),
    stdout: "pipe",
    stderr: "pipe",
    ...(signal && { signal }),
  });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (code !== 0) throw new Error(`The check ended with ${child.signalCode ?? code}: ${err.trim().split("\n").at(-1)}`);
  return JSON.parse(out);
}

const busyMs = 10_000;

/** While a log that others still read is to be emptied, no one can write. */
const blockingMs = 100;

const waitLimitMs = 5 * 60_000;

/** Others that check the file, read it for long, or write to it for long, are waited for. */
async function inTurn(work: () => void): Promise<void> {
  for (const end = Date.now() + waitLimitMs; ;) {
    try {
      return work();
    } catch (error) {
      const isBusy =
        error instanceof Busy || (error instanceof Error && "code" in error && error.code === "SQLITE_BUSY");
      if (!isBusy || Date.now() >= end) throw error;
      await Bun.sleep(100 + Math.random() * 400);
    }
  }
}

class Busy extends Error {}

async function scrubbed({ file, forms, rewrites }: Task): Promise<Result> {
  const isClean = await withoutRest(file, rewrites);
  setPriority(10); // only now: everyone who wants to write waited
  return { remnants: countIn(file, forms), isClean, size: statSync(file).size };
}

/** Leaves nothing in the log, and after a rewrite nothing in unused parts of pages. Returns whether it was ever rewritten. */
async function withoutRest(file: string, rewrites: boolean): Promise<boolean> {
  const sqlite = new Database(file, { readwrite: true, create: false });
  try {
    findTemporaryFolder(sqlite, file);
    sqlite.run("PRAGMA secure_delete = ON");
    if (rewrites) await inTurn(() => rewrite(sqlite));
    await inTurn(() => emptyLog(sqlite));
    return sqlite.query("SELECT 1 FROM installation WHERE name = 'rewrittenAt'").get() !== null;
  } finally {
    sqlite.close();
  }
}

function rewrite(sqlite: Database): void {
  sqlite.run(`PRAGMA busy_timeout = ${busyMs}`);
  sqlite.run("VACUUM");
  sqlite.run("INSERT INTO installation VALUES ('rewrittenAt', ?) ON CONFLICT DO NOTHING", [new Date().toISOString()]);
}

function emptyLog(sqlite: Database): void {
  sqlite.run(`PRAGMA busy_timeout = ${blockingMs}`);
  const busy = sqlite.query<{ busy: number }, []>("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy;
  if (busy) throw new Busy("Another process did not stop reading the database");
}

/** Counts in the file and its log, ignoring case. */
const countIn = (file: string, forms: string[]): number =>
  [file, `${file}-wal`].filter((path) => existsSync(path)).reduce((sum, path) => sum + countInFile(path, forms), 0);

const chunkBytes = 2 ** 20;

function countInFile(path: string, forms: string[]): number {
  const wanted = [...new Set(forms.map((form) => Buffer.from(form).toString("latin1").toLowerCase()))];
  const overlap = Math.max(0, ...wanted.map(({ length }) => length - 1));
  const descriptor = openSync(path, "r");
  const buffer = Buffer.alloc(chunkBytes);
  let [count, rest] = [0, ""];
  try {
    for (let bytes = 0; (bytes = readSync(descriptor, buffer)) > 0;) {
      const text = rest + buffer.toString("latin1", 0, bytes).toLowerCase();
      const end = Math.max(0, text.length - overlap); // a match that begins after it is counted with the next chunk
      count += beginningBefore(end, text, wanted);
      rest = text.slice(end);
    }
    return count + beginningBefore(rest.length, rest, wanted);
  } finally {
    closeSync(descriptor);
  }
}

function beginningBefore(end: number, text: string, wanted: string[]): number {
  let count = 0;
  for (const form of wanted)
    for (let at = text.indexOf(form); at >= 0 && at < end; at = text.indexOf(form, at + 1)) count++;
  return count;
}

/** In a process of its own: the task comes on stdin, and the result goes to stdout. */
export async function run(): Promise<void> {
  try {
    process.stdout.write(JSON.stringify(await scrubbed(JSON.parse(readFileSync(0, "utf8")))));
  } catch (error) {
    process.stderr.write(error instanceof Error ? error.message : String(error)); // alone: Bun would add its version below
    process.exitCode = 1;
  }
}

if (import.meta.main) void run(); // no await: the compiled program can hold none at the top of a module
