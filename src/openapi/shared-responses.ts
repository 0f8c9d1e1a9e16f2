import type { ResponseObject, Responses } from "./responses";
import { isApi } from "../platform/request-context";

type RouteFacts = {
  method: string;
  path: string;
  /** The route's own responses, which take precedence. */
  own: Responses;
  /** Whether it has a schema that a request can violate. */
  takesInput: boolean;
  isPaged: boolean;
};

export const isKeyed = (path: string) => path.startsWith("/api/v1/");

/** The HTTP parser's own response: every route has it, and it is listed unless the route has another 400. */
const malformed = { $ref: "#/components/responses/Malformed" };

const neverRejected = /^\/(healthz|readyz|metrics|api\/newsletter\/(unsubscribe|leave|confirm|confirm-again))$/;

/** Returns a route's own responses and those of its area (D5, D6, D29, D31). */
export function sharedResponses({ method, path, own, takesInput, isPaged }: RouteFacts): Responses {
  const inEnvelope = isApi(path);
  const named = (name: string) => ({ $ref: `#/components/responses/${name}${inEnvelope ? "" : "Page"}` });
  const all: Responses = {
    ...(takesInput ? { 400: named("NotValid") } : inEnvelope && { 400: malformed }),
    ...(isKeyed(path) && { 401: named("Unauthorized"), 429: named("TooManyRequests") }),
    ...(path.includes(":") && { 404: named("NotFound") }),
    ...(method !== "GET" && { 413: named("TooLarge") }),
    500: named("Failed"),
    ...(!neverRejected.test(path) && { 503: named("Overloaded") }),
    ...own,
  };
  const isLimited = "429" in all && !/^\/api\/webhooks\//.test(path); // there, only bad signatures count
  for (const [status, answer] of Object.entries(all)) {
    const names = [
      ...(isLimited && /^(2..|400|429)$/.test(status) ? ["RateLimit", "RateLimit-Policy"] : []),
      ...(status === "429" || (status === "503" && inEnvelope) ? ["Retry-After"] : []),
      ...("304" in own && status === "200" ? ["ETag"] : []),
      ...(isPaged && status === "200" ? ["Link", "Postroom-Next-Cursor", "X-Total-Count"] : []),
    ];
    all[status] = withHeaders(answer, names);
  }
  return all;
}

function withHeaders(answer: ResponseObject, names: string[]): ResponseObject {
  if ("$ref" in answer || !names.length) return answer;
  const references = Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
  return { ...answer, headers: { ...answer.headers, ...references } };
}
