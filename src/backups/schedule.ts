import { statSync } from "node:fs";
import { Background } from "../../db/async/background";
import type { Db } from "../../db/engine/open";
import * as state from "../../db/ops/backup-state";
import type { Config } from "../platform/config";
import { erasureLog } from "../platform/data-dir";
import { described, type Log, messageOf } from "../platform/log";
import { type BackupJob, type BackupResult, isBeingCopied, runBackup } from "./job";
import { placeOf } from "./place";

const lookEveryMs = 5_000;
const retryAfterMs = 10 * 60_000;
const retryLogAfterMs = 60_000;
/** Of a processor: a tenth with what starting and ending take. A copy is in no hurry. */
export const scheduledShare = 0.09;

type Needs = { config: Config; db: Db; log: Log; now: () => Date };

/**
 * What a copy needs to know; undefined without BACKUP_URL, or as long as there is no key.
 *
 * @throws if BACKUP_URL names a storage node that cannot be used
 */
export async function jobFor(
  { config, db }: Pick<Needs, "config" | "db">,
  share: number,
): Promise<BackupJob | undefined> {
  const { secretFile } = config;
  const recipient = await state.backupRecipient(db);
  if (!db.file || !recipient) return;
  const place = await placeOf(config, db);
  if (!place) return;
  const installation = await state.backupId(db);
  const files = { database: db.file, erasureLog: erasureLog(config), secretFile };
  return { what: "copy", place, installation, recipient, ...files, share };
}

/** Records what became of an attempt. */
export async function recordAttempt(db: Db, { copy, problem }: BackupResult, now: Date): Promise<void> {
  if (copy) {
    const { name, bytes } = copy;
    const last = { name, bytes, at: Date.parse(copy.at), provedAt: Date.parse(copy.provedAt) };
    await state.recordBackup(db, { last, problem: undefined });
  } else if (problem) await state.recordBackup(db, { problem: { at: now.getTime(), text: problem.slice(0, 300) } });
}

/**
 * Copies the database to BACKUP_URL every BACKUP_EVERY, and again ten minutes after an attempt that failed; and the log
 * of erasures within seconds of each erasure. Old copies are deleted after a good one (`expired` in `copies.ts`). If none
 * was good for two periods, src/alerts tells.
 */
export function startBackups(deps: Needs, run = runBackup, everyMs = lookEveryMs): Background {
  const { db, log, now } = deps;
  const background = new Background((error) => log.error("backup", described(error)));
  let sentLog = ""; // as it was when it was copied last
  let logFailedAt = Number.NEGATIVE_INFINITY;

  async function copyErasures(job: BackupJob): Promise<void> {
    const version = versionOf(job.erasureLog);
    const logNow = version && `${version} ${job.recipient}`; // copied again for a new key
    const at = now().getTime();
    if (logNow === sentLog || Math.abs(at - logFailedAt) < retryLogAfterMs) return;
    const { problem, leftover } = await run({ ...job, what: "erasures" }, background.signal);
    if (leftover) log.warn("old logs of erasures not removed", { problem: leftover });
    if (!problem) sentLog = logNow;
    else if (!background.signal.aborted) {
      logFailedAt = at;
      log.error("erasures not copied", { problem });
    }
  }

  async function copyDatabase(job: BackupJob): Promise<void> {
    const result = await run(job, background.signal);
    if (background.signal.aborted) return;
    if (!result.problem) log.info("backup proved", { name: result.copy?.name, bytes: result.copy?.bytes });
    await finish(deps, result);
  }

  const job = () => jobFor(deps, scheduledShare).catch((error) => ({ problem: messageOf(error) }));

  async function lookAtErasures(): Promise<void> {
    const current = await job();
    if (current && !("problem" in current)) await copyErasures(current);
  }

  async function lookAtDatabase(): Promise<void> {
    const last = await state.backupState(db);
    if (last.since === undefined) await state.recordBackup(db, { since: now().getTime() });
    if (!isDue(last, deps.config.BACKUP_EVERY, now())) return;
    if (db.file && isBeingCopied({ database: db.file })) return; // by a command: then it is no longer due
    const current = await job();
    if (current) await ("problem" in current ? finish(deps, current) : copyDatabase(current));
  }

  // Each goes on without the other: a copy of a large database takes hours, and an erasure must not wait for it
  for (const tick of [oneAtATime(lookAtErasures), oneAtATime(lookAtDatabase)]) {
    background.run(tick);
    background.every(everyMs, tick);
  }
  return background;
}

/** Skips a call while the one before is not finished. */
function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let isBusy = false;
  return async () => {
    if (isBusy) return;
    isBusy = true;
    await work().finally(() => (isBusy = false));
  };
}

async function finish({ db, log, now }: Needs, result: BackupResult): Promise<void> {
  if (result.problem) log.error("backup failed", { problem: result.problem });
  if (result.leftover) log.warn("old backups not removed", { problem: result.leftover });
  await recordAttempt(db, result, now());
}

/** Whether it is time for a copy. A time in the future is that of a clock that was wrong. */
function isDue({ last, problem }: state.BackupState, every: number, now: Date): boolean {
  const isOver = (at: number | undefined, wait: number) => at === undefined || Math.abs(now.getTime() - at) >= wait;
  return isOver(last?.at, every) && isOver(problem?.at, retryAfterMs);
}

/** Changes whenever the file does. Empty if there is none. */
function versionOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats ? `${stats.size} ${stats.mtimeMs}` : "";
}
