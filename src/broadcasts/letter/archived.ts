import type { Translator } from "../../../views/languages/translator";
import type { LetterNode } from "../../../views/newsletter/letter-tree";
import { fieldsIn, filled, nobody } from "./merge-fields";
import { firstWords, plainText } from "./text";

/** A stored tree, as `LetterProse` shows it. */
export const nodesOf = (page: unknown): LetterNode[] => (Array.isArray(page) ? (page as LetterNode[]) : []);

/** A line of a broadcast as everyone may read it: fallbacks in the place of names. */
export const publicLine = (line: string, t: Translator) => filled(fieldsIn(line, t), nobody).trim();

/** What a broadcast is about, in a line: its preheader, else its first words. */
export const excerptOf = ({ preheader, page }: { preheader: string; page: unknown }, t: Translator) =>
  preheader ? publicLine(preheader, t) : firstWords(nodesOf(page));

/** The whole text, for sites that show it by themselves. */
export const publicText = (page: unknown, t: Translator) =>
  plainText(nodesOf(page), { t, mark: (field) => filled([field], nobody) });

/** Where it can be read. @param baseUrl BASE_URL */
export const archiveUrl = (baseUrl: string, slug?: string) =>
  `${baseUrl}/newsletter${slug === undefined ? "" : `/${encodeURIComponent(slug)}`}`;
