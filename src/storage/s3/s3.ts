import { clientFor, type Heard } from "./client";
import { corsOf } from "./cors";
import { inventoryOf } from "../nodes/inventory";
import { attachment } from "./disposition";
import { toldFree, type ToldFree } from "./free-space";
import { listParts, type Part, withoutQuotes } from "./list-parts";
import { presign, presignGet } from "./presign";
import type { Target } from "./target";
import { isBucketMissing, isGone } from "./errors";
import { urlLifetimeSeconds } from "../../../db/storage/rules";

export type S3 = ReturnType<typeof openS3>;

/**
 * One storage node, through the `minio` client. Every call has a deadline, because a provider that accepts and never
 * answers would hold it for ever. "Gone" is an answer, not an exception; every other trouble is thrown.
 *
 * @param deadline milliseconds
 */
export function openS3(target: Target, deadline: number, heard?: Heard) {
  const { bucket, region } = target;
  const inside = clientFor(target.endpoint, target, deadline, heard);

  /** Some servers copy all parts to complete them. */
  const patient = () => clientFor(target.endpoint, target, 3 * deadline, heard);

  /** Asks by a call whose refusal has a body: that of HEAD has none, and all that is wrong with the keys looks the same. */
  async function ensureBucket(): Promise<void> {
    try {
      await inside.listObjectsV2Query(bucket, "probe/", "", "", 1, "");
    } catch (error) {
      if (!isBucketMissing(error) || target.holdsFiles) throw error;
      await inside.makeBucket(bucket, region);
    }
  }

  /** Where exactly `size` bytes may be sent as that part, for an hour. */
  const partUrl = (
    key: string,
    uploadId: string,
    { part, size }: Pick<Part, "part" | "size">,
    origin = target.publicEndpoint,
  ): string =>
    presign(
      target,
      {
        method: "PUT",
        origin,
        path: `/${bucket}/${key}`,
        query: { partNumber: String(part), uploadId },
        headers: { "content-length": String(size) },
        expiresIn: urlLifetimeSeconds,
      },
      new Date(), // not the service's clock, which tests move: the provider compares it with its own
    );

  const abort = (key: string, uploadId: string): Promise<void> =>
    unlessGone(inside.abortMultipartUpload(bucket, key, uploadId));
  const stat = async (key: string): Promise<{ size: number; etag: string } | undefined> => {
    const object = await unlessGone(inside.statObject(bucket, key));
    return object && { size: object.size, etag: withoutQuotes(object.etag) };
  };
  const remove = (key: string): Promise<void> => inside.removeObject(bucket, key);

  /** Nothing of that key is left: no upload, whether its id is known or not, and no object. */
  const forget = (key: string, uploadId?: string): Promise<void> =>
    letGo(key, uploadId).catch((error) => {
      if (!isBucketMissing(error)) throw error; // without the bucket there is nothing left either
    });

  async function letGo(key: string, uploadId?: string): Promise<void> {
    if (uploadId) await abort(key, uploadId);
    for (let tries = 0; ; tries++) {
      const open = await inside.findUploadId(bucket, key);
      if (!open) break;
      if (tries === 5) throw new Error("The provider does not let go of an upload");
      await abort(key, open);
    }
    if (await stat(key)) await remove(key);
  }

  return {
    ...inventoryOf(inside, bucket),
    ...corsOf(inside, bucket),
    ensureBucket,
    /** Bytes that the server says it may still take; undefined when it does not say. */
    toldFree: (): Promise<ToldFree | undefined> => toldFree(inside, target, deadline),
    /** Opens a multipart upload. The object will have this type, whatever the client's PUT says. */
    async initiate(key: string, mimeType: string, reservation: string): Promise<string> {
      const headers = { "content-type": mimeType, "x-amz-meta-reservation": reservation };
      const open = () => inside.initiateNewMultipartUpload(bucket, key, headers);
      try {
        return await open();
      } catch (error) {
        if (!isBucketMissing(error)) throw error; // the node was down, or empty, when the service started
        await ensureBucket();
        return open();
      }
    },
    findUploadId: (key: string): Promise<string | undefined> => inside.findUploadId(bucket, key),
    /** The parts that arrived whole, or undefined when the upload is not open any more. */
    listParts: (key: string, uploadId: string): Promise<Part[] | undefined> =>
      unlessGone(listParts(inside, bucket, key, uploadId)),
    /** Do not trust its answer, either way: some servers confirm what they did not do. Look with `stat`. */
    complete: (key: string, uploadId: string, parts: Part[]): Promise<unknown> =>
      patient().completeMultipartUpload(
        bucket,
        key,
        uploadId,
        parts.map(({ part, etag }) => ({ part, etag })),
      ),
    abort,
    forget,
    stat,
    remove,
    /** Where the client PUTs exactly `size` bytes: part 1 of the upload, so the URL dies when it is completed. */
    uploadUrl: (key: string, uploadId: string, size: number, origin?: string): string =>
      partUrl(key, uploadId, { part: 1, size }, origin),
    partUrl,
    /** Where a browser downloads the object under the name it was uploaded with. */
    downloadUrl: (key: string, filename: string): string =>
      presignGet(target, { key, disposition: attachment(filename) }, new Date()),
  };
}

async function unlessGone<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}
