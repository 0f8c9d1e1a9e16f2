import type { clientFor, NodeClient, Target } from "./client";
import { isBucketMissing } from "./errors";
import { unlessGone, withoutQuotes } from "./objects";
import { encodeQuery, presign } from "./presign";
import { urlLifetimeSeconds } from "../../../db/storage/uploads";
import type { IncomingMessage } from "node:http";

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

/** One part as stored at the node. */
export type Part = {
  part: number;
  size: number;
  etag: string;
  /** The checksums that the client sent, as the server stores them: `{ sha256: "base64" }`. */
  checksums?: Record<string, string>;
};

const maxPageBytes = 16 * 2 ** 20; // ten thousand parts, as many as an upload may have, are 4 MB
const checksum = /<Checksum(SHA256|SHA1|CRC32C|CRC32|CRC64NVME)>([A-Za-z0-9+/]{1,88}=*)<\//g;

/**
 * Returns the complete parts, in the order of their numbers. The client has this call too, but drops the checksums sent
 * with the parts. SeaweedFS lists a part that was sent again twice: the later one counts, as it does on completing.
 *
 * @throws if the upload is not open, or the response is not that of an S3 server
 */
export async function listParts(client: NodeClient, bucket: string, key: string, uploadId: string): Promise<Part[]> {
  const parts = new Map<number, { listed: Part; modified: string }>();
  for (let marker: string | undefined = "0"; marker !== undefined;) {
    // As signed: "~", which occurs in Ceph's IDs, is not encoded
    const query = encodeQuery([
      ["uploadId", uploadId],
      ...(marker === "0" ? [] : ([["part-number-marker", marker]] as const)),
    ]);
    const request = { method: "GET", bucketName: bucket, objectName: key, query };
    const page = await textOf(await client.makeRequestAsync(request));
    if (!page.includes("<ListPartsResult")) throw new Error("The answer lists no parts");
    for (const [, xml = ""] of page.matchAll(/<Part>(.*?)<\/Part>/gs)) {
      const [listed, modified] = [partIn(xml), element(xml, "LastModified")];
      const before = parts.get(listed.part);
      if (!before || before.modified <= modified) parts.set(listed.part, { listed, modified });
    }
    const next = element(page, "NextPartNumberMarker");
    marker = element(page, "IsTruncated") === "true" && Number(next) > Number(marker) ? next : undefined;
  }
  return [...parts.values()].map(({ listed }) => listed);
}

function partIn(xml: string): Part {
  const checksums = Object.fromEntries(
    [...xml.matchAll(checksum)].map(([, name = "", value = ""]) => [name.toLowerCase(), value]),
  );
  return {
    part: Number(element(xml, "PartNumber")),
    size: Number(element(xml, "Size")),
    etag: withoutQuotes(element(xml, "ETag")),
    ...(Object.keys(checksums).length && { checksums }),
  };
}

const element = (xml: string, name: string) => new RegExp(`<${name}>([^<]*)<`).exec(xml)?.[1] ?? "";

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer) {
    if ((size += chunk.length) > maxPageBytes) throw new Error("The list of parts is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
