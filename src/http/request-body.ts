import { mediaTypeOf } from "../../db/lib/text";
import { isApi, pathOf } from "../platform/request-context";

/**
 * Levels of lists and objects in a JSON body. Ours need three; limiting them bounds parsing, validating and reporting.
 */
export const maxDepth = 32;

export const hasBody = ({ method, body }: Request) => method !== "GET" && method !== "HEAD" && body !== null;

/** Parses a JSON body that may be left out. */
export const parseOptional = async ({ request }: { request: Request }): Promise<unknown> =>
  JSON.parse((await request.text()) || "{}");

/** The size up to which a body is bounded by its size alone. Larger ones come from managers. */
export const maxBodyBytes = 64 * 1024;

/** Whether the body is large, or may be, because its length is unknown. */
export const mayBeLarge = ({ headers }: Request) => {
  const announced = headers.get("content-length");
  return announced === null || Number(announced) > maxBodyBytes;
};

/**
 * Returns the request with its whole body; why not, if that is larger than `limit` bytes or has too many fields.
 *
 * @param maxItems the most values in JSON, if that is large
 */
export async function withWholeBody(request: Request, limit: number, maxItems = maxFields) {
  const tooLarge = { refusal: `The request body is larger than ${limit / 1024} KiB.` };
  const announced = request.headers.get("content-length");
  if (Number(announced) > limit) return tooLarge;
  const body = announced === null ? await counted(request, limit) : await request.bytes();
  if (!body) return tooLarge;
  if (body.length > maxBodyBytes && hasTooManyFields(request.headers.get("content-type") ?? "", body, maxItems))
    return { refusal: `The request body has more than ${maxItems.toLocaleString("en-GB")} fields.` };
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
  for await (const chunk of request.body ?? []) {
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

/** The most fields, files or items in a large body: parsing each costs far more than its bytes. */
export const maxFields = 5_000;

/** Whether a body has more than `maxFields` of them. Looks at each byte once, before anything is parsed. */
function hasTooManyFields(contentType: string, body: Uint8Array, maxItems: number): boolean {
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType)) return occursMore(maxFields - 1, body, "&");
  if (!/^multipart\/form-data\b/i.test(contentType)) return hasMoreItems(body, maxItems);
  const [, boundary] = /^multipart\/form-data\s*;\s*boundary="?([^\s";]{1,70})"?\s*$/i.exec(contentType) ?? [];
  return boundary === undefined || occursMore(maxFields + 1, body, `--${boundary}`); // the last one is the end
}

/** Whether `text` occurs in the body more than `max` times. */
function occursMore(max: number, body: Uint8Array, text: string): boolean {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  let times = 0;
  for (let at = bytes.indexOf(text); at >= 0 && times <= max; at = bytes.indexOf(text, at + text.length)) times++;
  return times > max;
}

/** Whether this JSON has more values: each follows a comma, or begins a list or an object. */
function hasMoreItems(json: Uint8Array, max: number): boolean {
  let items = 0;
  let isText = false;
  for (let at = 0; at < json.length && items <= max; at++) {
    const byte = json[at];
    if (byte === quote) isText = !isText;
    else if (isText) at += byte === backslash ? 1 : 0;
    else if (byte === comma || byte === openBracket || byte === openBrace) items++;
  }
  return items > max;
}

/** Whether this JSON is nested deeper than `max` levels. Looks at each byte once. */
export function isDeeperThan(max: number, json: Uint8Array): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === quote) isText = !isText;
    else if (isText) at += byte === backslash ? 1 : 0;
    else if (byte === openBracket || byte === openBrace) depth++;
    else if (byte === closeBracket || byte === closeBrace) depth--;
    if (depth > max) return true;
  }
  return false;
}

const [quote, backslash, comma, openBracket, openBrace, closeBracket, closeBrace] = Buffer.from('"\\,[{]}');

/** What a page without a script sends. */
export const formType = "application/x-www-form-urlencoded";

/** Returns the form that a page without a script sent; undefined if the body is none, or too long. */
export async function formOf(request: Request, maxCharacters: number): Promise<URLSearchParams | undefined> {
  const type = mediaTypeOf(request.headers.get("content-type") ?? "");
  const text = type === formType ? await request.text() : undefined;
  return text !== undefined && text.length <= maxCharacters ? new URLSearchParams(text) : undefined;
}
