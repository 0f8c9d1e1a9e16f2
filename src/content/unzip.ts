import { crc32, inflateRawSync } from "node:zlib";
import { damaged, directory, type Entry, type Limits, NotAnArchive } from "./zip-directory";

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
