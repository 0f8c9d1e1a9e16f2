import { parameter } from "../openapi/responses";
import { fail } from "./envelope";

const visible = /^[\x21-\x7e]{1,255}$/;

/** Returns the Idempotency-Key of a request. @throws the 400 if it is not as documented */
export function idempotencyKeyOf({ headers }: Request): string | undefined {
  const key = headers.get("idempotency-key");
  if (key === null || visible.test(key)) return key ?? undefined;
  throw fail(400, "VALIDATION_ERROR", "The request is not valid.", [
    { field: "Idempotency-Key", message: "must be 1 to 255 visible ASCII characters" },
  ]);
}

/** Describes the header in the API document. @param validity "Valid for …": how long, and for whom */
export const idempotencyKeyParameter = (validity: string) =>
  parameter("header", "Idempotency-Key", `1 to 255 visible ASCII characters. ${validity}.`, {
    pattern: visible.source,
  });
