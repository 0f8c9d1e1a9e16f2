import { sql } from "drizzle-orm";
import { byEngine } from "../engine/by-engine";
import type { Orm } from "../engine/open";

/** Counts that guarded transactions (docs/decisions/postgres.md) make without a row that represents them. */
const locks = { mailbox: 71, emailsToStrangers: 72, broadcastEmails: 73, network: 74 };

/**
 * Acquires a lock until the transaction ends; what is read afterwards includes what the previous holder wrote. A
 * serializable transaction would read what was there before it waited, so the cast in it fails.
 */
export const lockUntilCommit = byEngine<(orm: Orm, lock: keyof typeof locks, name?: string) => Promise<void>>({
  sqlite: async () => {}, // SQLite has only one write transaction at a time
  postgres: async (orm, lock, name = "") =>
    void (await orm.run(sql`select pg_advisory_xact_lock(${locks[lock]}::int, hashtext(${name})),
      cast(nullif(current_setting('transaction_isolation'), 'read committed') as int) as "is not guarded"`)),
});
