import { crc32, inflateRawSync } from "node:zlib";

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

type Entry = {
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

function directory(archive: Buffer, limits: Limits): Entry[] {
  const end = endOf(archive);
  const count = archive.readUInt16LE(end + 10);
  if (count === 0xffff || count > limits.files)
    throw new NotAnArchive(`The archive has more than ${limits.files} files.`);
  const entries: Entry[] = [];
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

function content(archive: Buffer, entry: Entry, most: number): Buffer {
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
