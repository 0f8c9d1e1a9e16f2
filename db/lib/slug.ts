import { normalized } from "./normalize";

const spoken: Record<string, string> = { "+": " plus ", "#": " sharp ", "&": " and " }; // so that C, C++ and C# get different slugs

/** Turns text into a slug: lower case, without accents, joined by hyphens. Empty if no character can be kept. */
export const slugOf = (text: string): string =>
  normalized(
    text.replace(/[+#&]/g, (sign) => spoken[sign] ?? ""),
    "NFKD",
  )
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "");
