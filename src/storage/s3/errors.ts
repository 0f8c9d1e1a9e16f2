/** The upload or object does not exist; servers report this in different ways. */
export const isGone = (error: unknown): boolean => ["NoSuchUpload", "NoSuchKey", "NotFound"].includes(codeOf(error));

export const isBucketMissing = (error: unknown): boolean => codeOf(error) === "NoSuchBucket";

/** The parts are not those listed a moment ago: one of them was sent again. */
export const isOutdated = (error: unknown): boolean => codeOf(error) === "InvalidPart";

/** There was no response in time: the call may still be running. */
export const isTimeout = (error: unknown): boolean => codeOf(error) === "Timeout";

/** What fails with `isTimeout`, in words for the operator. */
export const timeout = (): Error => new DOMException("The storage server did not answer in time.", "TimeoutError");

/** There was no response: neither an error of the server nor anything that we could not read. */
export const isSilence = (error: unknown): boolean => isTimeout(error) || /^E[A-Z_]+$/.test(codeOf(error));

/** The node certainly did nothing: it rejected the call, or was not reached at all. */
export const isRefusal = (error: unknown): boolean =>
  (error instanceof Error && error.name === "S3Error" && !isFault(codeOf(error))) ||
  ["ECONNREFUSED", "ENOTFOUND", "EHOSTUNREACH", "ENETUNREACH"].includes(codeOf(error));

const noSpaceLeft = "NoSpaceLeft";

/**
 * Returns the error code, but not the InternalError with which MinIO responds when its disk has not one byte left, nor
 * the AccessDenied of Garage for a quota: only the message says so.
 */
function withoutDisguise(code: string, message: string): string {
  if (code === "InternalError" && /no space left on device/i.test(message)) return noSpaceLeft;
  if (code === "AccessDenied" && /quota is reached/i.test(message)) return "QuotaExceeded";
  return code;
}

/** Returns the error code in the body of a response, if it is a short word. */
export function codeInBody(body: string): string | undefined {
  const code = /<Code>(\w{1,64})<\/Code>/.exec(body)?.[1];
  return code && withoutDisguise(code, body);
}

/** The node has no space, or no right to more of it. */
export const meansFull = (code: string): boolean =>
  [
    "XMinioStorageFull",
    "XMinioAdminBucketQuotaExceeded",
    "QuotaExceeded",
    "InsufficientStorage",
    "Status507",
    noSpaceLeft,
  ].includes(code);

/** The node failed internally: how far it got is unknown. */
const isFault = (code: string) =>
  ["InternalError", "ServiceUnavailable", "SlowDown", "RequestTimeout", "OperationAborted", "NotS3"].includes(code);

/**
 * What went wrong, in one word: the node's code, such as SignatureDoesNotMatch; the system's, such as ECONNREFUSED;
 * Timeout; or NotS3 for a response that no S3 server sends. A server's code is stored, counted and shown, so it is
 * accepted only if it is a short word.
 */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "Unknown";
  if (error.name === "AbortError" || error.name === "TimeoutError") return "Timeout";
  if ("code" in error && typeof error.code === "string" && /^\w{1,64}$/.test(error.code))
    return withoutDisguise(error.code, error.message);
  return error.name === "S3Error" ? "NotS3" : "Unknown";
}
