import type { Upload } from "../../../db/storage/uploads";
import type { Part } from "../s3/multipart";

const mebibyte = 2 ** 20;
const maxParts = 8_000; // some servers cannot complete an upload with a list of 10,000

/** Size of every part except the last, unless a test sets a smaller one. */
export const smallestPart = 64 * mebibyte;

/**
 * Returns the part size. Parts are equal, because some servers insist on it; few enough for 5 TiB, and none above the 5
 * GiB that one PUT may have.
 */
export const partSizeFor = (size: number, smallest = smallestPart): number =>
  Math.max(smallest, Math.ceil(size / maxParts / mebibyte) * mebibyte);

type Planned = Pick<Upload, "size" | "partSize">;

/** An upload without parts counts as one part. */
export const partCount = ({ size, partSize }: Planned): number =>
  partSize === null ? 1 : Math.max(1, Math.ceil(size / partSize));

export const sizeOfPart = (upload: Planned, number: number): number => {
  const { size, partSize } = upload;
  return partSize === null || number === partCount(upload) ? size - (number - 1) * (partSize ?? 0) : partSize;
};

/** Returns the numbers of the parts still to be sent: those that have not arrived, or not with the right size. */
export function missingParts(upload: Planned, arrived: Part[]): number[] {
  const sizes = new Map(arrived.map(({ part, size }) => [part, size]));
  const all = Array.from({ length: partCount(upload) }, (_, i) => i + 1);
  return all.filter((number) => sizes.get(number) !== sizeOfPart(upload, number));
}

/** Whether exactly the planned parts, or the whole file as part 1, have arrived. */
export const isWhole = (upload: Planned, arrived: Part[]): boolean =>
  (arrived.length === 1 && arrived[0]?.part === 1 && arrived[0].size === upload.size) ||
  (arrived.length === partCount(upload) && missingParts(upload, arrived).length === 0);

export const bytesOf = (parts: Part[]): number => parts.reduce((sum, { size }) => sum + size, 0);

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
