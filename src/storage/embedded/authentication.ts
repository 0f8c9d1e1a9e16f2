import { algorithm, scopeOf, signature, unsigned } from "../s3/presign";
import { Refused } from "./responses";
import { randomBytes, timingSafeEqual } from "node:crypto";
import { join } from "node:path";
import { readJson, writeJson } from "./objects";

type Claim = { credential: string; names: string; time: string; seal: string; payload: string; seconds: number };

const skew = 15 * 60; // seconds by which clocks may differ

function fromQuery(query: URLSearchParams): Claim {
  const seconds = Number(query.get("X-Amz-Expires"));
  if (query.get("X-Amz-Algorithm") !== algorithm || !(seconds >= 1 && seconds <= 604_800))
    throw new Refused(400, "AuthorizationQueryParametersError");
  return {
    credential: query.get("X-Amz-Credential") ?? "",
    names: query.get("X-Amz-SignedHeaders") ?? "",
    time: query.get("X-Amz-Date") ?? "",
    seal: query.get("X-Amz-Signature") ?? "",
    payload: unsigned,
    seconds,
  };
}

function fromHeader(headers: Headers): Claim {
  const [, credential, names, seal] =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=(\w+)$/.exec(
      headers.get("authorization") ?? "",
    ) ?? [];
  if (!credential || !names || !seal) throw new Refused(403, "AccessDenied");
  const time = headers.get("x-amz-date") ?? "";
  return { credential, names, time, seal, payload: headers.get("x-amz-content-sha256") ?? "", seconds: skew };
}

/** Parses a time such as 20130524T000000Z to milliseconds. */
const instant = (time: string) =>
  Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));

export type Keys = { accessKey: string; secretKey: string };

/** The node's own credentials: random, generated once, readable by this user only. */
export async function keysIn(folder: string): Promise<Keys> {
  const file = join(folder, "keys.json");
  const existing = await readJson<Keys>(file);
  if (existing) return existing;
  const keys = { accessKey: randomBytes(10).toString("hex"), secretKey: randomBytes(32).toString("base64url") };
  await writeJson(file, keys);
  return keys;
}

export const region = "us-east-1";

/**
 * Accepts a request signed with our keys (SigV4), in its query or its Authorization header. The signed values must
 * match the request: method, path, query, and every named header, including Content-Length for uploads.
 *
 * @throws Refused
 */
export function authenticate(request: Request, url: URL, keys: Keys, at = Date.now()): void {
  const isPresigned = url.searchParams.has("X-Amz-Signature");
  const claim = isPresigned ? fromQuery(url.searchParams) : fromHeader(request.headers);
  const age = (at - instant(claim.time)) / 1000;
  if (Number.isNaN(age)) throw new Refused(403, "AccessDenied");
  if (claim.credential.split("/")[0] !== keys.accessKey) throw new Refused(403, "InvalidAccessKeyId");
  if (claim.credential !== `${keys.accessKey}/${scopeOf(claim.time, region)}`) throw new Refused(403, "AccessDenied");
  if (age < -skew || (!isPresigned && age > skew)) throw new Refused(403, "RequestTimeTooSkewed");
  if (age > claim.seconds) throw new Refused(403, "AccessDenied", "Request has expired");

  const names = claim.names.split(";");
  if (!names.includes("host")) throw new Refused(403, "AccessDenied");
  const expected = signature(keys.secretKey, claim.time, region, {
    method: request.method,
    path: decodePath(url.pathname),
    query: [...url.searchParams].filter(([name]) => name !== "X-Amz-Signature"),
    headers: names.map((name) => [name, request.headers.get(name) ?? ""] as const),
    payload: claim.payload,
  });
  if (!isSame(claim.seal, expected)) {
    const others = names.filter((name) => name !== "host").join(", ");
    const message = `The method, the URL${others && ` or ${others}`} is not what was signed.`;
    throw new Refused(403, "SignatureDoesNotMatch", message);
  }
}

/** @throws Refused if the percent-encoding is not UTF-8 */
export function decodePath(pathname: string): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    throw new Refused(400, "InvalidURI");
  }
}

function isSame(a: string, b: string): boolean {
  const [given, expected] = [Buffer.from(a), Buffer.from(b)];
  return given.length === expected.length && timingSafeEqual(given, expected);
}
