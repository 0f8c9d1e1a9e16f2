import type { clientFor, NodeClient, Target } from "./client";
import { attachment } from "./disposition";
import { isGone } from "./errors";
import { presignGet } from "./presign";

type Client = ReturnType<typeof clientFor>;

const pieceBytes = 8 * 2 ** 20;

/** What the server says of an object, without its bytes. */
export type ObjectFacts = { size: number; etag: string };
export type ListedObject = ObjectFacts & { key: string; at: Date };
export type OpenUpload = { key: string; uploadId: string; at: Date };

/** Complete objects. */
export const objectsOf = (client: Client, target: Target) => ({
  stat: async (key: string): Promise<ObjectFacts | undefined> => {
    const object = await unlessGone(client.statObject(target.bucket, key));
    return object && { size: object.size, etag: withoutQuotes(object.etag) };
  },
  /**
   * Yields these bytes of an object. Each piece has the client's deadline of its own, and is in memory before its first
   * bytes are yielded: who uses them slowly does not miss it. @throws if it is shorter
   */
  async *read(key: string, start: number, length: number, piece = pieceBytes): AsyncGenerator<Uint8Array> {
    for (let offset = 0; offset < length; offset += piece) {
      const wanted = Math.min(piece, length - offset);
      const stream: AsyncIterable<Buffer> = await client.getPartialObject(target.bucket, key, start + offset, wanted);
      const pieces = await Array.fromAsync(stream);
      if (pieces.reduce((sum, bytes) => sum + bytes.length, 0) !== wanted)
        throw new Error("The object is shorter than its size");
      yield* pieces;
    }
  },
  remove: (key: string): Promise<void> => client.removeObject(target.bucket, key),
  /** Returns a URL at which browsers download the object under its original name. */
  downloadUrl: (key: string, filename: string): string =>
    presignGet(target, { key, disposition: attachment(filename) }, new Date()),
});

/** "Gone" is an outcome, not an exception. */
export async function unlessGone<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** The contents of a bucket under a prefix, page by page, so that memory use does not depend on their number. */
export const inventoryOf = (client: NodeClient, bucket: string) => ({
  /** Yields every object, in byte order of the keys. */
  async *objects(prefix: string): AsyncGenerator<ListedObject> {
    for (let token = "", isMore = true; isMore;) {
      const page = await client.listObjectsV2Query(bucket, prefix, token, "", 1_000, "");
      for (const { name, size, etag, lastModified } of page.objects)
        if (name) yield { key: name, size, etag: withoutQuotes(etag ?? ""), at: new Date(lastModified ?? 0) };
      isMore = page.isTruncated && page.nextContinuationToken !== "";
      token = page.nextContinuationToken;
    }
  },
  /** Yields every open multipart upload that the server reports. MinIO reports only recent ones. */
  async *openUploads(prefix: string): AsyncGenerator<OpenUpload> {
    for (let after = "", isMore = true; isMore;) {
      const page = await client.listIncompleteUploadsQuery(bucket, prefix, after, "", "");
      for (const { key, uploadId, initiated } of page.uploads) yield { key, uploadId: String(uploadId), at: initiated };
      isMore = page.isTruncated && page.nextKeyMarker !== "";
      after = page.nextKeyMarker;
    }
  },
});

/** The ETag as stored: some servers write it with quotation marks, in various encodings. */
export const withoutQuotes = (etag: string) => etag.replace(/&quot;|&#34;|"/g, "");
