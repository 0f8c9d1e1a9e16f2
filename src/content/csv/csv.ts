/** One line of a CSV file (RFC 4180), made safe for spreadsheets. */
export const csvLine = (cells: (string | null | undefined)[]): string =>
  `${cells.map((text) => quoted(guarded(text ?? ""))).join(",")}\r\n`;

/**
 * How a formula can begin in some spreadsheet (OWASP, CSV injection). Full-width, small and superscript forms count,
 * because some programs fold them, and so do formulas after white space and invisible characters, because some skip
 * those.
 */
const formula = "[\\s\\p{Z}\\p{C}\\p{Default_Ignorable_Code_Point}]*[=+\\-@\\t\\r\\n＝＋－＠﹦﹢﹣﹫⁼⁺⁻₌₊₋−]";
const looksLikeFormula = new RegExp(`^'*${formula}`, "u");
const isGuarded = new RegExp(`^'+${formula}`, "u");

/** A leading apostrophe turns it into text. */
const guarded = (text: string) => (looksLikeFormula.test(text) ? `'${text}` : text);

/** Removes the apostrophe, so that importing an export yields the original text. */
export const unguarded = (text: string): string => (isGuarded.test(text) ? text.slice(1) : text);

const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
