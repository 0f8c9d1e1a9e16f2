/** One line of a CSV file (RFC 4180), made safe for spreadsheets. */
export const csvLine = (cells: (string | null | undefined)[]): string =>
  `${cells.map((text) => quoted(guarded(text ?? ""))).join(",")}\r\n`;

/**
 * What a formula begins with, in one of the spreadsheets (OWASP, CSV injection): full-width, small and raised forms
 * count, because some fold them, and so does what is behind blanks and signs that nobody sees, because some skip those.
 */
const formula = "[\\s\\p{Z}\\p{C}\\p{Default_Ignorable_Code_Point}]*[=+\\-@\\t\\r\\n＝＋－＠﹦﹢﹣﹫⁼⁺⁻₌₊₋−]";
const looksLikeFormula = new RegExp(`^'*${formula}`, "u");
const isGuarded = new RegExp(`^'+${formula}`, "u");

/** An apostrophe in front makes it text again. */
const guarded = (text: string) => (looksLikeFormula.test(text) ? `'${text}` : text);

/** Takes the apostrophe off again, so that reading back what was exported gives the same text. */
export const unguarded = (text: string): string => (isGuarded.test(text) ? text.slice(1) : text);

const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
