import { crc32, deflateRawSync, inflateRawSync } from "node:zlib";

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

type Limits = {
  /** Number of files in the archive, of any kind. */
  files: number;
  /** Unpacked bytes of one file. */
  each: number;
  /** Unpacked bytes of all files that are read; the archive's own figures are not trusted. */
  total: number;
};

/** An archive that cannot be used. Its message is for the person who uploaded it. */
export class NotAnArchive extends Error {}

type StoredFile = {
  name: string;
  flags: number;
  method: number;
  crc: number;
  packed: number;
  size: number;
  at: number;
};

const endRecord = 22; // bytes, without the comment
const maxCommentBytes = 0xffff;

function directory(archive: Buffer, limits: Limits): StoredFile[] {
  const end = endOf(archive);
  const count = archive.readUInt16LE(end + 10);
  if (count === 0xffff || count > limits.files)
    throw new NotAnArchive(`The archive has more than ${limits.files} files.`);
  const entries: StoredFile[] = [];
  let at = archive.readUInt32LE(end + 16);
  for (let i = 0; i < count; i++) {
    if (at + 46 > end || archive.readUInt32LE(at) !== 0x0201_4b50) throw damaged();
    const name = archive.readUInt16LE(at + 28);
    const extra = archive.readUInt16LE(at + 30);
    const comment = archive.readUInt16LE(at + 32);
    entries.push({
      name: archive.toString("utf8", at + 46, at + 46 + name),
      flags: archive.readUInt16LE(at + 8),
      method: archive.readUInt16LE(at + 10),
      crc: archive.readUInt32LE(at + 16),
      packed: archive.readUInt32LE(at + 20),
      size: archive.readUInt32LE(at + 24),
      at: archive.readUInt32LE(at + 42),
    });
    at += 46 + name + extra + comment;
  }
  return entries;
}

/** Finds the end record, searching from the end: a comment of up to 64 KiB may follow it. */
function endOf(archive: Buffer): number {
  const first = Math.max(0, archive.length - endRecord - maxCommentBytes);
  for (let at = archive.length - endRecord; at >= first; at--)
    if (archive.readUInt32LE(at) === 0x0605_4b50 && at + endRecord + archive.readUInt16LE(at + 20) === archive.length)
      return at;
  throw new NotAnArchive("This is not a ZIP archive.");
}

const damaged = () => new NotAnArchive("The archive is damaged.");

/**
 * Yields the wanted files of a ZIP archive, unpacked one at a time. Supports what zip programs write for files like
 * ours: stored or deflated, not encrypted, in one part, fewer than 65,535 files and less than 4 GiB.
 *
 * @throws NotAnArchive if it is not an archive, is damaged, or exceeds the limits
 */
export function* unzip(archive: Buffer, limits: Limits, isWanted: (name: string) => boolean) {
  let left = limits.total;
  for (const entry of directory(archive, limits)) {
    if (!isWanted(entry.name)) continue;
    const bytes = content(archive, entry, Math.min(limits.each, left));
    left -= bytes.length;
    yield { name: entry.name, bytes };
  }
}

function content(archive: Buffer, entry: StoredFile, most: number): Buffer {
  const { name, flags, method, crc, packed, size, at } = entry;
  if (flags & 1) throw new NotAnArchive(`${name} is encrypted.`);
  if (at + 30 > archive.length || archive.readUInt32LE(at) !== 0x0403_4b50) throw damaged();
  const start = at + 30 + archive.readUInt16LE(at + 26) + archive.readUInt16LE(at + 28);
  if (start + packed > archive.length) throw damaged();
  const body = archive.subarray(start, start + packed);
  const bytes = method === 0 ? body : method === 8 ? inflated(body, most, name) : undefined;
  if (!bytes) throw new NotAnArchive(`${name} uses an unsupported compression method.`);
  if (bytes.length > most) throw tooLarge(name);
  if (bytes.length !== size || crc32(bytes) !== crc) throw damaged();
  return bytes;
}

/** Stops as soon as there is more than the limit, which defuses bombs. */
function inflated(body: Buffer, most: number, name: string): Buffer {
  try {
    return inflateRawSync(body, { maxOutputLength: Math.max(1, most) });
  } catch (error) {
    throw error instanceof RangeError ? tooLarge(name) : damaged();
  }
}
const tooLarge = (name: string) => new NotAnArchive(`${name}, or the archive as a whole, is too large.`);
