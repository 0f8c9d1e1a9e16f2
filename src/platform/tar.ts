/** A file in the archive: its name there, and where it is or what it contains. */
export type Entry = { name: string } & ({ file: string } | { text: string });

/** Called after each piece of work: waits, if the process has used more than its share of the processor. */
export type Pause = () => Promise<void>;

/** Never waits. */
export const atOnce: Pause = () => Promise.resolve();

export const blockBytes = 512;
const pieceBytes = 2 ** 18;
const maxRecordBytes = 2 ** 16;
const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, "0")}\0`;

const fileType = "0";
const recordsType = "x";
/** Names that the field of a header holds as they are. */
const isShort = (name: string) => /^[ -~]{1,100}$/.test(name);

/**
 * The header of a file: one block of POSIX.1-1988. A longer name than it holds, or one that is not ASCII, stands in a
 * record before it (pax, POSIX.1-2001). How long it is does not depend on the size.
 */
export function header(name: string, size: number): Buffer {
  if (isShort(name)) return block(name, size, fileType);
  const record = pathRecord(name);
  return Buffer.concat([
    block("pax", record.length, recordsType),
    record,
    padding(record.length),
    block(name.replaceAll(/[^ -~]/g, "_").slice(0, 100), size, fileType),
  ]);
}

/** A record begins with its length, of which the digits are a part. */
function pathRecord(name: string): Buffer {
  const rest = Buffer.byteLength(` path=${name}\n`);
  let length = rest;
  while (length !== rest + `${length}`.length) length = rest + `${length}`.length;
  return Buffer.from(`${length} path=${name}\n`);
}

/** A size beyond its eleven octal digits (8 GiB) is written in binary, as GNU tar does. */
function block(name: string, size: number, type: string): Buffer {
  const block = Buffer.alloc(blockBytes);
  const write = (text: string, at: number) => block.write(text, at, "latin1");
  write(name, 0);
  write(octal(0o600, 8), 100);
  write(octal(0, 8), 108);
  write(octal(0, 8), 116);
  if (size < 8 ** 11) write(octal(size, 12), 124);
  else (block.writeUInt8(0x80, 124), block.writeBigUInt64BE(BigInt(size), 128));
  write(octal(0, 12), 136);
  write(type, 156);
  write("ustar\x0000", 257);
  write(`${octal(checksum(block), 7)} `, 148);
  return block;
}

/** The sum of a header's bytes, with spaces in the place of the sum itself. */
const checksum = (block: Buffer) => block.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 32 : byte), 0);

/** The name and size in a block. A block that is no header may have any. */
export function fieldsOf(block: Buffer): { name: string; size: number } {
  const name = block.toString("latin1", 0, Math.min(100, block.indexOf(0)));
  const isBinary = block.readUInt8(124) === 0x80;
  const size = isBinary ? Number(block.readBigUInt64BE(128)) : Number.parseInt(block.toString("latin1", 124, 135), 8);
  return { name, size };
}

const padded = (size: number) => Math.ceil(size / blockBytes) * blockBytes;
export const padding = (size: number) => Buffer.alloc(padded(size) - size);
/** Two empty blocks. */
export const archiveEnd = Buffer.alloc(2 * blockBytes);

/** The bytes of a tar archive, the same for the same entries: it has no times. */
export async function* tar(entries: Entry[], pause: Pause): AsyncGenerator<Uint8Array> {
  for (const entry of entries) {
    const blob = "file" in entry ? Bun.file(entry.file) : new Blob([entry.text]);
    yield header(entry.name, blob.size);
    let written = 0;
    for (; written < blob.size; written += pieceBytes) {
      yield await blob.slice(written, Math.min(blob.size, written + pieceBytes)).bytes();
      await pause();
    }
    yield padding(blob.size);
  }
  yield archiveEnd;
}

/**
 * Finds the files of an archive, without reading what they contain.
 *
 * @throws if it is cut, has something after its end, or is not as `header` writes one
 */
export async function filesIn(archive: Blob): Promise<Map<string, Blob>> {
  const files = new Map<string, Blob>();
  const bytesAt = async (at: number, length: number) => Buffer.from(await archive.slice(at, at + length).bytes());
  const end = archive.size - archiveEnd.length;
  let at = 0;
  while (at < end) {
    const first = await bytesAt(at, blockBytes);
    const isLong = first.toString("latin1", 156, 157) === recordsType;
    const recordBytes = isLong ? Math.min(fieldsOf(first).size, maxRecordBytes) : 0;
    const written = isLong ? await bytesAt(at, 2 * blockBytes + padded(recordBytes)) : first;
    const { name: short, size } = fieldsOf(written.subarray(-blockBytes));
    const record = written.toString("utf8", blockBytes, blockBytes + recordBytes);
    const name = isLong ? record.slice(record.indexOf("=") + 1, -1) : short;
    if (!Number.isSafeInteger(size) || !header(name, size).equals(written))
      throw new Error("a header in it is not as Postroom writes them");
    if (files.has(name)) throw new Error(`it has ${name} twice`);
    const start = at + written.length;
    files.set(name, archive.slice(start, start + size));
    at = start + padded(size);
  }
  if (at !== end || !archiveEnd.equals(await bytesAt(end, archiveEnd.length))) throw new Error("it was cut");
  return files;
}
