import { isApi, pathOf } from "../platform/request-context";
import { hasTooManyFields, maxFields } from "./field-count";
import { isDeeperThan } from "./json-depth";

/**
 * Levels of lists and objects in a JSON body. Ours need three; limiting them bounds parsing, validating and reporting.
 */
export const maxDepth = 32;

export const hasBody = ({ method, body }: Request) => method !== "GET" && method !== "HEAD" && body !== null;

/** The size up to which a body is bounded by its size alone. Larger ones come from managers. */
export const maxBodyBytes = 64 * 1024;

/** Whether the body is large, or may be, because its length is unknown. */
export const mayBeLarge = ({ headers }: Request) => {
  const announced = headers.get("content-length");
  return announced === null || Number(announced) > maxBodyBytes;
};

/** Returns the request with its whole body; why not, if that is larger than `limit` bytes or has too many fields. */
export async function withWholeBody(request: Request, limit: number) {
  const tooLarge = { refusal: `The request body is larger than ${limit / 1024} KiB.` };
  const announced = request.headers.get("content-length");
  if (Number(announced) > limit) return tooLarge;
  const body = announced === null ? await counted(request, limit) : await request.bytes();
  if (!body) return tooLarge;
  if (body.length > maxBodyBytes && hasTooManyFields(request.headers.get("content-type") ?? "", body))
    return { refusal: `The request body has more than ${maxFields.toLocaleString("en-GB")} fields.` };
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

/** Its body is checked byte by byte before it is parsed, so none of them may be replaced. */
const signedPath = "/api/webhooks/resend";

/** Forms are not JSON, whatever they contain, but the API reads every body as JSON. */
const mayBeJson = ({ url, headers }: Request) =>
  pathOf(url) !== signedPath &&
  (isApi(pathOf(url)) ||
    !/^(multipart\/form-data|application\/x-www-form-urlencoded)\b/i.test(headers.get("content-type") ?? ""));
