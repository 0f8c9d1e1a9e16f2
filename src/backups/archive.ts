import { Decrypter, Encrypter } from "age-encryption";
import { open, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { blockBytes, type Entry, fieldsOf, padding, type Pause, tar } from "../platform/tar";

/* A copy is a tar archive, compressed with zstd and encrypted in the age format, so that `age`, `zstd` and `tar` open it
   without Postroom: age -d -i key.txt copy | zstd -d | tar x. */

/** Packs, compresses and encrypts, piece by piece. @param recipients those who can open it, "age1…" */
export async function pack(entries: Entry[], recipients: string[], pause: Pause): Promise<ReadableStream<Uint8Array>> {
  const encrypter = new Encrypter();
  for (const recipient of recipients) encrypter.addRecipient(recipient);
  return encrypter.encrypt(through(new CompressionStream("zstd"), tar(entries, pause)));
}

/** Whether this is the key of an age file, with all its characters. */
export function isKey(text: string): boolean {
  try {
    new Decrypter().addIdentity(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Opens what `pack` made and writes its files into a folder. Returns the SHA-256 of each, by name.
 *
 * @param names those that are accepted
 * @throws if none of the keys opens it, or a byte was changed or is missing
 */
export async function unpack(
  bytes: AsyncIterable<Uint8Array>,
  { identities, folder, names }: { identities: string[]; folder: string; names: string[] },
  pause: Pause,
): Promise<Map<string, string>> {
  const decrypter = new Decrypter();
  for (const identity of identities) decrypter.addIdentity(identity);
  const plain = through(new DecompressionStream("zstd"), await decrypter.decrypt(streamOf(bytes)));
  const reader = new TarReader(folder, names);
  try {
    for await (const piece of plain) {
      await reader.write(piece);
      await pause();
    }
    return await reader.end();
  } finally {
    await reader.close();
  }
}

/** Writes the files of an archive as its bytes arrive. Who keeps one syncs it to disk. */
class TarReader {
  private readonly hashes = new Map<string, string>();
  private pending = Buffer.alloc(0);
  private file: { name: string; handle: FileHandle; left: number; padding: number; hash: Bun.CryptoHasher } | undefined;
  private skip = 0;
  private isOver = false;

  constructor(
    private readonly folder: string,
    private readonly names: string[],
  ) {}

  async write(piece: Uint8Array): Promise<void> {
    let rest = this.pending.length
      ? Buffer.concat([this.pending, piece])
      : Buffer.from(piece.buffer, piece.byteOffset, piece.length);
    while (rest.length && !this.isOver) {
      if (this.file) rest = await this.writeFile(rest, this.file);
      else if (this.skip) {
        const skipped = Math.min(this.skip, rest.length);
        this.skip -= skipped;
        rest = rest.subarray(skipped);
      } else if (rest.length < blockBytes) break;
      else {
        await this.begin(rest.subarray(0, blockBytes));
        rest = rest.subarray(blockBytes);
      }
    }
    this.pending = Buffer.from(rest);
  }

  async end(): Promise<Map<string, string>> {
    if (!this.isOver || this.file) throw new Error("The archive ends too early.");
    return this.hashes;
  }

  async close(): Promise<void> {
    await this.file?.handle.close();
  }

  private async begin(block: Buffer): Promise<void> {
    if (!block.readUInt8(0)) return void (this.isOver = true); // two empty blocks end an archive
    const { name, size } = fieldsOf(block);
    if (!this.names.includes(name) || this.hashes.has(name)) throw new Error("The archive contains another file.");
    if (!Number.isSafeInteger(size)) throw new Error("The archive is damaged.");
    const handle = await open(join(this.folder, name), "wx", 0o600);
    this.file = { name, handle, left: size, padding: padding(size).length, hash: new Bun.CryptoHasher("sha256") };
    if (!size) await this.finish(this.file);
  }

  private async writeFile(bytes: Buffer, file: NonNullable<TarReader["file"]>): Promise<Buffer> {
    const own = bytes.subarray(0, file.left);
    file.hash.update(own);
    for (let at = 0; at < own.length;) at += (await file.handle.write(own, at)).bytesWritten;
    file.left -= own.length;
    if (!file.left) await this.finish(file);
    return bytes.subarray(own.length);
  }

  private async finish({ name, handle, hash, padding }: NonNullable<TarReader["file"]>): Promise<void> {
    await handle.close();
    this.file = undefined;
    this.skip = padding;
    this.hashes.set(name, hash.digest("hex"));
  }
}

const through = (stream: CompressionStream | DecompressionStream, bytes: AsyncIterable<Uint8Array>) =>
  streamOf<Bun.BufferSource>(unshared(bytes)).pipeThrough(stream);

/** The same bytes in memory of their own, as the types of streams want it. */
async function* unshared(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for await (const piece of bytes) if (piece.length) yield new Uint8Array(piece);
}

/** A stream that is read on demand only, so that memory use does not depend on its length. */
function streamOf<T>(pieces: AsyncIterable<T>): ReadableStream<T> {
  const iterator = pieces[Symbol.asyncIterator]();
  return new ReadableStream<T>(
    {
      async pull(controller) {
        const { done, value } = await iterator.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: async () => void (await iterator.return?.()),
    },
    { highWaterMark: 0 },
  );
}

const collectEvery = 128; // pieces
const mostCreditMs = 50;

/**
 * Keeps this process at a share of one processor, counted from its start, and its memory small: pieces of a large file
 * would otherwise pile up until the engine collects them. Time that it spent waiting, for a slow network say, is not
 * made up for afterwards: that would take a whole processor.
 */
export function paced(share: number): Pause {
  let pieces = 0;
  let forgoneMs = 0;
  return async () => {
    if (++pieces % collectEvery === 0) Bun.gc(true);
    const { user, system } = process.cpuUsage(); // microseconds
    const ahead = (user + system) / 1_000 / share + forgoneMs - process.uptime() * 1_000;
    if (share < 1 && ahead > 5) await Bun.sleep(ahead);
    else forgoneMs += Math.max(0, -ahead - mostCreditMs);
  };
}
