import { Database } from "bun:sqlite";
import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { setPriority } from "node:os";
import { commandOf } from "../lib/own-process";

/** What to search for, up to which size the file may be rewritten, and whether it has to be. */
type Question = { file: string; forms: string[]; maxVacuumBytes: number; mustRewrite: boolean };
type Stoppable = { /** Ends it. SQLite undoes what it has not finished. */ signal?: AbortSignal | undefined };

/**
 * Empties the database's log and counts how often a text is still in the file, in a separate process: reading the file
 * here would release SQLite's locks on it, and takes a second per gigabyte. If the text is found, in unused parts of
 * pages, or if the file was never rewritten since deleted rows are overwritten, it is rewritten (VACUUM). The question
 * is passed through a pipe, because everyone on the machine can read arguments.
 *
 * @throws if it could not be done
 */
export async function scrub(question: Question, { signal }: Stoppable = {}): Promise<number> {
  const child = Bun.spawn(commandOf("db/ops/scrub.ts"), {
    env: {},
    stdin: new Blob([JSON.stringify(question)]),
    stdout: "pipe",
    stderr: "pipe",
    ...(signal && { signal }),
  });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (code !== 0) throw new Error(`The check ended with ${child.signalCode ?? code}: ${err.trim().split("\n").at(-1)}`);
  return Number(out);
}

const busyMs = 10_000;

const patienceMs = 5 * 60_000;

/** Others that check the file, or write to it for long, are waited for. */
async function scrubbedInTurn(question: Question): Promise<number> {
  for (const end = Date.now() + patienceMs; ;) {
    try {
      return scrubbed(question);
    } catch (error) {
      const isBusy =
        error instanceof Busy || (error instanceof Error && "code" in error && error.code === "SQLITE_BUSY");
      if (!isBusy || Date.now() >= end) throw error;
      await Bun.sleep(100 + Math.random() * 400);
    }
  }
}

class Busy extends Error {}

function scrubbed({ file, forms, maxVacuumBytes, mustRewrite }: Question): number {
  const sqlite = new Database(file, { readwrite: true, create: false });
  try {
    sqlite.run(`PRAGMA busy_timeout = ${busyMs}`);
    sqlite.run("PRAGMA secure_delete = ON");
    emptyLog(sqlite);
    const remnants = countIn(file, forms);
    const isClean = sqlite.query("SELECT 1 FROM installation WHERE name = 'rewrittenAt'").get() !== null;
    const isTooLarge = statSync(file).size > maxVacuumBytes;
    if (isTooLarge && mustRewrite) throw new Error("The file is so large that only `people erase` rewrites it");
    if ((isClean && !remnants && !mustRewrite) || isTooLarge) return remnants;
    sqlite.run("VACUUM");
    sqlite.run("INSERT INTO installation VALUES ('rewrittenAt', ?) ON CONFLICT DO NOTHING", [new Date().toISOString()]);
    emptyLog(sqlite);
    return countIn(file, forms);
  } finally {
    sqlite.close();
  }
}

function emptyLog(sqlite: Database): void {
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

/** In a process of its own: what is wanted comes on stdin, and the number of places goes to stdout. */
export async function run(): Promise<void> {
  setPriority(10);
  try {
    process.stdout.write(String(await scrubbedInTurn(JSON.parse(readFileSync(0, "utf8")))));
  } catch (error) {
    process.stderr.write(error instanceof Error ? error.message : String(error)); // alone: Bun would add its version below
    process.exitCode = 1;
  }
}

if (import.meta.main) void run(); // no await: the compiled program can hold none at the top of a module
