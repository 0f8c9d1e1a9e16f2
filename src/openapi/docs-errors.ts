import type { ErrorInfo } from "../../views/docs/guides";
import type { ErrorCode } from "../security/refusal";

type ErrorText = Pick<ErrorInfo, "statuses" | "meaning" | "remedy"> & {
  /** A message as the service sends it. */
  message: string;
  details?: { field: string; message: string }[];
};

/** What each code means, and what to do about it. */
export const errorTexts: Record<ErrorCode, ErrorText> = {
  INVALID_JSON: {
    statuses: ["400"],
    meaning: "The request body is not valid JSON, or is nested more than 32 levels deep.",
    remedy: "Send `Content-Type: application/json` and JSON that a parser accepts.",
    message: "The request body is not valid JSON.",
  },
  VALIDATION_ERROR: {
    statuses: ["400"],
    meaning: "A field, parameter or header breaks a rule. `details` lists up to 20 of them with what is wrong.",
    remedy: "Correct what `details` names. Each `message` completes a sentence that begins with the field’s name.",
    message: "The request is not valid.",
    details: [{ field: "email", message: "must be a valid email address" }],
  },
  UNAUTHORIZED: {
    statuses: ["401"],
    meaning: "The key is missing, unknown, inactive or expired, or is used outside its networks.",
    remedy: "Send an active key in the `x-api-key` header. The dashboard shows whether a key is active.",
    message: "Missing API key",
  },
  FORBIDDEN: {
    statuses: ["403"],
    meaning: "The key lacks the scope of this endpoint, which `details` names.",
    remedy: "Create a key with that scope, and replace the one you use.",
    message: "This key lacks the scope files:write.",
    details: [{ field: "scope", message: "files:write" }],
  },
  NOT_FOUND: {
    statuses: ["404"],
    meaning: "There is no resource at this URL. Drafts and scheduled posts are not found either.",
    remedy: "Show a page that says so. Do not retry.",
    message: "There is no resource at this URL.",
  },
  METHOD_NOT_ALLOWED: {
    statuses: ["405"],
    meaning: "The resource does not support this method. `Allow` lists those it supports.",
    remedy: "Use one of them.",
    message: "This resource supports only GET, HEAD.",
  },
  CONFLICT: {
    statuses: ["409"],
    meaning:
      "The request contradicts the state of the resource: an `Idempotency-Key` was used with another body, an upload is no longer open, parts are missing, or a file is in use.",
    remedy: "Read the resource again, then decide. A new request needs a new `Idempotency-Key`.",
    message: "The upload is not open.",
  },
  PAYLOAD_TOO_LARGE: {
    statuses: ["413"],
    meaning: "The request body is larger than 64 KiB, or that of a batch of subscribers than 1 MiB.",
    remedy: "Send less. Files are uploaded to storage, not through the service.",
    message: "The request body is larger than 64 KiB.",
  },
  RATE_LIMITED: {
    statuses: ["429"],
    meaning:
      "The client’s rate limit, an hourly limit for all visitors together, or the limit of a key for visitors that it names is exceeded.",
    remedy: "Wait for as many seconds as `Retry-After` says, then send the request again.",
    message: "Too many requests. Try again in 60 seconds.",
  },
  INTERNAL_ERROR: {
    statuses: ["500"],
    meaning: "Something went wrong on the server.",
    remedy: "The request may be retried. If it keeps failing, quote `X-Request-Id` when you ask for help.",
    message: "Something went wrong. The request may be retried.",
  },
  UPLOAD_FAILED: {
    statuses: ["500", "502", "503"],
    meaning: "Storage returned an error, or does not respond.",
    remedy:
      "Retry later. With 503, which parts have arrived is unknown: ask for the upload’s state before you send more.",
    message: "Upload failed",
  },
  OVERLOADED: {
    statuses: ["503"],
    meaning: "The service is busy and did not begin with the request.",
    remedy: "Retry after the seconds in `Retry-After`.",
    message: "The service is busy. Try again in a second.",
  },
  INSUFFICIENT_STORAGE: {
    statuses: ["507"],
    meaning: "No storage node has space for this file, or none accepts it in one PUT.",
    remedy: "If `details` names `multipart`, upload the file in parts. Otherwise ask the operator for space.",
    message: "Insufficient storage",
  },
};

/** Every code, by status, with an example of its envelope. */
export const errorInfos: ErrorInfo[] = Object.entries(errorTexts).map(
  ([code, { statuses, meaning, remedy, message, details }]) => {
    const error = { code, message, ...(details && { details }) };
    return { code, statuses, meaning, remedy, sample: JSON.stringify({ success: false, data: null, error }, null, 2) };
  },
);

/** The codes that a response with this status may have. */
export const codesOf = (status: string): string[] =>
  errorInfos.filter(({ statuses }) => statuses.includes(status)).map(({ code }) => code);
