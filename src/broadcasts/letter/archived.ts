import type { Translator } from "../../../views/languages/translator";
import type { LetterNode } from "../../../views/newsletter/letter-tree";
import { fieldsIn, filled, nobody } from "./merge-fields";
import { firstWords, plainText } from "./text";

/** A stored tree, for `LetterProse`. */
export const nodesOf = (page: unknown): LetterNode[] => (Array.isArray(page) ? (page as LetterNode[]) : []);

/** A line of a broadcast for the public, with fallbacks instead of names. */
export const publicLine = (line: string, t: Translator) => filled(fieldsIn(line, t), nobody).trim();

/** Describes a broadcast in one line: its preheader, or else its first words. */
export const excerptOf = ({ preheader, page }: { preheader: string; page: unknown }, t: Translator) =>
  preheader ? publicLine(preheader, t) : firstWords(nodesOf(page));

/** The whole text, for sites that show it themselves. */
export const publicText = (page: unknown, t: Translator) =>
  plainText(nodesOf(page), { t, mark: (field) => filled([field], nobody) });

/** The URL of its page in the archive. @param baseUrl BASE_URL */
export const archiveUrl = (baseUrl: string, slug?: string) =>
  `${baseUrl}/newsletter${slug === undefined ? "" : `/${encodeURIComponent(slug)}`}`;
