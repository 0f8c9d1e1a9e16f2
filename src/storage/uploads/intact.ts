import { createHash } from "node:crypto";
import type { Upload } from "../../../db/storage/uploads";
import type { Part } from "../s3/list-parts";
import type { S3 } from "../s3/s3";
import { partCount, sizeOfPart } from "./plan";

type Stored = Pick<Upload, "objectKey" | "size" | "partSize">;

/**
 * Whether an object has all bytes of its parts, on a server that fills what did not arrive with zeros: each part ends
 * with another byte, or is read and has the MD5 in its ETag. That of a single PUT would prove nothing: it is the MD5 of
 * the bytes that did arrive.
 *
 * @param parts as listed before the object was made; if they are unknown after a crash, all of the object is read
 */
export async function isIntact(s3: S3, upload: Stored, etag: string, parts?: Part[]): Promise<boolean> {
  if (!parts) return isWholeObject(s3, upload, etag);
  const { objectKey } = upload;
  let start = 0;
  for (const part of parts) {
    const mayBeCut = part.size > 0 && (await isZero(s3, objectKey, start + part.size - 1));
    if (mayBeCut && (await md5(s3, objectKey, start, part.size)).toString("hex") !== part.etag) return false;
    start += part.size;
  }
  return true;
}

const isZero = async (s3: S3, key: string, at: number) => (await Array.fromAsync(s3.read(key, at, 1)))[0]?.[0] === 0;

/** Compares with the ETag of the object: the MD5 of the MD5s of its parts, and their number. */
async function isWholeObject(s3: S3, upload: Stored, etag: string): Promise<boolean> {
  const all = createHash("md5");
  const count = partCount(upload);
  for (let part = 1, start = 0; part <= count; start += sizeOfPart(upload, part), part++)
    all.update(await md5(s3, upload.objectKey, start, sizeOfPart(upload, part)));
  return etag === `${all.digest("hex")}-${count}`;
}

async function md5(s3: S3, key: string, start: number, length: number): Promise<Buffer> {
  const hash = createHash("md5");
  for await (const bytes of s3.read(key, start, length)) hash.update(bytes);
  return hash.digest();
}
