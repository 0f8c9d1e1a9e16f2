import { urlLifetimeSeconds } from "../../../db/storage/rules";
import type { Upload } from "../../../db/storage/uploads";
import { partCount } from "./plan";

/** What the client needs to send the bytes (spec 4.7). */
export type Grant = {
  uploadUrl: string;
  expiresIn: number;
  method: "PUT";
  _meta: { nodeId: string; reservationId: string; folderId: string };
  /** For a multipart upload: `uploadUrl` is then for the first part. */
  partSize?: number;
  partCount?: number;
};

/** No node has space (D34); or none accepts this size in one PUT, but a multipart upload would work (P86). */
export type NoRoom = "full" | "parts-only";

export const grantOf = (upload: Upload, uploadUrl: string): Grant => ({
  uploadUrl,
  expiresIn: urlLifetimeSeconds,
  method: "PUT",
  _meta: { nodeId: upload.nodeId, reservationId: upload.id, folderId: upload.folderId },
  ...(upload.partSize !== null && { partSize: upload.partSize, partCount: partCount(upload) }),
});
