import { sql } from "drizzle-orm";
import { byEngine } from "../engine/by-engine";
import type { Orm } from "../engine/open";

/** What is counted by works that are guarded by rows, although no row stands for it. */
const locks = { mailbox: 71, emailsToStrangers: 72 };

/** Until the transaction ends no one else gets the same lock; what is read afterwards is what the one before left. */
export const lockUntilCommit = byEngine<(orm: Orm, lock: keyof typeof locks, name?: string) => Promise<void>>({
  sqlite: async () => {}, // there is only one transaction at a time
  postgres: async (orm, lock, name = "") =>
    void (await orm.run(sql`select pg_advisory_xact_lock(${locks[lock]}::int, hashtext(${name}))`)),
});
