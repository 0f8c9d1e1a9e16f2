import type { Fix, Place } from "./fix";
import { fixByCode, noRoom } from "./by-code";

/** What is wrong with a check, and exactly how to fix it. @param found what the probe found, in one word */
export function fixOf(check: string, found: string, node: Place, origins: readonly string[]): Fix {
  if (check === "clock") return clock(Number(found));
  if (check === "length") return anyLength;
  if (check === "cut") return keptCut;
  if (check === "room") return noRoom(found);
  if (check.startsWith("cors ")) return pages(check.slice(5), found, node, origins);
  return fixByCode(found, node);
}

const clock = (seconds: number): Fix => ({
  problem: `The storage server’s clock is ${Math.abs(seconds)} seconds ${seconds > 0 ? "ahead of" : "behind"} this server’s. Beyond 15 minutes, signatures are rejected.`,
  action: "Synchronise both servers with NTP.",
  commands: ["timedatectl set-ntp true"],
});

const anyLength: Fix = {
  problem:
    "Clients can send more data than they reserved. Uploads still work; oversized files are deleted when Postroom detects them.",
  action: "If people you do not trust upload here, use a server that verifies signed headers, such as MinIO or Ceph.",
};

const keptCut: Fix = {
  problem: "The server keeps interrupted uploads and reports them as complete: the rest of such a file is zeros.",
  action:
    "Update the server, or use another one (versitygw 1.8.0 does this). Until then, new files are stored here only in parts, which Postroom verifies before the file is published, or with Content-MD5.",
};

/** Pages upload directly to the node, so its responses must allow our origin, and let scripts read the ETag. */
function pages(origin: string, found: string, { endpoint, publicEndpoint, bucket }: Place, origins: readonly string[]) {
  if (["ECONNREFUSED", "ENOTFOUND", "Timeout", "EHOSTUNREACH"].includes(found))
    return {
      problem: `${publicEndpoint} cannot be reached from this machine (${found}).`,
      action: "If browsers can reach it, nothing needs to be done. Otherwise correct the public endpoint.",
      commands: [`curl -sS -o /dev/null -w '%{http_code}\\n' ${publicEndpoint}`],
    };
  const what =
    found === "no ETag" ? "can upload, but cannot read the ETag header" : "are not allowed to upload to the bucket";
  const rules = { CORSRules: [rule(origins)] };
  return {
    problem: `CORS: pages on ${origin} ${what}.`,
    action:
      "Postroom tried to add a CORS rule, but the server or the policy of this access key did not allow it. Add it yourself: use the first command for servers with per-bucket CORS rules, the second for MinIO.",
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
