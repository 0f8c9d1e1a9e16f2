import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Lock, takeLock } from "../../db/engine/sqlite/lock";
import { commandOf } from "../../db/lib/own-process";
import { dayMs } from "../../db/lib/time";
import type { BackupPlace } from "../platform/config-fields";
import type { Copy } from "./copies";

/** What is copied, where to, and for whom. */
export type BackupJob = {
  what: "copy" | "erasures";
  place: BackupPlace;
  installation: string;
  recipient: string;
  database: string;
  erasureLog: string;
  /** The file of a generated secret. */
  secretFile: string | undefined;
  /** Of one processor, 0 to 1. */
  share: number;
};

/**
 * Who copies the database holds this lock: two copies at a time would take twice the space and the processor. Returns
 * undefined while another process holds it.
 */
export const lockCopying = ({ database }: Pick<BackupJob, "database">): Lock | undefined =>
  takeLock(join(dirname(database), "copying.lock"));

/** Whether any process is copying the database. */
export function isBeingCopied(job: Pick<BackupJob, "database">): boolean {
  const lock = lockCopying(job);
  lock?.release();
  return !lock;
}

/** What the folder of a process begins with, in which it has a copy open. Its number follows. */
export const temporary = "copying-";

/** Returns the folders in DATA_DIR of processes that were killed while they had a copy open: it contains people. */
export const abandoned = (dataDir: string): string[] =>
  readdirSync(dataDir)
    .filter((name) => name.startsWith(temporary))
    .filter((name) => {
      const usedAt = statSync(join(dataDir, name), { throwIfNoEntry: false })?.mtimeMs ?? 0; // another process removes them, too
      const isOld = Date.now() - usedAt > dayMs; // its number may be another process's by now
      return isOld || !isAnotherProcess(Number(name.slice(temporary.length)));
    })
    .map((name) => join(dataDir, name));

/** Whether a process other than this one runs with that number. Linux finds threads under their numbers, too. */
function isAnotherProcess(pid: number): boolean {
  if (pid === process.pid || existsSync(`/proc/self/task/${pid}`)) return false;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** `leftover`: why older copies could not be removed. What was copied is good all the same. */
export type BackupResult = { copy?: Copy; problem?: string; leftover?: string };

/**
 * Does the job in a process of its own with a low priority, because encrypting takes 16 seconds of processor time
 * a gigabyte. The job is passed through a pipe: it contains keys, and everyone on the machine can read arguments.
 */
export async function runBackup(job: BackupJob, signal?: AbortSignal): Promise<BackupResult> {
  const child = Bun.spawn(commandOf("src/backups/run.ts"), {
    stdin: new Blob([JSON.stringify(job)]),
    stdout: "pipe",
    stderr: "pipe",
    ...(signal && { signal }),
  });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (code === 0) return JSON.parse(out);
  return { problem: `It ended with ${child.signalCode ?? code}: ${err.trim().split("\n").at(-1)}` };
}
