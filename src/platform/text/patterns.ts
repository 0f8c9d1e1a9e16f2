/* Patterns for JSON Schema in the OpenAPI document, which match exactly what the request schemas accept. */

/** What trim() removes from both ends. */
const blank = "\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff";
/** What one line of text must not contain. */
export const control = "\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029";
/** What is removed from several lines. */
export const controlButLines = "\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f";
/** The same, before carriage returns become line feeds. */
const dropped = "\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f";

/**
 * `core`, of at most `max` characters, with white space around it: `maxLength` would count that, but we do not (D8).
 */
export const trimmed = (core: string, max: number) => `^[${blank}]*(?![\\s\\S]{${max},}[^${blank}])${core}[${blank}]*$`;

/**
 * An address of this shape, no longer than RFC 5321 allows before the @ and between the dots after it, and without an
 * encoded word.
 */
export const emailPattern = ({ local, domain }: { local: string; domain: string }, max: number) => {
  const lengths = "(?![^@]{65})(?![\\s\\S]*@[\\s\\S]*[A-Za-z0-9\\-]{64})(?![^@]*=\\?[^@]*\\?=[^@]*@)";
  return trimmed(`${lengths}${local}@(?:${domain}|${international})`, max);
};

/**
 * Letters of domains that need no other beside them, by script, and how many are at most 63 characters in punycode.
 * Other scripts are accepted too, but no pattern can tell which of their words are valid.
 */
const scripts: [letters: string, max: number][] = [
  ["\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u0131\\u0134-\\u0148\\u014a-\\u017e", 20], // Latin
  ["\\u0386\\u0388-\\u038a\\u038c\\u038e-\\u03a1\\u03a3-\\u03ce", 24], // Greek
  ["\\u0400-\\u045f", 24], // Cyrillic
  ["\\u3041-\\u3096\\u30a1-\\u30fa\\u4e00-\\u9fa5\\uac00-\\ud7a3", 12], // kana, Chinese, Korean
];
const labels = scripts.map(([letters, max]) => `[A-Za-z0-9${letters}][A-Za-z0-9${letters}\\-]{0,${max - 1}}`);
const topLevels = scripts.map(([letters, max]) => `[${letters}]{1,${max}}`);
const international = `(?:(?![Xx][Nn]--)(?:[A-Za-z0-9][A-Za-z0-9\\-]*|${labels.join("|")})\\.)+(?:[A-Za-z]{2,}|${topLevels.join("|")})`;

/** One line without the `refused` characters. */
export function linePattern({ min = 0, max }: { min?: number; max: number }, refused = control): string {
  const [any, visible] = [`[^${refused}]`, `[^${blank}${refused}]`];
  if (min < 2) return trimmed(min ? `${visible}${any}*` : `${any}*`, max);
  return trimmed(`${visible}${any}{${min - 2},}${visible}`, max);
}

/** Several lines of at least two characters; removed characters do not count. */
export function linesPattern({ min, max }: { min: number; max: number }): string {
  const ends = `[${blank}${dropped}]*`;
  const visible = `[^${blank}${dropped}]`;
  const kept = `(?:[${dropped}]*[^${dropped}])`;
  return `^${ends}(?!${kept}{${max},}${ends}${visible})${visible}${kept}{${min - 2},}[${dropped}]*${visible}${ends}$`;
}

/** No folder in the path is "..", or has a name of more than 255 characters. */
export const folderPattern = (max: number, refused: string) => {
  const folders = "(?:[^/]*/)*";
  const above = `(?!^${folders}[${blank}]*\\.\\.[${blank}]*(?:/|$))`;
  return `${above}(?!^${folders}[^/]{256})${linePattern({ max }, refused)}`;
};

/** "." and ".." are not names. */
export const namePattern = (max: number, refused: string) =>
  `(?!^[${blank}]*\\.{1,2}[${blank}]*$)${linePattern({ min: 1, max }, refused)}`;
