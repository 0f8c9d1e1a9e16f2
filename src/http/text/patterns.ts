/* Patterns as JSON Schema has them, for the OpenAPI document: exactly what of a text the schemas of requests take. */

/** What trim() takes off both ends. */
const blank = "\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff";
/** What one line of text must not hold. */
export const control = "\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029";
/** What is taken out of several lines. */
export const controlButLines = "\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f";
/** The same, before carriage returns have become line feeds. */
const dropped = "\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f";

/** `core`, of at most `max` characters, and blanks around it: `maxLength` would count these, and we do not (D8). */
export const trimmed = (core: string, max: number) => `^[${blank}]*(?![\\s\\S]{${max},}[^${blank}])${core}[${blank}]*$`;

/** An address of this shape, no longer than RFC 5321 allows before and between the dots behind the @. */
export const emailPattern = (shape: string, max: number) =>
  trimmed(`(?![^@]{65})(?![\\s\\S]*@[\\s\\S]*[A-Za-z0-9\\-]{64})${shape}`, max);

/** One line without the characters `refused`. */
export function linePattern({ min = 0, max }: { min?: number; max: number }, refused = control): string {
  const [any, visible] = [`[^${refused}]`, `[^${blank}${refused}]`];
  if (min < 2) return trimmed(min ? `${visible}${any}*` : `${any}*`, max);
  return trimmed(`${visible}${any}{${min - 2},}${visible}`, max);
}

/** Several lines, of two characters and more: what is taken out does not count. */
export function linesPattern({ min, max }: { min: number; max: number }): string {
  const ends = `[${blank}${dropped}]*`;
  const visible = `[^${blank}${dropped}]`;
  const kept = `(?:[${dropped}]*[^${dropped}])`;
  return `^${ends}(?!${kept}{${max},}${ends}${visible})${visible}${kept}{${min - 2},}[${dropped}]*${visible}${ends}$`;
}

/** No folder of the path is the one above, or has a name of more than 255 characters. */
export const folderPattern = (max: number, refused: string) => {
  const folders = "(?:[^/]*/)*";
  const above = `(?!^${folders}[${blank}]*\\.\\.[${blank}]*(?:/|$))`;
  return `${above}(?!^${folders}[^/]{256})${linePattern({ max }, refused)}`;
};

/** "." and ".." are no names. */
export const namePattern = (max: number, refused: string) =>
  `(?!^[${blank}]*\\.{1,2}[${blank}]*$)${linePattern({ min: 1, max }, refused)}`;
