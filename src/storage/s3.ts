import * as http from "node:http";
import * as https from "node:https";
import { Client } from "minio";
import { presign, urlLifetime } from "./presign";
import { isBucketMissing, isGone } from "./trouble";

export type Target = {
  /** What the service calls. */
  endpoint: string;
  /** What presigned URLs are made for. */
  publicEndpoint: string;
  region: string;
  bucket: string;
  accessKey: string;
  secretKey: string;
};
export type Part = { part: number; size: number; etag: string };
export type S3 = ReturnType<typeof openS3>;

/**
 * One storage node, through the `minio` client. Every call has a deadline, because a provider that accepts and never
 * answers would hold it for ever. "Gone" is an answer, not an exception; every other trouble is thrown.
 *
 * @param deadline milliseconds
 */
export function openS3(target: Target, deadline: number) {
  const { bucket, region } = target;
  const inside = clientFor(target.endpoint, target, deadline);
  const outside = clientFor(target.publicEndpoint, target, deadline);

  async function ensureBucket(): Promise<void> {
    if (!(await inside.bucketExists(bucket))) await inside.makeBucket(bucket, region);
  }

  return {
    ensureBucket,
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
      unlessGone(inside.listParts(bucket, key, uploadId)),
    /** Do not trust its answer, either way: some servers confirm what they did not do. Look with `stat`. */
    complete: (key: string, uploadId: string, parts: Part[]): Promise<unknown> =>
      inside.completeMultipartUpload(
        bucket,
        key,
        uploadId,
        parts.map(({ part, etag }) => ({ part, etag })),
      ),
    abort: (key: string, uploadId: string): Promise<void> =>
      unlessGone(inside.abortMultipartUpload(bucket, key, uploadId)),
    stat: (key: string): Promise<{ size: number } | undefined> => unlessGone(inside.statObject(bucket, key)),
    remove: (key: string): Promise<void> => inside.removeObject(bucket, key),

    /** Where the client PUTs exactly `size` bytes: part 1 of the upload, so the URL dies when it is completed. */
    uploadUrl: (key: string, uploadId: string, size: number, origin = target.publicEndpoint): string =>
      presign(
        target,
        {
          method: "PUT",
          origin,
          path: `/${bucket}/${key}`,
          query: { partNumber: "1", uploadId },
          headers: { "content-length": String(size) },
          expiresIn: urlLifetime,
        },
        new Date(), // not the service's clock, which tests move: the provider compares it with its own
      ),
    /** Where a browser downloads the object under the name it was uploaded with. */
    downloadUrl: (key: string, filename: string): Promise<string> =>
      outside.presignedGetObject(bucket, key, urlLifetime, { "response-content-disposition": attachment(filename) }),
  };
}

class NodeClient extends Client {
  override listParts(bucket: string, key: string, uploadId: string) {
    return super.listParts(bucket, key, uploadId);
  }
}

function clientFor(endpoint: string, { accessKey, secretKey, region }: Target, deadline: number): NodeClient {
  const { hostname, port, protocol } = new URL(endpoint);
  const useSSL = protocol === "https:";
  return new NodeClient({
    endPoint: hostname,
    port: Number(port) || (useSSL ? 443 : 80),
    useSSL,
    accessKey,
    secretKey,
    region, // without it the client asks the provider first, even to sign
    pathStyle: true,
    transport: within(deadline, useSSL ? https : http),
    retryOptions: { disableRetry: true }, // we repeat, and know what we are repeating
  });
}

/** The client has no time limit of its own, and an agent's is not honoured by Bun. */
const within = (deadline: number, { request }: Pick<typeof http, "request">) => ({
  request: ((options: http.RequestOptions, answered: (response: http.IncomingMessage) => void) =>
    request({ ...options, signal: AbortSignal.timeout(deadline) }, answered)) as typeof request,
});

async function unlessGone<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** RFC 6266: a plain name for old programs, the real one for the others. */
const attachment = (filename: string) =>
  `attachment; filename="${filename.replace(/[^ !#-[\]-~]/g, "_")}"; filename*=UTF-8''${encodeURIComponent(filename).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)}`;
