import { urlLifetimeSeconds } from "../../../db/storage/rules";
import type { Upload } from "../../../db/storage/uploads";
import type { S3 } from "../s3/s3";
import { partCount, sizeOfPart } from "./plan";

/** What the client needs to send the bytes (spec 4.7). */
export type Grant = {
  uploadUrl: string;
  expiresIn: number;
  method: "PUT";
  /** To be sent with the bytes, if the client announced their MD5. */
  headers?: { "Content-MD5": string };
  _meta: { nodeId: string; reservationId: string; folderId: string };
  /** For a multipart upload: `uploadUrl` is then for the first part. */
  partSize?: number;
  partCount?: number;
};

/**
 * No node has space (D34); or none accepts this size in one PUT, but a multipart upload would work; or those that do
 * keep interrupted uploads, so the MD5 is needed too.
 */
export type NoSpace = "full" | "parts-only" | "parts-or-md5";

/** Where the client PUTs its bytes: the file, or the first part. */
export const urlOf = (s3: S3, upload: Upload, providerUploadId: string): string =>
  s3.uploadUrl(upload.objectKey, providerUploadId, sizeOfPart(upload, 1), upload.checksums?.md5);

/** What the client must send with a single PUT. */
export const headersOf = ({ checksums }: Pick<Upload, "checksums">): Pick<Grant, "headers"> =>
  checksums?.md5 === undefined ? {} : { headers: { "Content-MD5": checksums.md5 } };

export const grantOf = (upload: Upload, uploadUrl: string): Grant => ({
  uploadUrl,
  expiresIn: urlLifetimeSeconds,
  method: "PUT",
  ...headersOf(upload),
  _meta: { nodeId: upload.nodeId, reservationId: upload.id, folderId: upload.folderId },
  ...(upload.partSize !== null && { partSize: upload.partSize, partCount: partCount(upload) }),
});
