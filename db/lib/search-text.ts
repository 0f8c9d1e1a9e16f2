import { type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { contains, fold } from "./fold";

/**
 * Condition: the column contains the text in any case, for columns that are not folded when they are stored. lower()
 * knows only the letters a to z, on SQLite and under the collation "C", so the others that are searched for are replaced
 * one by one.
 */
export function containsIn(column: SQLiteColumn, text: string): SQL {
  const folded = fold(text);
  let lowered = sql`lower(${column})`;
  for (const [capital, small] of capitalsOf(folded)) lowered = sql`replace(${lowered}, ${capital}, ${small})`;
  return sql`${lowered} like ${contains(text)} escape '\\'`;
}

/** Returns how the letters of a folded text may be written otherwise. */
function capitalsOf(folded: string): [capital: string, small: string][] {
  const others = [...new Set(folded)].filter((letter) => letter > "\x7f");
  const capitals = others.map((letter): [string, string] => [letter.toUpperCase(), letter]);
  return [
    ...capitals.filter(([capital, small]) => capital !== small && [...capital].length === 1),
    ...(folded.includes("σ") ? [["ς", "σ"] satisfies [string, string]] : []),
    ...(folded.includes("ss") ? [["ß", "ss"] satisfies [string, string], ["ẞ", "ss"] satisfies [string, string]] : []),
  ];
}
