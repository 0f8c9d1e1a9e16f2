import { createHash, createHmac } from "node:crypto";
import { urlLifetimeSeconds } from "../../../db/storage/uploads";
import type { Credentials } from "./client";

type Pair = readonly [name: string, value: string];
/** A request as it is signed: path and query decoded, header names in lower case and sorted. */
type Signable = { method: string; path: string; query: Pair[]; headers: Pair[]; payload: string };

export const algorithm = "AWS4-HMAC-SHA256";
export const unsigned = "UNSIGNED-PAYLOAD";

/** Formats a time such as 20130524T000000Z. */
const amzTime = (date: Date) => date.toISOString().replace(/[-:]|\.\d+/g, "");

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

const encodePath = (path: string) => path.split("/").map(encode).join("/");

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

type Presignable = {
  method: string;
  /** Scheme, host and port of the storage, as the client reaches it. */
  origin: string;
  /** Decoded, such as "/bucket/key". */
  path: string;
  query?: Record<string, string>;
  /** Signed in addition to the host: the client must send exactly these. */
  headers?: Record<string, string>;
  /** Seconds, 1 to 604800. */
  expiresIn: number;
};

/**
 * Returns a URL that carries its own permission (SigV4 in the query). The `minio` client cannot sign `Content-Length`,
 * and without that, a URL would accept any number of bytes.
 */
export function presign(
  { accessKey, secretKey, region }: Credentials,
  { method, origin, path, query = {}, headers = {}, expiresIn }: Presignable,
  at: Date,
): string {
  const time = amzTime(at);
  const signed = Object.entries({ ...headers, host: new URL(origin).host }).sort(([a], [b]) => (a < b ? -1 : 1));
  const parameters = Object.entries({
    ...query,
    "X-Amz-Algorithm": algorithm,
    "X-Amz-Credential": `${accessKey}/${scopeOf(time, region)}`,
    "X-Amz-Date": time,
    "X-Amz-Expires": String(expiresIn),
    "X-Amz-SignedHeaders": signed.map(([name]) => name).join(";"),
  });
  const seal = signature(secretKey, time, region, {
    method,
    path,
    query: parameters,
    headers: signed,
    payload: unsigned,
  });
  return `${origin}${encodePath(path)}?${encodeQuery(parameters)}&X-Amz-Signature=${seal}`;
}

type Download = {
  key: string;
  /** The Content-Disposition of the response. */
  disposition: string;
  /** An address of the node other than its public one. */
  origin?: string | undefined;
  expiresIn?: number;
};

/** Returns a URL at which browsers get an object under a name that is not its key. */
export const presignGet = (
  target: Credentials & { bucket: string; publicEndpoint: string },
  { key, disposition, origin = target.publicEndpoint, expiresIn = urlLifetimeSeconds }: Download,
  at: Date,
): string => {
  const query = { "response-content-disposition": disposition };
  return presign(target, { method: "GET", origin, path: `/${target.bucket}/${key}`, query, expiresIn }, at);
};
