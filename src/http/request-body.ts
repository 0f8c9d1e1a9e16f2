import { pathOf } from "./request-context";
import { isDeeperThan } from "./json-depth";

/**
 * Levels of lists and objects in a JSON body. Ours need three; limiting them bounds parsing, validating and reporting
 * (P64).
 */
export const maxDepth = 32;

export const hasBody = ({ method, body }: Request) => method !== "GET" && method !== "HEAD" && body !== null;

/** Returns the request with its whole body; undefined if that is larger than `limit` bytes. */
export async function withWholeBody(request: Request, limit: number) {
  const announced = request.headers.get("content-length");
  if (Number(announced) > limit) return undefined;
  const body = announced === null ? await counted(request, limit) : await request.bytes();
  if (!body) return undefined;
  const isTooDeep = mayBeJson(request) && isDeeperThan(maxDepth, body);
  const { url, method, headers } = request;
  return { request: new Request(url, { method, headers, body: isTooDeep ? notJson : body }), isTooDeep };
}

/** Replaces a body that is nested too deeply: it is then handled like any invalid JSON, after authentication (D7). */
const notJson = "[";

/** Reads a body of unknown length. */
async function counted(request: Request, limit: number): Promise<Buffer<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Forms are not JSON, whatever they contain, but the API reads every body as JSON. */
const mayBeJson = ({ url, headers }: Request) =>
  pathOf(url).startsWith("/api/") ||
  !/^(multipart\/form-data|application\/x-www-form-urlencoded)\b/i.test(headers.get("content-type") ?? "");
