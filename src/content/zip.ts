import { crc32, deflateRawSync } from "node:zlib";
import { centralRecord, type Entry, fields, localHeader, max16, max32, type Packed } from "./zip-records";

/** Packs files into a ZIP archive (APPNOTE 6.3), one after the other, so that any number needs little memory. */
export async function* zip(files: AsyncIterable<Packed>): AsyncGenerator<Uint8Array> {
  const entries: Entry[] = [];
  let at = 0;
  for await (const { name, bytes } of files) {
    const body = deflateRawSync(bytes);
    const entry = { name: Buffer.from(name), crc: crc32(bytes), packed: body.length, size: bytes.length, at };
    const head = localHeader(entry);
    yield Buffer.concat([head, body]);
    at += head.length + body.length;
    entries.push(entry);
  }
  const start = at;
  for (const entry of entries) {
    const record = centralRecord(entry);
    yield record;
    at += record.length;
  }
  yield ending(entries.length, start, at - start);
}

/** Where the directory is; above 65,534 files or 4 GiB also in ZIP64 form. */
function ending(count: number, start: number, size: number): Buffer {
  const isLarge = count >= max16 || start >= max32 || size >= max32;
  const end = start + size;
  const large = isLarge
    ? [
        fields(
          [4, 0x0606_4b50],
          [8, 44],
          [2, 45],
          [2, 45],
          [4, 0],
          [4, 0],
          [8, count],
          [8, count],
          [8, size],
          [8, start],
        ),
        fields([4, 0x0706_4b50], [4, 0], [8, end], [4, 1]),
      ]
    : [];
  const few = Math.min(count, max16);
  const [shortSize, shortStart] = [Math.min(size, max32), Math.min(start, max32)];
  return Buffer.concat([
    ...large,
    fields([4, 0x0605_4b50], [2, 0], [2, 0], [2, few], [2, few], [4, shortSize], [4, shortStart], [2, 0]),
  ]);
}
