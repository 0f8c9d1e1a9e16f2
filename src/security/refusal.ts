import type { RequestContext } from "../platform/request-context";

/** The error codes of D5. */
export type ErrorCode =
  | "INVALID_JSON"
  | "VALIDATION_ERROR"
  | "RATE_LIMITED"
  | "UNAUTHORIZED"
  | "FORBIDDEN"
  | "NOT_FOUND"
  | "METHOD_NOT_ALLOWED"
  | "PAYLOAD_TOO_LARGE"
  | "CONFLICT"
  | "UPLOAD_FAILED"
  | "INSUFFICIENT_STORAGE"
  | "INTERNAL_ERROR"
  | "OVERLOADED";

export type Refusal = {
  status: number;
  code: ErrorCode;
  message: string;
  details?: { field: string; message: string }[];
};

/** Decides whether a request may come in, before anything in it is examined. */
export type Gate = (context: RequestContext) => Refusal | undefined | Promise<Refusal | undefined>;
