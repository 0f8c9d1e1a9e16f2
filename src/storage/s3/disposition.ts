import { normalized } from "../../../db/lib/text";

type Kind = "attachment" | "inline";

/**
 * Returns a Content-Disposition (RFC 6266): `filename*` for browsers, and `filename` for programs that know only that,
 * such as curl. A server known to return any bytes gets the real name in UTF-8. Others reject or mangle it (AWS accepts
 * only Latin-1), so they get the nearest ASCII.
 *
 * @param server its `Server` header, if known
 */
const named = (kind: Kind, filename: string, server: string | null) =>
  `${kind}; filename="${repeatsBytes(server) ? quotable(filename) : inAscii(filename)}"; filename*=UTF-8''${encoded(filename)}`;

export const attachment = (filename: string, server: string | null = null) => named("attachment", filename, server);
export const inline = (filename: string, server: string | null = null) => named("inline", filename, server);

/** The `Server` header of the embedded node. */
export const embeddedServer = "Postroom";

const repeatsBytes = (server: string | null) => /^(MinIO|Ceph|Postroom)\b/i.test(server ?? "");

/** Programs disagree on how to quote these two. */
const quotable = (filename: string) => filename.replace(/["\\]/g, "_");

const inAscii = (filename: string) =>
  quotable(filename).replace(/[^ -~]/gu, (letter) => likeness[letter] ?? base(letter));

/** Letters that are not a plain letter with a diacritic. */
const likeness: Record<string, string> = {
  ß: "ss",
  Æ: "AE",
  æ: "ae",
  Œ: "OE",
  œ: "oe",
  Ø: "O",
  ø: "o",
  Ł: "L",
  ł: "l",
  Đ: "D",
  đ: "d",
  Þ: "Th",
  þ: "th",
  ð: "d",
  ı: "i",
  "–": "-",
  "—": "-",
  "‘": "'",
  "’": "'",
  "“": "'",
  "”": "'",
};

/** Returns the letter without its diacritics if that is ASCII. */
const base = (letter: string) => /^[ -~]/.exec(normalized(letter, "NFD"))?.[0] ?? "_";

const encoded = (filename: string) =>
  encodeURIComponent(filename).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

/**
 * Types that browsers only display. HTML, SVG and XML can run scripts, so neither they nor any "+xml" are among them.
 */
export const isShown = (mimeType: string) =>
  /^(image\/(png|jpeg|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon)|(video|audio)\/(?![\w.+-]*\+xml)[\w.+-]+|application\/pdf)\s*(;|$)/i.test(
    mimeType,
  );
