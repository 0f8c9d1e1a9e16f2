import { type Upload, urlLifetimeSeconds } from "../../../db/storage/uploads";
import type { Part } from "../s3/multipart";
import type { S3 } from "../s3/s3";

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

/**
 * What becomes of an upload: it is open, and looked at again after `waitMs` if that is known; it is a file; it is
 * discarded at the node; or there is nothing to discard.
 */
export type Verdict =
  | { is: "open"; waitMs?: number }
  | { is: "whole" }
  | { is: "unwanted"; outcome: "larger than reserved" | "expired" | "another size" }
  | { is: "gone"; outcome: "vanished" };

const graceMs = 3_000;

/** What has arrived at the node, and since when all of it is there. */
type Arrived = {
  parts: Part[];
  wholeSince: number | undefined;
  /** The client says that it is done. */
  isAsked: boolean;
};

/** Decides what becomes of an upload that its node still takes parts of. */
export function verdictOnParts(
  { size, state, holdUntil }: Pick<Upload, "size" | "state" | "holdUntil">,
  { parts, wholeSince, isAsked }: Arrived,
  now: Date,
): Verdict {
  if (bytesOf(parts) > size) return { is: "unwanted", outcome: "larger than reserved" };
  if (wholeSince === undefined) return now < holdUntil ? { is: "open" } : { is: "unwanted", outcome: "expired" };
  // Not immediately: a client that lost the response to its PUT may repeat it, and should get a 200 again.
  const waitMs = wholeSince + graceMs - now.getTime();
  return isAsked || waitMs <= 0 || state === "completing" ? { is: "whole" } : { is: "open", waitMs };
}

/** Decides what becomes of an upload that is closed at its node, which has an object of this size, or none. */
export function verdictOnObject({ size }: Pick<Upload, "size">, object: { size: number } | undefined): Verdict {
  if (!object) return { is: "gone", outcome: "vanished" };
  return object.size === size ? { is: "whole" } : { is: "unwanted", outcome: "another size" };
}

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
const headersOf = ({ checksums }: Pick<Upload, "checksums">): Pick<Grant, "headers"> =>
  checksums?.md5 === undefined ? {} : { headers: { "Content-MD5": checksums.md5 } };

export const grantOf = (upload: Upload, uploadUrl: string): Grant => ({
  uploadUrl,
  expiresIn: urlLifetimeSeconds,
  method: "PUT",
  ...headersOf(upload),
  _meta: { nodeId: upload.nodeId, reservationId: upload.id, folderId: upload.folderId },
  ...(upload.partSize !== null && { partSize: upload.partSize, partCount: partCount(upload) }),
});

/** A step that an upload has just taken: after each, a crash leaves something different to repair. */
export type Step =
  | "reserved"
  | "initiated"
  | "opened"
  | "reopening"
  | "completing"
  | "completed at the provider"
  | "aborting"
  | "aborted at the provider"
  | "settled";

/** Called at every step. The service passes nothing; tests crash there. */
export type At = (step: Step) => void;
