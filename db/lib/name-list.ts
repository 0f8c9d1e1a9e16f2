/*
 * Names in one form field, as in CSV (RFC 4180): separated by commas, and quoted if a name contains a comma itself. So
 * no name is split by being shown and saved.
 */
const item = /\s*"(?:[^"]|"")*"\s*(?=,|$)|[^,]+/g;

/** `Tides, "Ships, boats"` */
export const joined = (names: string[]): string =>
  names.map((name) => (/^"|,/.test(name) ? `"${name.replaceAll('"', '""')}"` : name)).join(", ");

/** Splits the field into names, without surrounding white space or empty entries. */
export const split = (line: string): string[] => (line.match(item) ?? []).map(unquoted).filter(Boolean);

function unquoted(written: string): string {
  const name = written.trim();
  const [, quoted] = /^"((?:[^"]|"")*)"$/.exec(name) ?? [];
  return (quoted?.replaceAll('""', '"') ?? name).trim();
}
