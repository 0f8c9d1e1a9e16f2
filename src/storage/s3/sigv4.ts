import { createHash, createHmac } from "node:crypto";

type Pair = readonly [name: string, value: string];
/** A request as it is signed: path and query decoded, header names in lower case and sorted. */
type Signable = { method: string; path: string; query: Pair[]; headers: Pair[]; payload: string };

export const algorithm = "AWS4-HMAC-SHA256";
export const unsigned = "UNSIGNED-PAYLOAD";

/** Formats a time such as 20130524T000000Z. */
export const amzTime = (date: Date) => date.toISOString().replace(/[-:]|\.\d+/g, "");

export const scopeOf = (time: string, region: string) => `${time.slice(0, 8)}/${region}/s3/aws4_request`;

/** Returns the AWS Signature Version 4 as 64 hexadecimal digits. Created by `presign`, checked by the embedded node. */
export function signature(secretKey: string, time: string, region: string, request: Signable): string {
  const text = [algorithm, time, scopeOf(time, region), sha256(canonical(request))].join("\n");
  const key = scopeOf(time, region).split("/").reduce<string | Buffer>(hmac, `AWS4${secretKey}`);
  return hmac(key, text).toString("hex");
}

const canonical = ({ method, path, query, headers, payload }: Signable) =>
  [
    method,
    encodePath(path),
    encodeQuery(query),
    ...headers.map(([name, value]) => `${name}:${value.trim().replace(/ +/g, " ")}`),
    "",
    headers.map(([name]) => name).join(";"),
    payload,
  ].join("\n");

export const encodePath = (path: string) => path.split("/").map(encode).join("/");

export const encodeQuery = (query: Pair[]) =>
  query
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort(([a, x], [b, y]) => compare(a, b) || compare(x, y))
    .map((pair) => pair.join("="))
    .join("&");

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** RFC 3986: stricter than encodeURIComponent. */
const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
