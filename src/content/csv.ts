/** One line of a CSV file (RFC 4180), made safe for spreadsheets. */
export const csvLine = (cells: (string | null | undefined)[]): string =>
  `${cells.map((text) => quoted(guarded(text ?? ""))).join(",")}\r\n`;

/** Spreadsheets run what looks like a formula; an apostrophe in front makes it text again (OWASP, CSV injection). */
const guarded = (text: string) => (/^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text);

/** Takes the apostrophe off again, so that reading back what was exported gives the same text. */
export const unguarded = (text: string): string => (/^'+[=+\-@\t\r]/.test(text) ? text.slice(1) : text);

const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
