import type { Upload } from "../../../db/storage/uploads";
import { missingParts, partCount } from "./plan";
import type { Part } from "../s3/list-parts";

/** The status of an upload, as last seen at the node. */
export type Status = Pick<Upload, "id" | "state" | "size" | "received" | "urlExpiresAt" | "holdUntil" | "outcome"> & {
  /** A single PUT, or multipart. */
  mode: "put" | "multipart";
  partSize: number;
  partCount: number;
  /** The numbers of the parts that have arrived, and of those to be sent. */
  parts: number[];
  missing: number[];
};

/** How the bytes are to be sent. */
export const planOf = (upload: Pick<Upload, "size" | "partSize">) => ({
  mode: upload.partSize === null ? ("put" as const) : ("multipart" as const),
  partSize: upload.partSize ?? upload.size,
  partCount: partCount(upload),
});

/** @param arrived the parts that the node listed last */
export function statusOf(upload: Upload, arrived: Part[]): Status {
  const { id, state, size, received, urlExpiresAt, holdUntil, outcome } = upload;
  const all = Array.from({ length: partCount(upload) }, (_, i) => i + 1);
  const isSent = state === "completed" || state === "completing";
  const missing = new Set(isSent ? [] : missingParts(upload, arrived));
  return {
    id,
    state,
    size,
    received,
    urlExpiresAt,
    holdUntil,
    outcome,
    ...planOf(upload),
    parts: all.filter((part) => !missing.has(part)),
    missing: [...missing],
  };
}
