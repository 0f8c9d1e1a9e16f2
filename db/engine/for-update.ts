import { type SQL, sql, type SQLWrapper } from "drizzle-orm";

/**
 * Locks the rows that a query finds until the transaction ends. Stands around the query's last clause. PostgreSQL reads
 * the comment as SQL (postgres/dialect.ts); SQLite, which has only one write transaction at a time, skips it.
 */
export const forUpdate = (lastClause: SQLWrapper | undefined): SQL => sql`${lastClause} /*pg for update*/`;

/** The same, without rows that another transaction has locked. */
export const forUpdateSkipLocked = (lastClause: SQLWrapper): SQL => sql`${lastClause} /*pg for update skip locked*/`;

/** Keeps others from deleting the rows until the transaction ends. */
export const forKeyShare = (lastClause: SQLWrapper): SQL => sql`${lastClause} /*pg for key share*/`;
