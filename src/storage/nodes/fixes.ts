import type { Fix, Place } from "./fix";
import { fixByCode, noRoom } from "./fixes-by-code";

/** What is wrong with a check, and exactly how to put it right. @param found what the probe found, in one word */
export function fixOf(check: string, found: string, node: Place, origins: readonly string[]): Fix {
  if (check === "clock") return clock(Number(found));
  if (check === "length") return anyLength;
  if (check === "room") return noRoom(found);
  if (check.startsWith("cors ")) return pages(check.slice(5), found, node, origins);
  return fixByCode(found, node);
}

const clock = (seconds: number): Fix => ({
  problem: `The server’s clock is ${Math.abs(seconds)} seconds ${seconds > 0 ? "ahead of" : "behind"} this one. From 15 minutes on, signatures are refused.`,
  action: "Set both machines to follow a time server.",
  commands: ["timedatectl set-ntp true"],
});

const anyLength: Fix = {
  problem:
    "A client can send more than it reserved. Uploads work: what is too large is thrown away when the service sees it.",
  action: "Use a server that checks signed headers, such as MinIO or Ceph, when strangers upload here.",
};

/** Pages upload straight to the node, so its answers have to name our origin and let a script read the ETag. */
function pages(origin: string, found: string, { endpoint, publicEndpoint, bucket }: Place, origins: readonly string[]) {
  if (["ECONNREFUSED", "ENOTFOUND", "Timeout", "EHOSTUNREACH"].includes(found))
    return {
      problem: `${publicEndpoint} cannot be reached from this machine (${found}).`,
      action: "If browsers can reach it, all is well. Otherwise correct the public endpoint.",
      commands: [`curl -sS -o /dev/null -w '%{http_code}\\n' ${publicEndpoint}`],
    };
  const what = found === "no ETag" ? "may upload, but cannot read the ETag" : "may not upload to the bucket";
  const rules = { CORSRules: [rule(origins)] };
  return {
    problem: `Pages of ${origin} ${what}.`,
    action:
      "The service tried to allow it and the server, or its policy for these keys, did not let it. Allow it yourself: the first command for S3 servers with rules for each bucket, the second for MinIO.",
    commands: [
      `aws s3api put-bucket-cors --endpoint-url ${endpoint} --bucket ${bucket} \\\n  --cors-configuration '${JSON.stringify(rules)}'`,
      `mc admin config set ALIAS api cors_allow_origin="${origins.join(",")}"`,
    ],
  };
}

const rule = (origins: readonly string[]) => ({
  AllowedOrigins: origins,
  AllowedMethods: ["GET", "HEAD", "PUT"],
  AllowedHeaders: ["*"],
  ExposeHeaders: ["ETag"],
  MaxAgeSeconds: 3000,
});
