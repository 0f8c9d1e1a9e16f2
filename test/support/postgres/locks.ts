import { sql } from "drizzle-orm";
import type { Orm } from "../../../db/engine/open";

/** Lets a transaction wait for as long as a slow machine takes; those of the service end if they are idle for two seconds. */
export const mayIdle = (orm: Orm) => orm.values(sql`set local idle_in_transaction_session_timeout = 0`);

/** Lets it wait for locks for as long; those of the service give up after three seconds. */
export const mayWait = (orm: Orm) => orm.values(sql`set local lock_timeout = 0`);

/** Locks what this statement locks until the transaction ends. */
export async function lock(orm: Orm, statement: string) {
  await mayIdle(orm);
  await orm.values(sql.raw(statement));
}

/** @param inMode the table, and "in … mode" */
export const lockTable = (orm: Orm, inMode: string) => lock(orm, `lock table ${inMode}`);
