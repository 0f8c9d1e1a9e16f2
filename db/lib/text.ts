const maxMarks = 32; // in a row; far more than any writing system uses

/** More marks than are kept. NFKC turns U+FF9E and U+FF9F into marks. */
const tooManyMarks = /([\p{M}\uff9e\uff9f]{32})[\p{M}\uff9e\uff9f]+/gu;
/** There are no marks below U+0300, so most texts need no further check. */
const mayHoldMarks = /[^\0-\u02ff]/;

/**
 * `text.normalize(form)` for untrusted text. Normalising sorts combining marks in quadratic time, seconds for 60 KB, so
 * only the first 32 of a run are kept.
 */
export const normalized = (text: string, form: "NFC" | "NFD" | "NFKC" | "NFKD"): string =>
  (text.length > maxMarks && mayHoldMarks.test(text) ? text.replace(tooManyMarks, "$1") : text).normalize(form);

const spoken: Record<string, string> = { "+": " plus ", "#": " sharp ", "&": " and " }; // so that C, C++ and C# get different slugs

/** Marks that a reader can do without: accents. In other scripts they are letters, such as vowels. */
const accents = /(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu;
/** Marks on nothing: on signs, digits or emoji, which lose theirs too. */
const strayMarks = /(?<![\p{L}\p{M}])\p{M}+/gu;

const withoutAccents = (text: string) =>
  normalized(text, "NFKD").toLowerCase().replace(accents, "").replace(strayMarks, "");

/**
 * Turns text into a slug: lower case, Latin, Greek and Cyrillic letters without accents, joined by hyphens, in NFC.
 * Empty if no character can be kept. The slug of a slug is itself.
 */
export const slugOf = (text: string): string =>
  normalized(withoutAccents(text.replace(/[+#&]/g, (sign) => spoken[sign] ?? "")), "NFC")
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, "-")
    .replace(/^-|-$/g, "");

/** Returns a media type without its parameters, in lower case (RFC 9110, section 8.3.1). */
export const mediaTypeOf = (text: string): string => text.slice(0, text.search(/;|$/)).trim().toLowerCase();

/** Returns a slug of at most so many characters. */
export const shortSlugOf = (text: string, maxCharacters: number): string =>
  slugOf([...slugOf(text)].slice(0, maxCharacters).join(""));

/** The slug that earlier releases made, which merged words that differ in a vowel or voiced consonant. */
export const formerSlugOf = (text: string): string => slugOf(normalized(text, "NFKD").replace(/\p{M}/gu, ""));

/**
 * Returns a slug as it is stored, however a link or a file wrote its letters. Null is a path that cannot be decoded.
 */
export const composed = (slug: string | null): string => normalized(slug ?? "", "NFC");

/*
 * Names in one form field, as in CSV (RFC 4180): separated by commas, and quoted if a name contains a comma itself. So
 * no name is split by being shown and saved.
 */
const item = /\s*"(?:[^"]|"")*"\s*(?=,|$)|[^,]+/g;

/** `Tides, "Ships, boats"` */
export const joinNames = (names: string[]): string =>
  names.map((name) => (/^"|,/.test(name) ? `"${name.replaceAll('"', '""')}"` : name)).join(", ");

/** Splits the field into names, without surrounding white space or empty entries. */
export const splitNames = (line: string): string[] => (line.match(item) ?? []).map(unquoted).filter(Boolean);

function unquoted(written: string): string {
  const name = written.trim();
  const [, quoted] = /^"((?:[^"]|"")*)"$/.exec(name) ?? [];
  return (quoted?.replaceAll('""', '"') ?? name).trim();
}

/** What is nothing to read by itself: white space, and the signs that mark up words in Markdown. */
export const wordless =
  " \t\n\v\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff#*_~`>|=+-";
/** The same for scripts, which have a sign for all white space. */
const readable = /[^\s#*_~`>|=+-]/;

/** A picture is seen. Nothing in it may open another one, so that a text of openings takes no longer than others. */
const picture = /!\[[^[\]]*]\([^()]*\)/g;

/** How many words of a text are read: none if it is only white space, markup and pictures. */
export function wordsIn(text: string): number {
  const words = text.replace(picture, "").trim();
  return readable.test(words) ? words.split(/\s+/).length : 0;
}

/** Reading time in whole minutes at 200 words a minute, at least one. */
export const readingMinutes = (words: number): number => Math.max(1, Math.ceil(words / 200));

/** Both. */
export function lengthOf(text: string): { words: number; minutes: number } {
  const words = wordsIn(text);
  return { words, minutes: readingMinutes(words) };
}

/** Shortens the text to `max` characters, at a word boundary if possible. */
export function shortened(text: string, max: number): string {
  const characters = [
    ...text
      .slice(0, 4 * max)
      .replace(/\s+/g, " ")
      .trim(),
  ];
  if (characters.length <= max) return characters.join("");
  const start = characters.slice(0, max - 1).join("");
  const end = start.lastIndexOf(" ");
  return `${end > start.length / 2 ? start.slice(0, end) : start}…`;
}
