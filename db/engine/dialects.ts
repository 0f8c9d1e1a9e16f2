import type { Orm } from "./open";
import { PostgresOrm } from "./postgres/dialect";
import { type SQL, sql, type SQLWrapper } from "drizzle-orm";

/**
 * Chooses by engine, for what the engines cannot do with the same SQL, such as text search. The code is next to its
 * subject, because the engine knows no table. By the orm, because units of work have no `Db`.
 */
export const byEngine =
  <T>(choice: { sqlite: T; postgres: T }) =>
  (orm: Orm): T =>
    orm instanceof PostgresOrm ? choice.postgres : choice.sqlite;

/**
 * Locks the rows that a query finds until the transaction ends. Stands around the query's last clause. PostgreSQL reads
 * the comment as SQL (postgres/dialect.ts); SQLite, which has only one write transaction at a time, skips it.
 */
export const forUpdate = (lastClause: SQLWrapper | undefined): SQL => sql`${lastClause} /*pg for update*/`;

/** The same, without rows that another transaction has locked. */
export const forUpdateSkipLocked = (lastClause: SQLWrapper): SQL => sql`${lastClause} /*pg for update skip locked*/`;

/** Keeps others from deleting the rows until the transaction ends. */
export const forKeyShare = (lastClause: SQLWrapper): SQL => sql`${lastClause} /*pg for key share*/`;

/** Counts that guarded transactions (docs/decisions/postgres.md) make without a row that represents them. */
const locks = {
  mailbox: 71,
  emailsToStrangers: 72,
  broadcastEmails: 73,
  network: 74,
  audienceTags: 75,
  audienceTopics: 76,
  audienceFields: 77,
  postRules: 78,
};

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

/* In SQL that both engines understand. If the second value is null, so is the result. */
export const largerOf = (a: SQL, b: SQL) => sql`case when ${a} >= ${b} then ${a} else ${b} end`;
export const smallerOf = (a: SQL, b: SQL) => sql`case when ${a} <= ${b} then ${a} else ${b} end`;
