import type { Orm } from "./open";
import { PostgresOrm } from "./postgres/dialect";

/** What the engines cannot do in the same words, such as finding a text. It lies beside its subject. */
export const byEngine =
  <T>(choice: { sqlite: T; postgres: T }) =>
  (orm: Orm): T =>
    orm instanceof PostgresOrm ? choice.postgres : choice.sqlite;
