/** A file to be packed. Names are UTF-8, with slashes between folders. */
export type Packed = { name: string; bytes: Uint8Array };
export type Entry = { name: Buffer; crc: number; packed: number; size: number; at: number };

const utf8 = 0x0800; // the flag that says so
const deflated = 8;
const date = 0x0021; // 1 January 1980, so that the same files yield the same archive
export const max16 = 0xffff;
export const max32 = 0xffff_ffff;

type Field = [bytes: 2 | 4 | 8, value: number];

/** Numbers, least significant byte first. */
export function fields(...list: Field[]): Buffer {
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
  ...([
    [2, utf8],
    [2, deflated],
    [2, 0],
    [2, date],
    [4, crc],
    [4, packed],
    [4, size],
  ] satisfies Field[]),
  ...([
    [2, name.length],
    [2, extra],
  ] satisfies Field[]),
];

export const localHeader = (entry: Entry) =>
  Buffer.concat([fields([4, 0x0403_4b50], [2, 20], ...common(entry, 0)), entry.name]);

/** Beyond 4 GiB the offset is stored in an extra field (ZIP64). A single post is never that large. */
export function centralRecord(entry: Entry): Buffer {
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
