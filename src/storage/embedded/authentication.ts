import { timingSafeEqual } from "node:crypto";
import { scopeOf, signature } from "../s3/sigv4";
import { Refused } from "./responses";
import type { Keys } from "./keys";
import { fromHeader, fromQuery, instant, skew } from "./claim";

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
  if (!isSame(claim.seal, expected)) throw new Refused(403, "SignatureDoesNotMatch");
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
