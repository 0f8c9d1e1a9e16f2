import { normalized } from "../../../db/lib/normalize";
import { characters, type Length } from "./bounds";

/*
 * Characters that are not seen and make others read as something else (P241): what turns the reading direction until
 * something ends it, joiners of words, invisible operators, and marks of order or annotations. What scripts and emoji
 * need stays: LRM, RLM and ALM, the zero-width joiner, non-joiner and space, soft hyphens, variation selectors.
 */
const left = "\\u202a-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb";
const invisible = new RegExp(`[${left}]`, "g");
/** These are left out too if nothing else would be seen. */
const unseen = /\p{Cf}/gu;
const isSeen = /[^\p{Cf}\p{Z}]/u;
const replacement = "\ufffd";

/** Leaves invisible characters out. Where too little would be left, they are shown as what they are: unreadable. */
export const visible =
  ({ min = 0 }: Length) =>
  (text: string): string => {
    if (text.search(unseen) < 0) return text;
    const rest = normalized(text.replace(invisible, ""), "NFC").trim();
    return isSeen.test(rest) && characters(rest) >= min ? rest : text.replace(unseen, replacement);
  };
