import { z } from "zod";
import type { ErrorCode } from "../security/refusal";

/* The errors of the service (D5), as in its envelope. */

export const ErrorDetail = z
  .object({
    field: z.string().meta({ description: "The field, parameter or header concerned.", examples: ["email"] }),
    message: z.string().meta({ description: "For people.", examples: ["must be a valid email address"] }),
  })
  .meta({ id: "ErrorDetail" });

const names = {
  INVALID_JSON: "InvalidJsonError",
  VALIDATION_ERROR: "ValidationError",
  RATE_LIMITED: "RateLimitedError",
  UNAUTHORIZED: "UnauthorizedError",
  NOT_FOUND: "NotFoundError",
  METHOD_NOT_ALLOWED: "MethodNotAllowedError",
  PAYLOAD_TOO_LARGE: "PayloadTooLargeError",
  CONFLICT: "ConflictError",
  UPLOAD_FAILED: "UploadFailedError",
  INSUFFICIENT_STORAGE: "InsufficientStorageError",
  INTERNAL_ERROR: "InternalError",
  OVERLOADED: "OverloadedError",
} as const satisfies Record<ErrorCode, string>;

const errorOf = (code: ErrorCode) =>
  z
    .object({
      code: z.literal(code),
      message: z.string().meta({ description: "For people. Programs decide by `code`." }),
      details: z.array(ErrorDetail).optional().meta({ description: "Which fields are concerned, and why." }),
    })
    .meta({ id: names[code] });

const codes = Object.keys(names) as ErrorCode[];
const [first, ...others] = codes.map(errorOf);
const mapping = Object.fromEntries(codes.map((code) => [code, `#/components/schemas/${names[code]}`]));

export const AnyError = z
  .discriminatedUnion("code", [first, ...others] as [ReturnType<typeof errorOf>])
  .meta({ id: "Error", discriminator: { propertyName: "code", mapping } });

export const Failure = z.object({ success: z.literal(false), data: z.null(), error: AnyError }).meta({ id: "Failure" });
