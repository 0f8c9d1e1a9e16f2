import { isAscii } from "node:buffer";

/** The encodings that a file may have, by the labels of the Encoding Standard, and what people call them. */
export const encodings = {
  "utf-8": "UTF-8",
  "utf-16le": "UTF-16 (Excel)",
  "utf-16be": "UTF-16, big endian",
  "windows-1252": "Windows-1252 (Excel)",
  "windows-1250": "Windows-1250 (Central Europe)",
  "windows-1251": "Windows-1251 (Cyrillic)",
  macintosh: "Mac OS Roman",
  shift_jis: "Shift JIS (Japanese)",
  gb18030: "GB 18030 (Chinese)",
} as const;
export type Encoding = keyof typeof encodings;
export const isEncoding = (text: string): text is Encoding => Object.hasOwn(encodings, text);

/** Stands for bytes that an encoding does not have (Encoding Standard). Nothing with it is stored. */
export const unreadable = "\ufffd";

const pieceBytes = 16_384;

/** Splits a file into pieces, between which other requests run. */
async function* pieces(file: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of file)
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      yield chunk.subarray(at, at + pieceBytes);
      await new Promise((turn) => setImmediate(turn));
    }
}

/** A file that is no list, with the reason for whoever chose it. */
export class NoList extends Error {}

/** How ZIP archives, among them Excel's workbooks, and gzip files begin. */
const packed = [Buffer.from("PK\x03\x04"), Buffer.from([0x1f, 0x8b])];
const isPacked =
  "The file is an archive or an Excel workbook. Unpack it, or save it as CSV, and import each file under its own name";

/**
 * Yields a file as UTF-8, without its byte order mark. What cannot be read becomes U+FFFD.
 *
 * @throws if it is packed: files that are stored in an archive as they are could be read as rows, without their names
 */
export async function* asUtf8(file: AsyncIterable<Uint8Array>, encoding: Encoding): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(encoding);
  let isFirst = true;
  for await (const piece of pieces(file)) {
    if (isFirst && packed.some((start) => start.equals(piece.subarray(0, start.length)))) throw new NoList(isPacked);
    isFirst = false;
    yield Buffer.from(decoder.decode(piece, { stream: true }));
  }
  yield Buffer.from(decoder.decode());
}

/**
 * Returns the encoding that the bytes of a file have: that of its byte order mark, UTF-16 if every other byte is zero,
 * UTF-8 if it is valid, and otherwise Windows-1252. A file that is UTF-8 except for a few bytes is a damaged one.
 */
export async function encodingOf(file: AsyncIterable<Uint8Array>): Promise<Encoding> {
  const strict = new TextDecoder("utf-8", { fatal: true });
  const lenient = new TextDecoder("utf-8");
  let [isFirst, isValid, read, damaged] = [true, true, 0, 0]; // read, damaged: characters that are not ASCII
  for await (const piece of pieces(file)) {
    const stated = isFirst ? byHead(piece) : undefined;
    if (stated) return stated;
    isFirst = false;
    isValid &&= decodes(strict, piece);
    const text = lenient.decode(piece, { stream: true });
    if (isAscii(piece)) continue;
    damaged += text.split(unreadable).length - 1;
    read += text.length - text.replaceAll(/[^\0-\x7f\ufffd]/g, "").length;
  }
  isValid &&= decodes(strict);
  return isValid || read > damaged ? "utf-8" : "windows-1252";
}

function decodes(decoder: TextDecoder, piece?: Uint8Array): boolean {
  try {
    decoder.decode(piece, { stream: piece !== undefined });
    return true;
  } catch {
    return false;
  }
}

/** Goes by the byte order mark or, without one, by the zero bytes of the ASCII characters that every CSV file has. */
function byHead(bytes: Uint8Array): Encoding | undefined {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  const zeros = [0, 0];
  for (const [at, byte] of bytes.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const few = bytes.length / 20;
  if (odd > few && odd > 4 * even) return "utf-16le";
  return even > few && even > 4 * odd ? "utf-16be" : undefined;
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads a text as UTF-8. Undefined if it is not: nothing with replacement characters is stored. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}
