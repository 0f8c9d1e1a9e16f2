import type { Orm } from "./open";
import { PostgresOrm } from "./postgres/dialect";

/**
 * Chooses by engine, for what the engines cannot do with the same SQL, such as text search. The code is next to its
 * subject, because the engine knows no table. By the orm, because units of work have no `Db`.
 */
export const byEngine =
  <T>(choice: { sqlite: T; postgres: T }) =>
  (orm: Orm): T =>
    orm instanceof PostgresOrm ? choice.postgres : choice.sqlite;
