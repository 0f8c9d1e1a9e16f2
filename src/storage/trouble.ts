/** The upload or object is not there; servers differ in how they say it. */
export const isGone = (error: unknown): boolean => ["NoSuchUpload", "NoSuchKey", "NotFound"].includes(codeOf(error));

export const isBucketMissing = (error: unknown): boolean => codeOf(error) === "NoSuchBucket";

/** The provider certainly did nothing: it said no, or was not reached at all. */
export const isRefusal = (error: unknown): boolean =>
  (error instanceof Error && error.name === "S3Error" && codeOf(error) !== "") ||
  ["ECONNREFUSED", "ENOTFOUND", "EHOSTUNREACH", "ENETUNREACH"].includes(codeOf(error));

const codeOf = (error: unknown) => (error instanceof Error && "code" in error ? String(error.code) : "");
