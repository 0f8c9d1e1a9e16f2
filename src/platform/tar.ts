/** A file in the archive: its name there, and where it is or what it contains. */
export type Entry = { name: string } & ({ file: string } | { text: string });

/** Called after each piece of work: waits, if the process has used more than its share of the processor. */
export type Pause = () => Promise<void>;

export const blockBytes = 512;
const pieceBytes = 2 ** 18;
const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, "0")}\0`;

/** A header of POSIX.1-1988. A size beyond its eleven octal digits (8 GiB) is written in binary, as GNU tar does. */
function header(name: string, size: number): Buffer {
  const block = Buffer.alloc(blockBytes);
  const write = (text: string, at: number) => block.write(text, at, "latin1");
  write(name, 0);
  write(octal(0o600, 8), 100);
  write(octal(0, 8), 108);
  write(octal(0, 8), 116);
  if (size < 8 ** 11) write(octal(size, 12), 124);
  else (block.writeUInt8(0x80, 124), block.writeBigUInt64BE(BigInt(size), 128));
  write(octal(0, 12), 136);
  write(" ".repeat(8), 148);
  write("0", 156);
  write("ustar\x0000", 257);
  write(
    `${octal(
      block.reduce((sum, byte) => sum + byte, 0),
      7,
    )} `,
    148,
  );
  return block;
}

export const padding = (size: number) => Buffer.alloc((blockBytes - (size % blockBytes)) % blockBytes);

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
  yield Buffer.alloc(2 * blockBytes);
}
