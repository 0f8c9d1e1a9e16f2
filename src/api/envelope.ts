import { Elysia } from "elysia";
import { mediaTypeOf } from "../../db/lib/text";
import { described, type Log } from "../platform/log";
import { maxDepth } from "../http/request-body";
import type { ErrorCode, Gate, Refusal } from "../security/refusal";
import { contextOf } from "../platform/request-context";
import { parameter } from "../openapi/responses";

type FieldError = { field: string; message: string };

/** A success (spec part 1). */
export const ok = (data: unknown, status = 200, headers: Record<string, string> = {}) =>
  Response.json({ success: true, data, error: null }, { status, headers });

/** A failure (D5). `message` is shown to the caller: never exception text, SQL, a path or the submitted value. */
export const fail = (status: number, code: ErrorCode, message: string, details?: FieldError[]) =>
  Response.json({ success: false, data: null, error: { code, message, ...(details && { details }) } }, { status });

/** The response above a limit that counts all visitors together. */
export function tryLater(request: Request, opensAt: Date, now: Date) {
  const seconds = Math.max(1, Math.ceil((opensAt.getTime() - now.getTime()) / 1_000));
  contextOf(request).headers["retry-after"] = String(seconds);
  return fail(
    429,
    "RATE_LIMITED",
    `Too many visitors at the moment. Try again in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`,
  );
}

const refused = ({ status, code, message, details }: Refusal) => fail(status, code, message, details);

const tooDeep = `The request body is nested more than ${maxDepth} levels deep.`;
const openToAll: Gate = () => undefined;

/**
 * A JSON area of the service: every failure leaves it in the envelope.
 *
 * The gate comes first, whatever was sent (D7). Elysia parses and validates before its usual hooks, so the gate is in
 * `onTransform`, which runs between the two; if parsing has already failed, `onError` runs the gate instead. It runs
 * exactly once per request.
 */
export const api = <const Prefix extends string>(prefix: Prefix, log: Log, gate: Gate = openToAll) =>
  new Elysia({ prefix })
    .onError(async ({ code, error, request, route }) => {
      if (error instanceof Response) return error;
      const context = contextOf(request);
      if (code === "PARSE") {
        context.route = `${request.method} ${route}`;
        const refusal = await gate(context);
        if (refusal) return refused(refusal);
        return (
          notJson(request) ??
          fail(400, "INVALID_JSON", context.isTooDeep ? tooDeep : "The request body is not valid JSON.")
        );
      }
      if (code === "VALIDATION")
        return fail(400, "VALIDATION_ERROR", "The request is not valid.", fieldErrors(error.all));
      if (code === "NOT_FOUND") return; // the pipeline knows whether the path exists with another method
      log.error("failed", { id: context.id, method: request.method, path: context.pathname, ...described(error) });
      return fail(500, "INTERNAL_ERROR", "Something went wrong. The request may be retried.");
    })
    .onTransform(async (context) => {
      const { request, route } = context;
      const requestContext = contextOf(request);
      requestContext.route = `${request.method} ${route}`;
      const refusal = await gate(requestContext);
      if (refusal) throw refused(refusal);
      const wrongType = notJson(request);
      if (wrongType) throw wrongType;
      if (request.url.includes("?")) context.query = queryOf(request) as typeof context.query; // the schemas reject lists
    });

/**
 * The query as it was sent: Elysia would turn "a, b" into a list and parse "[1]" as JSON. Only a repeated name is a
 * list.
 */
function queryOf({ url }: Request): Record<string, string | string[]> {
  const query = new Map<string, string | string[]>();
  for (const [name, value] of new URL(url).searchParams) {
    const before = query.get(name);
    if (before === undefined) query.set(name, value);
    else if (typeof before === "string") query.set(name, [before, value]);
    else before.push(value);
  }
  return Object.fromEntries(query);
}

/** A form post is not JSON, even if its body happens to parse: this keeps cross-site forms out. */
function notJson(request: Request) {
  if ((request.method !== "POST" && request.method !== "PATCH") || request.body === null) return;
  const type = mediaTypeOf(request.headers.get("content-type") ?? "");
  if (type === "application/json") return;
  return fail(400, "VALIDATION_ERROR", "The Content-Type must be application/json.", [
    { field: "Content-Type", message: "must be application/json" },
  ]);
}

/** Says where and why, but never repeats the value. */
const fieldErrors = (issues: readonly { path?: unknown; message?: unknown; summary?: unknown }[]): FieldError[] =>
  issues.map(({ path, message, summary }) => ({
    field: (Array.isArray(path) ? path.join(".") : String(path ?? "")).replace(/^(\/|root$)/, "") || "body",
    message: String(message ?? summary ?? "is not valid"),
  }));

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
