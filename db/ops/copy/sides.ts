import type { Compatibility } from "../compatibility";
import type { CopiedTable, Row } from "./tables";

/** A database of either engine. */
export type Side = {
  compatibility(): Promise<Compatibility>;
  /** Whether a service appears to be running on it. */
  isInUse(): Promise<boolean>;
  /** Rows in the order of their key, in batches of up to a thousand rows and about 8 MB. */
  rows(table: CopiedTable): AsyncIterable<Row[]>;
  close(): Promise<void>;
};
/** Where rows come from. */
export type Source = Side & {
  /** Everything read from now on is from the same moment. */
  begin(): Promise<void>;
};
/** The target of the rows: what is inserted exists after `finish`, and nothing does if that is not reached. */
export type Target = Side & {
  /** Returns the name of a table that already has rows. */
  filledTable(tables: CopiedTable[]): Promise<string | undefined>;
  prepare(tables: CopiedTable[]): Promise<void>;
  insert(table: CopiedTable, rows: Row[]): Promise<void>;
  finish(): Promise<void>;
};
