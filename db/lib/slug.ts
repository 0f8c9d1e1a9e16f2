import { normalized } from "./normalize";

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

/** Returns a slug of at most so many characters. */
export const shortSlugOf = (text: string, maxCharacters: number): string =>
  slugOf([...slugOf(text)].slice(0, maxCharacters).join(""));

/** The slug that earlier releases made, which merged words that differ in a vowel or voiced consonant. */
export const formerSlugOf = (text: string): string => slugOf(normalized(text, "NFKD").replace(/\p{M}/gu, ""));

/**
 * Returns a slug as it is stored, however a link or a file wrote its letters. Null is a path that cannot be decoded.
 */
export const composed = (slug: string | null): string => normalized(slug ?? "", "NFC");
