import { algorithm, unsigned } from "../s3/sigv4";
import { Refused } from "./responses";

type Claim = { credential: string; names: string; time: string; seal: string; payload: string; seconds: number };

export const skew = 15 * 60; // seconds by which clocks may differ

export function fromQuery(query: URLSearchParams): Claim {
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

export function fromHeader(headers: Headers): Claim {
  const [, credential, names, seal] =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=(\w+)$/.exec(
      headers.get("authorization") ?? "",
    ) ?? [];
  if (!credential || !names || !seal) throw new Refused(403, "AccessDenied");
  const time = headers.get("x-amz-date") ?? "";
  return { credential, names, time, seal, payload: headers.get("x-amz-content-sha256") ?? "", seconds: skew };
}

/** Parses a time such as 20130524T000000Z to milliseconds. */
export const instant = (time: string) =>
  Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
