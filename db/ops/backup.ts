import { Database } from "bun:sqlite";
import { linkSync, rmSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { inspect, makeSelfContained, sync } from "./backup-file";

const chunkBytes = 1024 * 1024; // bytes
const share = 4; // the disk works a quarter of the time for the backup, and three quarters for waiting requests

/**
 * Writes everything committed so far into `file` while others read and write, slowly enough not to disturb them. The
 * file appears complete, checked and synced to disk, or not at all.
 *
 * @throws if `file` exists, or the copy does not pass its check
 */
export async function backup(database: string, file: string): Promise<void> {
  const draft = `${file}.${process.pid}.part`;
  try {
    await copy(database, draft);
    makeSelfContained(draft);
    const problem = inspect(draft);
    if (problem) throw new Error(`The backup is damaged: ${problem}`);
    sync(draft);
    linkSync(draft, file); // unlike a rename, it never replaces an existing file
    sync(dirname(file));
  } finally {
    for (const end of ["", "-wal", "-shm"]) rmSync(draft + end, { force: true });
  }
}

/**
 * Copies the database file and then its write-ahead log. While our read transaction is open, SQLite checkpoints no page
 * newer than what we see, and keeps all older pages in the log. So a page that changes while we copy is also in the
 * log, from which a reader of the copy takes it (https://sqlite.org/walformat.html, 2.3 and 4).
 */
async function copy(database: string, draft: string): Promise<void> {
  const sqlite = new Database(database, { readwrite: true, create: false });
  const main = await open(database); // closed last: closing a file releases all our locks on it
  try {
    sqlite.run("PRAGMA busy_timeout = 10000");
    sqlite.run("BEGIN");
    sqlite.query("SELECT count(*) FROM sqlite_schema").get(); // the transaction begins only now
    const log = await open(`${database}-wal`);
    const size = Math.min((await log.stat()).size, await usedLogBytes(database));
    await copyThrottled(main, draft, (await main.stat()).size);
    await copyThrottled(log, `${draft}-wal`, size).finally(() => log.close());
    sqlite.run("COMMIT");
    sqlite.query("PRAGMA wal_checkpoint(PASSIVE)").get(); // what had to wait for us; otherwise the service would checkpoint it in one go
  } finally {
    sqlite.close();
    await main.close();
  }
}

/**
 * Returns how many bytes of the log are in use: the file keeps its greatest length, and what is written later is not
 * part of the backup.
 */
async function usedLogBytes(database: string): Promise<number> {
  const sqlite = new Database(database, { readwrite: true, create: false });
  try {
    const { page_size: page } = sqlite.query<{ page_size: number }, []>("PRAGMA page_size").get() ?? { page_size: 0 };
    for (let tries = 0; tries < 20; tries++) {
      const frames = sqlite.query<{ log: number }, []>("PRAGMA wal_checkpoint(PASSIVE)").get()?.log ?? -1;
      if (frames >= 0) return 32 + frames * (24 + page); // walformat.html, 2.1 and 2.2
      await Bun.sleep(10); // another process is checkpointing right now and does not report a size
    }
    return Number.POSITIVE_INFINITY;
  } finally {
    sqlite.close();
  }
}

/** Copies chunk by chunk, each synced to disk before the next, with pauses in between. */
async function copyThrottled(from: FileHandle, to: string, size: number): Promise<void> {
  const target = await open(to, "wx", 0o600);
  const buffer = new Uint8Array(chunkBytes);
  try {
    for (let at = 0; at < size;) {
      const startedAt = performance.now();
      const { bytesRead } = await from.read(buffer, 0, Math.min(chunkBytes, size - at), at);
      if (!bytesRead) return;
      await target.write(buffer, 0, bytesRead, at);
      await target.datasync();
      at += bytesRead;
      await new Promise((resolve) => setTimeout(resolve, (share - 1) * (performance.now() - startedAt)));
    }
  } finally {
    await target.close();
  }
}
