import { normalized } from "./normalize";

const spoken: Record<string, string> = { "+": " plus ", "#": " sharp ", "&": " and " }; // C, C++ and C# are three things

/** Words for a URL: lower case, without accents, joined by hyphens. Empty when nothing of the text can be kept. */
export const slugOf = (text: string): string =>
  normalized(
    text.replace(/[+#&]/g, (sign) => spoken[sign] ?? ""),
    "NFKD",
  )
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "");
