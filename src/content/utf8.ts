const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads a text as UTF-8. Undefined if it is not: nothing with replacement characters is stored. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}
