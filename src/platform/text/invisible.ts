import { normalized } from "../../../db/lib/normalize";
import { characters, type Length } from "./bounds";

/*
 * Invisible characters that change how the text around them reads: those that turn the reading direction until another
 * ends it, word joiners, invisible operators, byte order marks and annotations. Those that scripts and emoji need stay:
 * LRM, RLM and ALM, the zero-width joiner, non-joiner and space, soft hyphens, variation selectors.
 */
const left = "\\u202a-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb";
const invisible = new RegExp(`[${left}]`, "g");
/** These are removed too if nothing visible would be left. */
const unseen = /\p{Cf}/gu;
const isSeen = /[^\p{Cf}\p{Z}]/u;
const replacement = "\ufffd";

/** Removes invisible characters. If too little would be left, each becomes a replacement character instead. */
export const visible =
  ({ min = 0 }: Length) =>
  (text: string): string => {
    if (text.search(unseen) < 0) return text;
    const rest = normalized(text.replace(invisible, ""), "NFC").trim();
    return isSeen.test(rest) && characters(rest) >= min ? rest : text.replace(unseen, replacement);
  };
