/**
 * Text as the search compares it: case and compatibility forms folded in full Unicode (D20), so that "STRASSE" finds
 * "Straße" and "ΟΔΟΣ" finds "οδός" without its accent only if it was typed so. Upper case first, because lower-casing
 * alone keeps ß and the final sigma apart from their capitals.
 */
export const fold = (text: string): string =>
  text
    .normalize("NFKC")
    .toUpperCase()
    .toLowerCase()
    .replaceAll("ς", "σ")
    .normalize("NFKC")
    .replace(unsearchable, "\ufffd");

/** Fields folded into one searchable column, each text once. The separator is a noncharacter: no query can reach across it. */
export const foldAll = (...fields: (string | null | undefined)[]): string =>
  [...new Set(fields.map((field) => fold(field ?? "")))].join(separator);

const separator = "\ufdd0";
/** A NUL ends the text for SQLite's search index, U+FFFE and U+FFFF are U+FFFD to it; the other is our separator. */
const unsearchable = /[\0\ufdd0\ufffe\uffff]/g;

/** A LIKE pattern that matches `text` literally anywhere. Use with `escape '\'`. */
export const contains = (text: string): string => `%${fold(text).replace(/[\\%_]/g, "\\$&")}%`;
