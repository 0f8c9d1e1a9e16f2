import type { RequestContext } from "../http/request-context";

/** What the codes of D5 are called on the wire. */
export type ErrorCode =
  | "INVALID_JSON"
  | "VALIDATION_ERROR"
  | "RATE_LIMITED"
  | "UNAUTHORIZED"
  | "NOT_FOUND"
  | "METHOD_NOT_ALLOWED"
  | "PAYLOAD_TOO_LARGE"
  | "CONFLICT"
  | "UPLOAD_FAILED"
  | "INSUFFICIENT_STORAGE"
  | "INTERNAL_ERROR"
  | "OVERLOADED";

export type Refusal = { status: number; code: ErrorCode; message: string };

/** Decides who may come in, before anything of what they sent is looked at. */
export type Gate = (context: RequestContext) => Refusal | undefined | Promise<Refusal | undefined>;
