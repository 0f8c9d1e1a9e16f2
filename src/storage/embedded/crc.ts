/** A cyclic redundancy check that is computed piece by piece. Register and tables are in two halves of 32 bits. */
export function crc(width: 32 | 64, [polynomialHigh, polynomialLow]: [number, number]) {
  const [high, low] = tablesOf(polynomialHigh, polynomialLow);
  let [top, rest] = width === 64 ? [-1, -1] : [0, -1];

  return {
    update(bytes: Uint8Array): void {
      for (const byte of bytes) {
        const at = (rest ^ byte) & 0xff;
        rest = ((rest >>> 8) | (top << 24)) ^ (low[at] ?? 0);
        top = (top >>> 8) ^ (high[at] ?? 0);
      }
    },
    /** In Base64, as S3 writes it. */
    digest(): string {
      const bytes = Buffer.alloc(8);
      bytes.writeInt32BE(~top, 0);
      bytes.writeInt32BE(~rest, 4);
      return bytes.subarray(width === 64 ? 0 : 4).toString("base64");
    },
  };
}

/** The effect of each byte value on the register. */
function tablesOf(polynomialHigh: number, polynomialLow: number): [Int32Array, Int32Array] {
  const [high, low] = [new Int32Array(256), new Int32Array(256)];
  for (let byte = 0; byte < 256; byte++) {
    let [top, rest] = [0, byte];
    for (let bit = 0; bit < 8; bit++) {
      const isOdd = rest & 1;
      rest = ((rest >>> 1) | (top << 31)) ^ (isOdd ? polynomialLow : 0);
      top = (top >>> 1) ^ (isOdd ? polynomialHigh : 0);
    }
    [high[byte], low[byte]] = [top, rest];
  }
  return [high, low];
}
