import type { clientFor, Target } from "./client";
import { isBucketMissing } from "./errors";
import { listParts, type Part } from "./list-parts";
import { unlessGone } from "./objects";
import { presign } from "./presign";
import { urlLifetimeSeconds } from "../../../db/storage/rules";

type Client = ReturnType<typeof clientFor>;
type PartSize = Pick<Part, "part" | "size"> & { contentMd5?: string | undefined };

/**
 * Open uploads. All of them are multipart; a single PUT is an upload of one part.
 *
 * @param ensureBucket creates the bucket if it does not exist
 * @param slowClient a client that waits longer, because some servers copy all parts to complete an upload
 */
export const multipartOf = (
  client: Client,
  target: Target,
  ensureBucket: () => Promise<void>,
  slowClient: () => Client,
) => ({
  /** Opens a multipart upload. The object gets this type, whatever the client's PUT says. */
  async initiate(key: string, mimeType: string, reservation: string): Promise<string> {
    const headers = { "content-type": mimeType, "x-amz-meta-reservation": reservation };
    const open = () => client.initiateNewMultipartUpload(target.bucket, key, headers);
    try {
      return await open();
    } catch (error) {
      if (!isBucketMissing(error)) throw error; // the node was down, or empty, when the service started
      await ensureBucket();
      return open();
    }
  },
  findUploadId: (key: string): Promise<string | undefined> => client.findUploadId(target.bucket, key),
  /** Returns the complete parts; undefined if the upload is no longer open. */
  listParts: (key: string, uploadId: string): Promise<Part[] | undefined> =>
    unlessGone(listParts(client, target.bucket, key, uploadId)),
  /**
   * Completes the upload. Do not trust the response either way: some servers confirm what they did not do. Check with
   * `stat`.
   */
  complete(key: string, uploadId: string, parts: Part[]): Promise<unknown> {
    const etags = parts.map(({ part, etag }) => ({ part, etag }));
    return slowClient().completeMultipartUpload(target.bucket, key, uploadId, etags);
  },
  abort: (key: string, uploadId: string): Promise<void> =>
    unlessGone(client.abortMultipartUpload(target.bucket, key, uploadId)),
  /**
   * Where the client PUTs exactly `size` bytes: part 1 of the upload, so the URL stops working once that is completed.
   * With `contentMd5`, it accepts only bytes with this MD5, sent with the header.
   */
  uploadUrl: (key: string, uploadId: string, size: number, contentMd5?: string): string =>
    partUrl(target, key, { uploadId, part: 1, size, contentMd5 }),
  /** Where the client PUTs exactly `size` bytes as that part, for an hour. */
  partUrl: (key: string, uploadId: string, part: PartSize, origin?: string): string =>
    partUrl(target, key, { uploadId, ...part }, origin),
});

const partUrl = (
  target: Target,
  key: string,
  { uploadId, part, size, contentMd5 }: PartSize & { uploadId: string },
  origin = target.publicEndpoint,
): string =>
  presign(
    target,
    {
      method: "PUT",
      origin,
      path: `/${target.bucket}/${key}`,
      query: { partNumber: String(part), uploadId },
      headers: { "content-length": String(size), ...(contentMd5 && { "content-md5": contentMd5 }) },
      expiresIn: urlLifetimeSeconds,
    },
    new Date(), // not the service's clock, which tests move: the node compares it with its own
  );
