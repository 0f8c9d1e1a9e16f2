/** Tests that apply only to the embedded engine, with the reason. */
export const sqliteOnly: Record<string, string> = {
  "db/engine/sqlite/open.test.ts": "the write queue, the lock and the files of SQLite",
  "db/engine/sqlite/change-counter.test.ts": "asks without the pipeline, which PostgreSQL needs to be fresh",
  "db/newsletter/search.test.ts": "the index that takes new subscribers a thousand at a time",
  "test/e2e/server/damage.test.ts": "damaged files",
  "src/telemetry/integrity.test.ts": "damaged files",
  "db/ops/migrate.test.ts": "the migrations of SQLite",
  "db/ops/upgrade.test.ts": "the migrations of SQLite",
  "db/ops/upgrade-ledger.test.ts": "the migrations of SQLite",
  "src/cli/doctor/doctor.test.ts": "files of SQLite; test/postgres/doctor.test.ts has the rest",
  "db/ops/backup.test.ts": "copies of the file",
  "src/backups/schedule.test.ts": "copies of the file",
  "src/backups/frozen.test.ts": "copies of the file",
  "test/e2e/server/backups.test.ts": "copies of the file",
  "test/e2e/server/executable.test.ts": "commands on their own data folders",
  "test/torture/broadcast.test.ts": "senders that are killed share a file",
  "test/torture/webhooks.test.ts": "senders that are killed share a file",
  "test/torture/outbox.test.ts": "workers that are killed share a file",
  "test/torture/sequence.test.ts":
    "senders that are killed share a file; `npm run torture sequence -- 500 --postgres` has no such limit",
  "test/torture/digest.test.ts":
    "senders that are killed share a file; `npm run torture digest -- 2 100 --postgres` has no such limit",
  "test/torture/together.test.ts": "a process that is killed shares a file",
  "test/torture/one-commit.test.ts": "copies of the file",
};
