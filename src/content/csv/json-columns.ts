import { joinNames } from "../../../db/lib/text";

/** A value in a column of JSON, such as `city` in listmonk's `attributes` or Buttondown's `metadata`. */
export type JsonValue = { column: number; path: string };

const maxDepth = 3;
const maxPath = 60; // characters
const maxValues = 200; // in one cell

/**
 * Reads columns that hold an object of JSON as one column for each of its values, so that each can be matched like any
 * other. They come after the columns of the file, in the order in which they first occur.
 */
export class JsonColumns {
  private readonly byPath = new Map<string, number>();

  /** @param columns how many the file has. @param maxMore how many values are looked at: others are left out */
  constructor(
    private readonly columns: number,
    private readonly maxMore: number,
    readonly values: JsonValue[] = [],
  ) {
    for (const [at, { column, path }] of values.entries()) this.byPath.set(`${column} ${path}`, at);
  }

  /** Adds the values that a row is the first to have. */
  discover(cells: string[]): void {
    for (const [column, text] of cells.slice(0, this.columns).entries())
      for (const [path] of valuesIn(text)) {
        const key = `${column} ${path}`;
        if (this.byPath.has(key) || this.values.length >= this.maxMore) continue;
        this.byPath.set(key, this.values.push({ column, path }) - 1);
      }
  }

  /** Returns the cells of a row with its values behind them. */
  expanded(cells: string[]): string[] {
    if (!this.values.length) return cells;
    const more = this.values.map(() => "");
    for (const [column, text] of cells.slice(0, this.columns).entries())
      for (const [path, value] of valuesIn(text)) {
        const at = this.byPath.get(`${column} ${path}`);
        if (at !== undefined) more[at] = value;
      }
    return [...Array.from({ length: this.columns }, (_, at) => cells[at] ?? ""), ...more];
  }
}

/** The values in a cell with the paths to them, as text; none if it is no object of JSON. */
function valuesIn(cell: string): Map<string, string> {
  const values = new Map<string, string>();
  const text = cell.trim();
  const object = text.startsWith("{") && text.endsWith("}") ? jsonIn(text) : undefined;
  if (object !== undefined) collect(values, object, "", 1);
  return values;
}

/** The text of a cell is never long (`reader.ts`), which bounds the depth as well. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function collect(values: Map<string, string>, object: unknown, prefix: string, depth: number): void {
  if (typeof object !== "object" || object === null) return;
  for (const [key, value] of Object.entries(object)) {
    const path = prefix + key;
    if (!key.trim() || path.length > maxPath || values.size >= maxValues) continue;
    const text = textOf(value);
    if (text !== undefined) values.set(path, text);
    else if (depth < maxDepth && !Array.isArray(value)) collect(values, value, `${path}.`, depth + 1);
  }
}

/** A value as a cell would have it, a list as names. Undefined for what has values of its own. */
function textOf(value: unknown): string | undefined {
  if (value === null) return "";
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const isList = Array.isArray(value) && value.every((one) => typeof one === "string" || typeof one === "number");
  return isList ? joinNames(value.map(String)) : undefined;
}
