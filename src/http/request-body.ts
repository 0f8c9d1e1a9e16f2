import { pathOf } from "./request-context";
import { isDeeperThan } from "./json-depth";

/** Levels of lists and objects in a JSON body. Our own need three; what is parsed, validated and reported stays small (P64). */
export const maxDepth = 32;

export const hasBody = ({ method, body }: Request) => method !== "GET" && method !== "HEAD" && body !== null;

/** The request with its whole body, or undefined when that is larger than `limit` bytes. */
export async function withWholeBody(request: Request, limit: number) {
  const announced = request.headers.get("content-length");
  if (Number(announced) > limit) return undefined;
  const body = announced === null ? await counted(request, limit) : await request.bytes();
  if (!body) return undefined;
  const isTooDeep = mayBeJson(request) && isDeeperThan(maxDepth, body);
  const { url, method, headers } = request;
  return { request: new Request(url, { method, headers, body: isTooDeep ? notJson : body }), isTooDeep };
}

/** What stands for a body that is too deep: it goes the way of every body that is not JSON, after who may come in (D7). */
const notJson = "[";

/** A body of unknown length. */
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

/** Forms are not JSON, whatever they hold; but the API reads everything as JSON. */
const mayBeJson = ({ url, headers }: Request) =>
  pathOf(url).startsWith("/api/") ||
  !/^(multipart\/form-data|application\/x-www-form-urlencoded)\b/i.test(headers.get("content-type") ?? "");
