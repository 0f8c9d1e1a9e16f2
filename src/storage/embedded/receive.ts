import { errorCode } from "../../platform/log";
import { type FileHandle, open, rm, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { Refused } from "./responses";

export const maxPutBytes = 5 * 2 ** 40; // in one PUT, as MinIO

/** Is told when the next piece of a body is awaited, and when it has arrived. */
export type Waits = (isWaiting: boolean) => void;

export type Received = { size: number; etag: string; checksums: Record<string, string> };

/**
 * Streams a body into a new file and syncs it to disk. Memory use does not depend on the size. Nothing is left of an
 * interrupted body.
 *
 * @throws Refused if the length is missing, too large for the disk or wrong, or if a checksum does not match
 */
export async function receive(request: Request, file: string, waits: Waits): Promise<Received> {
  const length = await announced(request, dirname(file));
  const md5 = new Bun.CryptoHasher("md5");
  const client = announcedIn(request.headers);
  const handle = await open(file, "wx", 0o600);
  try {
    const size = await pour(request, handle, { readers: [md5, client], waits });
    if (size !== length) throw new Refused(400, "IncompleteBody");
    client.verify();
    await handle.sync();
    return { size, etag: md5.digest("hex"), checksums: client.checksums };
  } catch (error) {
    await rm(file, { force: true });
    throw isFull(error) ? new Refused(507, "XMinioStorageFull") : error;
  } finally {
    await handle.close();
  }
}

async function announced({ headers }: Request, folder: string): Promise<number> {
  const length = headers.get("content-length");
  if (length === null) throw new Refused(411, "MissingContentLength");
  if (Number(length) > maxPutBytes) throw new Refused(400, "EntityTooLarge");
  const { bavail, bsize } = await statfs(folder);
  if (Number(length) > bavail * bsize) throw new Refused(507, "XMinioStorageFull");
  return Number(length);
}

/** Is given every piece of the body, such as a hash. */
type Reader = { update(bytes: Uint8Array): unknown };

type Pour = { readers: Reader[]; waits: Waits };

async function pour({ body }: Request, handle: FileHandle, { readers, waits }: Pour): Promise<number> {
  let size = 0;
  waits(true);
  for await (const chunk of chunks(body)) {
    waits(false);
    for (const reader of readers) reader.update(chunk);
    const { bytesWritten } = await handle.write(chunk);
    size += bytesWritten;
    waits(true);
  }
  waits(false);
  return size;
}

/** If the client disconnects, the body ends with an error, which is no failure of ours. */
async function* chunks(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  if (!body) return;
  try {
    yield* body;
  } catch {
    throw new Refused(400, "IncompleteBody");
  }
}

const isFull = (error: unknown) => errorCode(error) === "ENOSPC";

/** A cyclic redundancy check that is computed piece by piece. Register and tables are in two halves of 32 bits. */
function crc(width: 32 | 64, [polynomialHigh, polynomialLow]: [number, number]) {
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

type Hash = { update(bytes: Uint8Array): void; digest(): string };

const hashed = (algorithm: "md5" | "sha1" | "sha256"): Hash => {
  const hasher = new Bun.CryptoHasher(algorithm);
  return { update: (bytes) => void hasher.update(bytes), digest: () => hasher.digest("base64") };
};

/** The algorithms of S3: the length of each in bytes, and how it is computed. */
const algorithms: Record<string, { bytes: number; make: () => Hash }> = {
  sha256: { bytes: 32, make: () => hashed("sha256") },
  sha1: { bytes: 20, make: () => hashed("sha1") },
  crc32: { bytes: 4, make: () => crc(32, [0, 0xedb88320]) },
  crc32c: { bytes: 4, make: () => crc(32, [0, 0x82f63b78]) },
  crc64nvme: { bytes: 8, make: () => crc(64, [0x9a6c9329, 0xac4bc9b5]) },
};

/**
 * Reads the checksums that the client sent, `Content-MD5` and one `x-amz-checksum-…`, which are verified as S3 does.
 *
 * @throws Refused if they are malformed
 */
function announcedIn(headers: Headers) {
  const sent = Object.entries(algorithms).filter(([name]) => headers.has(`x-amz-checksum-${name}`));
  if (sent.length > 1) throw new Refused(400, "InvalidRequest", "Only one x-amz-checksum header may be sent");
  const md5 = headers.get("content-md5");
  const checks = sent.map(([name, { bytes, make }]) => {
    const value = decoded(headers.get(`x-amz-checksum-${name}`) ?? "", bytes, "InvalidRequest");
    return { name, value, hash: make() };
  });
  if (md5 !== null) checks.push({ name: "md5", value: decoded(md5, 16, "InvalidDigest"), hash: hashed("md5") });
  return {
    update: (bytes: Uint8Array): void => checks.forEach(({ hash }) => hash.update(bytes)),
    /** @throws Refused if the bytes do not match */
    verify(): void {
      for (const { name, value, hash } of checks)
        if (hash.digest() !== value) throw new Refused(400, "BadDigest", `The ${name} you specified did not match`);
    },
    /** Stored with the part: `{ sha256: "base64" }`. */
    checksums: Object.fromEntries(checks.filter(({ name }) => name !== "md5").map(({ name, value }) => [name, value])),
  };
}

/** @throws Refused unless the value is this many bytes in Base64 */
function decoded(value: string, bytes: number, code: string): string {
  const buffer = Buffer.from(value, "base64");
  if (buffer.length !== bytes || buffer.toString("base64") !== value) throw new Refused(400, code);
  return value;
}
