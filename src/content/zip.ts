import { crc32, deflateRawSync } from "node:zlib";

/** A file to be packed. Names are UTF-8, with slashes between folders. */
type Packed = { name: string; bytes: Uint8Array };
type Entry = { name: Buffer; crc: number; packed: number; size: number; at: number };

const utf8 = 0x0800; // the flag that says so
const deflated = 8;
const date = 0x0021; // 1 January 1980, so that the same files yield the same archive
const max16 = 0xffff;
const max32 = 0xffff_ffff;

type Field = [bytes: 2 | 4 | 8, value: number];

/** Numbers, least significant byte first. */
function fields(...list: Field[]): Buffer {
  const buffer = Buffer.alloc(list.reduce((sum, [bytes]) => sum + bytes, 0));
  let at = 0;
  for (const [bytes, value] of list) {
    if (bytes === 8) buffer.writeBigUInt64LE(BigInt(value), at);
    else buffer.writeUIntLE(value, at, bytes);
    at += bytes;
  }
  return buffer;
}

/** The common fields of a file's header and its directory record. */
const common = ({ crc, packed, size, name }: Entry, extra: number): Field[] => [
  [2, utf8],
  [2, deflated],
  [2, 0],
  [2, date],
  [4, crc],
  [4, packed],
  [4, size],
  [2, name.length],
  [2, extra],
];

const localHeader = (entry: Entry) =>
  Buffer.concat([fields([4, 0x0403_4b50], [2, 20], ...common(entry, 0)), entry.name]);

/** Beyond 4 GiB the offset is stored in an extra field (ZIP64). A single post is never that large. */
function centralRecord(entry: Entry): Buffer {
  const isFar = entry.at >= max32;
  const extra = isFar ? fields([2, 1], [2, 8], [8, entry.at]) : Buffer.alloc(0);
  const version = isFar ? 45 : 20;
  const rest: Field[] = [
    [2, 0],
    [2, 0],
    [2, 0],
    [4, 0],
    [4, isFar ? max32 : entry.at],
  ];
  const head = fields([4, 0x0201_4b50], [2, version], [2, version], ...common(entry, extra.length), ...rest);
  return Buffer.concat([head, entry.name, extra]);
}

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
