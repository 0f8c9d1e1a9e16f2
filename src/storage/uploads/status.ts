import type { Upload } from "../../../db/storage/uploads";
import { missingParts, partCount } from "./plan";
import type { Part } from "../s3/list-parts";

/** Where an upload is, as far as the provider was last heard. */
export type Status = Pick<Upload, "id" | "state" | "size" | "received" | "urlExpiresAt" | "holdUntil" | "outcome"> & {
  /** One PUT, or parts. */
  mode: "put" | "multipart";
  partSize: number;
  partCount: number;
  /** Numbers of the parts that arrived, and of those to be sent. */
  parts: number[];
  missing: number[];
};

/** How the bytes are to come. */
export const planOf = (upload: Pick<Upload, "size" | "partSize">) => ({
  mode: upload.partSize === null ? ("put" as const) : ("multipart" as const),
  partSize: upload.partSize ?? upload.size,
  partCount: partCount(upload),
});

/** @param arrived what the provider listed when it was last asked */
export function statusOf(upload: Upload, arrived: Part[]): Status {
  const { id, state, size, received, urlExpiresAt, holdUntil, outcome } = upload;
  const all = Array.from({ length: partCount(upload) }, (_, i) => i + 1);
  const isSent = state === "completed" || state === "completing";
  const missing = new Set(isSent ? [] : missingParts(upload, arrived));
  return {
    ...{ id, state, size, received, urlExpiresAt, holdUntil, outcome },
    ...planOf(upload),
    parts: all.filter((part) => !missing.has(part)),
    missing: [...missing],
  };
}
