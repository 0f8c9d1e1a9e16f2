import { commandOf } from "../../db/lib/own-process";
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

export type BackupResult = { copy?: Copy; problem?: string };

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
