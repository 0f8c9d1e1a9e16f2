import type { IncomingMessage } from "node:http";
import type { NodeClient } from "./client";
import { encodeQuery } from "./sigv4";

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
 * Returns the complete parts. The client has this call too, but drops the checksums sent with the parts.
 *
 * @throws if the upload is not open, or the response is not that of an S3 server
 */
export async function listParts(client: NodeClient, bucket: string, key: string, uploadId: string): Promise<Part[]> {
  const parts: Part[] = [];
  for (let marker: string | undefined = "0"; marker !== undefined;) {
    // As signed: "~", which occurs in Ceph's IDs, is not encoded
    const query = encodeQuery([
      ["uploadId", uploadId],
      ...(marker === "0" ? [] : ([["part-number-marker", marker]] as const)),
    ]);
    const request = { method: "GET", bucketName: bucket, objectName: key, query };
    const page = await textOf(await client.makeRequestAsync(request));
    if (!page.includes("<ListPartsResult")) throw new Error("The answer lists no parts");
    parts.push(...[...page.matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = ""]) => partIn(part)));
    const next = element(page, "NextPartNumberMarker");
    marker = element(page, "IsTruncated") === "true" && Number(next) > Number(marker) ? next : undefined;
  }
  return parts;
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

/** The ETag as stored: some servers write it with quotation marks, in various encodings. */
export const withoutQuotes = (etag: string) => etag.replace(/&quot;|&#34;|"/g, "");

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    if ((size += chunk.length) > maxPageBytes) throw new Error("The list of parts is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
