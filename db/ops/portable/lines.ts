import type { CopiedColumn, Row, Value } from "../copy/tables";
import type { NamedRow } from "./tables";

/* A row as a line of JSON: times in ISO 8601, flags as true and false, JSON as it is, bytes in base64. */

type Columns = { columns: CopiedColumn[] };

export const namedRow = ({ columns }: Columns, row: Row): NamedRow =>
  Object.fromEntries(columns.map(({ name }, at) => [name, row[at] ?? null]));

export const lineOf = ({ columns }: Columns, row: NamedRow): string =>
  `${JSON.stringify(Object.fromEntries(columns.map((column) => [column.name, legible(column, row[column.name] ?? null)])))}\n`;

function legible({ kind }: CopiedColumn, value: Value): unknown {
  if (value === null) return null;
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (kind === "time") return new Date(Number(value)).toISOString();
  if (kind === "flag") return value === 1;
  return kind === "json" ? JSON.parse(String(value)) : value;
}

/**
 * Reads a line. A column that an earlier version did not export gets its initial value.
 *
 * @throws if the line has a column that is unknown here, or lacks one that a row needs
 */
export function rowIn({ columns }: Columns, line: string): NamedRow {
  const object: unknown = JSON.parse(line);
  if (typeof object !== "object" || object === null) throw new Error("is not an object");
  const values = new Map<string, unknown>(Object.entries(object));
  const row: NamedRow = {};
  for (const column of columns) {
    const value = values.has(column.name) ? storedValue(column, values.get(column.name)) : column.initial;
    if (value === undefined) throw new Error(`has no ${column.name}`);
    row[column.name] = value;
    values.delete(column.name);
  }
  const [unknown] = values.keys();
  if (unknown !== undefined) throw new Error(`has the unknown column ${unknown}`);
  return row;
}

function storedValue({ kind, name }: CopiedColumn, value: unknown): Value {
  if (value === null) return null;
  if (kind === "json") return JSON.stringify(value);
  if (kind === "flag" && typeof value === "boolean") return Number(value);
  if (kind === "bytes" && typeof value === "string") return new Uint8Array(Buffer.from(value, "base64"));
  if (kind === "time" && typeof value === "string") {
    const time = Date.parse(value);
    if (Number.isSafeInteger(time)) return time;
  }
  if (kind === "plain" && (typeof value === "string" || typeof value === "number")) return value;
  throw new Error(`has an invalid ${name}`);
}
