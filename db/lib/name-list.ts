/*
 * Names in one line of a form, as CSV has them (RFC 4180): between commas, and in quotation marks where the name holds
 * a comma itself. So no name becomes two by being shown and saved.
 */
const item = /\s*"(?:[^"]|"")*"\s*(?=,|$)|[^,]+/g;

/** `Tides, "Ships, boats"` */
export const joined = (names: string[]): string =>
  names.map((name) => (/^"|,/.test(name) ? `"${name.replaceAll('"', '""')}"` : name)).join(", ");

/** The names in the line, without blanks around them; empty ones are none. */
export const split = (line: string): string[] => (line.match(item) ?? []).map(unquoted).filter(Boolean);

function unquoted(written: string): string {
  const name = written.trim();
  const [, quoted] = /^"((?:[^"]|"")*)"$/.exec(name) ?? [];
  return (quoted?.replaceAll('""', '"') ?? name).trim();
}
