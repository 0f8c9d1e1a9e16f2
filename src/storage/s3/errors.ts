/** The upload or object is not there; servers differ in how they say it. */
export const isGone = (error: unknown): boolean => ["NoSuchUpload", "NoSuchKey", "NotFound"].includes(codeOf(error));

export const isBucketMissing = (error: unknown): boolean => codeOf(error) === "NoSuchBucket";

/** The parts are not those that were listed a moment ago: one of them was sent again. */
export const isOutdated = (error: unknown): boolean => codeOf(error) === "InvalidPart";

/** No answer in time: it may be at it yet. */
export const isTimeout = (error: unknown): boolean => codeOf(error) === "Timeout";

/** The provider certainly did nothing: it said no, or was not reached at all. */
export const isRefusal = (error: unknown): boolean =>
  (error instanceof Error && error.name === "S3Error" && !isFault(codeOf(error))) ||
  ["ECONNREFUSED", "ENOTFOUND", "EHOSTUNREACH", "ENETUNREACH"].includes(codeOf(error));

/** The node has no room, or no right to more of it. */
export const meansFull = (code: string): boolean =>
  ["XMinioStorageFull", "XMinioAdminBucketQuotaExceeded", "QuotaExceeded", "InsufficientStorage", "Status507"].includes(
    code,
  );

/** The provider stumbled over itself: nobody knows how far it came. */
const isFault = (code: string) =>
  ["InternalError", "ServiceUnavailable", "SlowDown", "RequestTimeout", "OperationAborted", "NotS3"].includes(code);

/**
 * What went wrong, in one word: the provider's code, such as SignatureDoesNotMatch, or the system's, such as
 * ECONNREFUSED; Timeout; NotS3 for an answer that no S3 server gives. Whatever a server calls a code is kept, counted
 * and shown, so it is one only when it is a short word.
 */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "Unknown";
  if (error.name === "AbortError" || error.name === "TimeoutError") return "Timeout";
  if ("code" in error && typeof error.code === "string" && /^\w{1,64}$/.test(error.code)) return error.code;
  return error.name === "S3Error" ? "NotS3" : "Unknown";
}
