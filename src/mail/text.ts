/**
 * A text, whole or in consecutive pieces. All emails of a broadcast share the same strings, so that a provider encodes
 * them once.
 */
export type Text = string | readonly string[];

export const wholeOf = (text: Text): string => (typeof text === "string" ? text : text.join(""));

const minRemembered = 200; // characters: encoding a shorter piece is faster than looking it up
const maxBytes = 4 * 2 ** 20; // kept in memory; the document of a broadcast has half a megabyte at most

/** Encodes pieces of text, and caches the long ones. */
export function pieceEncoder(encode: (piece: string) => Buffer): (piece: string) => Buffer {
  const encodedPieces = new Map<string, Buffer>();
  let bytes = 0;
  return (piece) => {
    if (piece.length < minRemembered) return encode(piece);
    const remembered = encodedPieces.get(piece);
    if (remembered) return remembered;
    const encoded = encode(piece);
    bytes += encoded.length;
    if (bytes > maxBytes) {
      encodedPieces.clear();
      bytes = encoded.length;
    }
    encodedPieces.set(piece, encoded);
    return encoded;
  };
}
