import { type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { normalized } from "./text";
import { runSync, slicesOf } from "../async/in-slices";

/**
 * Folds text for searching: case and compatibility forms in full Unicode (D20), so that "STRASSE" finds "Straße" and
 * "ΟΔΟΣ" finds "οδός" without its accent only if it was typed that way. Upper case first, because lower-casing alone
 * keeps ß and the final sigma apart from their capitals.
 */
export const fold = (text: string): string => runSync(folding(text));

/**
 * Folds fields into one searchable column, each distinct text once. The separator is a noncharacter, so that no query
 * can match across it.
 */
export const foldAll = (...fields: (string | null | undefined)[]): string => runSync(foldingAll(...fields));

/** `foldAll` in slices, for fields that may be long. */
export function* foldingAll(...fields: (string | null | undefined)[]): Generator<void, string> {
  const folded = new Set<string>();
  for (const field of fields) folded.add(yield* folding(field ?? ""));
  return [...folded].join(separator);
}

function* folding(text: string): Generator<void, string> {
  let folded = "";
  for (const slice of slicesOf(text)) {
    if (folded) yield;
    folded += foldSlice(slice);
  }
  return folded;
}

/**
 * A long text consisting only of U+FDFA would become eighteen times as long. Slices that grow this much keep their
 * original form.
 */
const maxGrowth = 3;

function foldSlice(text: string): string {
  const compatible = normalized(text, "NFKC");
  const grows = compatible.length > 2_000 && compatible.length > maxGrowth * text.length;
  const [kept, form] = grows ? ([text, "NFC"] as const) : ([compatible, "NFKC"] as const);
  return normalized(kept.toUpperCase().toLowerCase().replaceAll("ς", "σ"), form).replace(unsearchable, "\ufffd");
}

const separator = "\ufdd0";
/**
 * A NUL ends the text for SQLite's search index, which also turns U+FFFE and U+FFFF into U+FFFD. The other one is our
 * separator.
 */
const unsearchable = /[\0\ufdd0\ufffe\uffff]/g;

/** Returns a LIKE pattern that matches `text` literally anywhere. Use with `escape '\'`. */
export const contains = (text: string): string => `%${fold(text).replace(/[\\%_]/g, "\\$&")}%`;

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
