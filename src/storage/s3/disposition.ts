import { normalized } from "../../../db/lib/normalize";

type Kind = "attachment" | "inline";

/**
 * RFC 6266: `filename*` for browsers, and a name for programs that know only `filename`, such as curl. A server that is
 * known to repeat any bytes gets the real one in UTF-8; others refuse or spoil it (AWS knows Latin-1 only), so to them
 * it gets the nearest ASCII (P90).
 *
 * @param server what it calls itself, as far as it was heard
 */
const named = (kind: Kind, filename: string, server: string | null) =>
  `${kind}; filename="${repeatsBytes(server) ? quotable(filename) : inAscii(filename)}"; filename*=UTF-8''${encoded(filename)}`;

export const attachment = (filename: string, server: string | null = null) => named("attachment", filename, server);
export const inline = (filename: string, server: string | null = null) => named("inline", filename, server);

/** How the embedded node is called. */
export const embeddedServer = "Postroom";

const repeatsBytes = (server: string | null) => /^(MinIO|Ceph|Postroom)\b/i.test(server ?? "");

/** Nobody agrees on how to write these two in quotation marks. */
const quotable = (filename: string) => filename.replace(/["\\]/g, "_");

const inAscii = (filename: string) =>
  quotable(filename).replace(/[^ -~]/gu, (letter) => likeness[letter] ?? base(letter));

/** Letters that are no other letter with a mark. */
const likeness: Record<string, string> = {
  ...{ ß: "ss", Æ: "AE", æ: "ae", Œ: "OE", œ: "oe", Ø: "O", ø: "o", Ł: "L", ł: "l", Đ: "D", đ: "d" },
  ...{ Þ: "Th", þ: "th", ð: "d", ı: "i", "–": "-", "—": "-", "‘": "'", "’": "'", "“": "'", "”": "'" },
};

/** The letter without its marks, when that is one of ASCII. */
const base = (letter: string) => /^[ -~]/.exec(normalized(letter, "NFD"))?.[0] ?? "_";

const encoded = (filename: string) =>
  encodeURIComponent(filename).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

/** Types that a browser only shows. HTML, SVG and XML can run scripts, so they are not among them, nor is any "+xml". */
export const isShown = (mimeType: string) =>
  /^(image\/(png|jpeg|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon)|(video|audio)\/(?![\w.+-]*\+xml)[\w.+-]+|application\/pdf)\s*(;|$)/i.test(
    mimeType,
  );
