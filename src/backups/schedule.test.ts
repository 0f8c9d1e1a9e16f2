import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import * as state from "../../db/ops/backup-state";
import { look } from "../../test/support/look";
import { temporaryFolder } from "../../test/support/processes";
import { testService } from "../../test/support/service";
import { checkAlerts } from "../alerts/watch";
import { compose } from "../emails/compose";
import { abandoned, type BackupJob, type BackupResult, lockCopying } from "./job";
import { startBackups } from "./schedule";

const hourMs = 3_600_000;

/** A service whose copies are as the test says, and what it asked for. */
async function stage(more: Record<string, string> = {}) {
  const folder = temporaryFolder();
  const env = { BACKUP_URL: "s3://key:secret@s3.example.com/bucket/copies", DATA_DIR: folder.path, ...more };
  const service = await testService(env, join(folder.path, "postroom.sqlite"));
  const { db, deps, clock } = service;
  const asked: BackupJob["what"][] = [];
  let outcome: "good" | "refused" | "untidy" = "good";
  const shares: number[] = [];
  const run = async ({ what, share }: BackupJob): Promise<BackupResult> => {
    asked.push(what);
    shares.push(share);
    if (outcome === "refused") return { problem: "AccessDenied" };
    const at = new Date(clock.time).toISOString();
    const facts = { rows: {}, lastEntry: "", databaseBytes: 1, databaseSha256: "", sha256: "" };
    const result = what === "copy" ? { copy: { ...facts, name: at, at, provedAt: at, bytes: 5_000_000 } } : {};
    return outcome === "untidy" ? { ...result, leftover: "SlowDown" } : result;
  };
  return {
    ...service,
    folder: folder.path,
    /** Of a processor, that each copy may take. */
    shares,
    refuse: (is: boolean) => (outcome = is ? "refused" : "good"),
    leaveOlder: () => void (outcome = "untidy"),
    /** What the schedule asks for at this time. */
    async asksFor(): Promise<BackupJob["what"][]> {
      const backups = startBackups(deps, run, 2 ** 31 - 1);
      await backups.settled();
      await backups.close();
      return asked.splice(0);
    },
    /** The next checks, a minute later. */
    async passMinute() {
      clock.time += 60_000;
      await this.asksFor();
      await checkAlerts(deps, {
        diskSpace: async () => ({ free: 1, total: 1 }),
        certificateValidity: async () => undefined,
      });
    },
    mails: () => look<{ recipient: string; payload: string }>(db, "select * from outbox where kind = 'notice'"),
    async [Symbol.asyncDispose]() {
      await db.close();
      folder[Symbol.dispose]();
    },
  };
}

test("what a killed process had opened is removed, and what others have open is not", () => {
  using folder = temporaryFolder();
  const ended = Bun.spawnSync(["true"]).pid;
  // in a container numbers begin anew: what was a process's may be one of our own threads' now
  const threads = existsSync("/proc/self/task") ? readdirSync("/proc/self/task") : [];
  for (const number of [ended, ...threads, process.ppid, "kept"])
    mkdirSync(join(folder.path, `copying-${number}`), { recursive: true });
  mkdirSync(join(folder.path, "backups"));
  const names = abandoned(folder.path).map((path) => basename(path));
  expect(names.sort()).toEqual([ended, ...threads, "kept"].map((number) => `copying-${number}`).sort());
});

test("a copy is made when there is a key, and again after BACKUP_EVERY, or ten minutes after one that failed", async () => {
  await using at = await stage();
  expect(await at.asksFor()).toEqual([]);
  await state.setBackupRecipient(at.db, "age1x");
  expect(await at.asksFor()).toEqual(["copy"]);
  at.clock.time += 6 * hourMs - 1;
  expect(await at.asksFor()).toEqual([]);
  at.clock.time += 1;
  at.refuse(true);
  expect(await at.asksFor()).toEqual(["copy"]);
  at.clock.time += 10 * 60_000 - 1;
  expect(await at.asksFor()).toEqual([]);
  at.clock.time += 1;
  at.refuse(false);
  expect(await at.asksFor()).toEqual(["copy"]);
  expect(await at.asksFor()).toEqual([]);
  expect(Math.max(...at.shares)).toBeLessThanOrEqual(0.1);
});

test("a copy is good although older ones could not be removed; that is a line of the log alone", async () => {
  await using at = await stage();
  await state.setBackupRecipient(at.db, "age1x");
  at.leaveOlder();
  writeFileSync(join(at.folder, "erasures.log"), "1\n");
  expect((await at.asksFor()).sort()).toEqual(["copy", "erasures"]);
  expect(Object.keys(await state.backupState(at.db)).sort()).toEqual(["last", "since"]);
  const told = at.logged.filter(({ level }) => level === "warn").map(({ event, problem }) => [event, problem]);
  expect(told.sort()).toEqual([
    ["old backups not removed", "SlowDown"],
    ["old logs of erasures not removed", "SlowDown"],
  ]);
});

test("no copy is made while another process makes one", async () => {
  await using at = await stage();
  await state.setBackupRecipient(at.db, "age1x");
  const other = lockCopying({ database: join(at.folder, "postroom.sqlite") });
  expect(await at.asksFor()).toEqual([]);
  other?.release();
  expect(await at.asksFor()).toEqual(["copy"]);
});

test("the log of erasures is copied as soon as there is one", async () => {
  await using at = await stage();
  await state.setBackupRecipient(at.db, "age1x");
  expect(await at.asksFor()).toEqual(["copy"]);
  writeFileSync(join(at.folder, "erasures.log"), "key\tx\n");
  expect(await at.asksFor()).toEqual(["erasures"]);
});

test("an erasure during a copy of the database is copied without waiting for its end", async () => {
  await using at = await stage();
  await state.setBackupRecipient(at.db, "age1x");
  const asked: BackupJob["what"][] = [];
  const areErasuresCopied = Promise.withResolvers<void>();
  const backups = startBackups(
    at.deps,
    async ({ what }) => {
      asked.push(what);
      if (what === "erasures") areErasuresCopied.resolve();
      else {
        writeFileSync(join(at.folder, "erasures.log"), "key\tx\n");
        await areErasuresCopied.promise;
      }
      return { problem: "" };
    },
    10,
  );
  await areErasuresCopied.promise;
  await backups.close();
  expect(asked.slice(0, 2)).toEqual(["copy", "erasures"]);
});

test("a storage node that does not exist is the reason that the last attempt failed", async () => {
  await using at = await stage({ BACKUP_URL: "node:attic" });
  await state.setBackupRecipient(at.db, "age1x");
  for (let n = 0; n < 2; n++) expect(await at.asksFor()).toEqual([]);
  const { problem } = await state.backupState(at.db);
  expect(problem?.text).toBe("The storage node “attic” in BACKUP_URL was not found.");
  expect(at.logged.filter(({ event }) => event === "backup failed")).toHaveLength(1);
});

test("when no copy was good for two periods the owner gets one email, and the overview says so until one is", async () => {
  await using at = await stage({ BACKUP_EVERY: "1h" }); // a session ends after twelve
  const manager = await at.signIn();
  await at.post("/api/newsletter/subscribe", { email: "ada@example.com" });
  const overview = async () =>
    (await (await manager.get("/dashboard")).text()).replace(/<[^>]+>/g, "").replace(/\s+/g, " ");
  await at.asksFor();
  expect(await overview()).toContain("No backups are made until there is a key to encrypt them.");
  await state.setBackupRecipient(at.db, "age1x");
  await at.asksFor();
  expect(await overview()).toContain("Last good copy: just now, 5 MB. It was read back, decrypted and compared.");
  const untested = "The key was not tested in the last 90 days.";
  const verified = async (daysAgo: number) => {
    await state.recordBackup(at.db, { verifiedAt: at.clock.time - daysAgo * 24 * hourMs });
    return overview();
  };
  expect(await overview()).toContain(untested);
  expect(await verified(89)).not.toContain(untested);
  expect(await verified(90)).toContain(untested);
  at.refuse(true);
  at.clock.time += 2 * hourMs;
  await at.asksFor();
  expect(await at.mails()).toEqual([]);
  expect(await overview()).not.toContain("There is no good backup");
  at.clock.time += 1;
  for (let n = 0; n < 3; n++) await at.passMinute();
  const [mail, ...others] = await at.mails();
  expect([mail?.recipient, others]).toEqual(["owner@example.com", []]);
  expect(await overview()).toContain("There is no good backup since 2 hours ago.");
  const notice = { ...mail, payload: JSON.parse(mail?.payload ?? ""), createdAt: at.now() };
  const email = await compose(at, notice as never);
  expect(email?.subject).toBe("No good backup since 21 November 2026 at 12:00 UTC");
  expect(email?.text).toContain("The last attempt failed: AccessDenied");

  at.refuse(false);
  at.clock.time += 10 * 60_000;
  for (let n = 0; n < 3; n++) await at.passMinute();
  expect(await overview()).not.toContain("There is no good backup");
  expect(await at.mails()).toMatchObject([{ state: "cancelled" }]); // there is one now
  at.refuse(true);
  at.clock.time += 2 * hourMs + 1;
  for (let n = 0; n < 3; n++) await at.passMinute();
  expect(await at.mails()).toHaveLength(2);
});
