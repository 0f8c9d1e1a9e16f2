import type { NodeKind } from "./configured";
import { corsPrefix, notInRule } from "./probe";

/** What a fix may mention of a node: never a key. */
export type Place = {
  name: string;
  kind: NodeKind;
  endpoint: string;
  publicEndpoint: string;
  bucket: string;
  /** Bytes of its files. */
  usedBytes?: number;
};

export type Fix = {
  /** What is wrong, in a sentence. */
  problem: string;
  /** What to do about it, in a sentence. */
  action: string;
  /** To copy: commands or parts of a configuration. If there are several, any one of them will do. */
  commands?: readonly string[];
  /** The field of the node that is wrong, if it is not the endpoint or what answers there. */
  field?: "bucket" | "region" | "accessKey" | "secretKey";
};

/** Explains a finding, and says what to do about it. */
type Explain = (node: Place, found: string) => Fix;

/** Says where a field of the node is changed. */
const change = ({ kind }: Place, field: string, variable: string) =>
  kind === "environment"
    ? `Correct ${variable} in the environment and restart the service.`
    : `Edit the node: ${field}.`;

/** Distinguishes a lost bucket, which had files, from one that was never created. */
const noBucket: Explain = (node) => (node.usedBytes ? lostBucket(node) : notMade(node));

const lostBucket = ({ name, bucket }: Place): Fix => ({
  problem: `The bucket ${bucket} or this node’s files are not there: the disk is lost, swapped or not mounted.`,
  action:
    "Reconnect the disk. Postroom creates no bucket and sends no uploads here, so that the loss is not covered up. Only if the disk is permanently lost: create the bucket and state how many files are lost.",
  commands: [`npm run postroom -- nodes check --node=${quoted(name)}`],
});

const quoted = (name: string) => `'${name.replaceAll("'", "'\\''")}'`;

const notMade = ({ endpoint, bucket }: Place): Fix => ({
  problem: `The bucket ${bucket} does not exist, and Postroom is not allowed to create it.`,
  action: "Create the bucket.",
  field: "bucket",
  commands: [`aws s3api create-bucket --endpoint-url ${endpoint} --bucket ${bucket}`],
});

const othersBucket: Explain = (node) => ({
  problem: `The bucket ${node.bucket} belongs to another account, or its name is not allowed.`,
  action: change(node, "choose another bucket", "MINIO_BUCKET"),
  field: "bucket",
});

const wrongRegion: Explain = (node) => ({
  problem: "The bucket is in a different region.",
  action: change(node, "its region", "MINIO_REGION"),
  field: "region",
  commands: [`aws s3api get-bucket-location --endpoint-url ${node.endpoint} --bucket ${node.bucket}`],
});

/** What to do about an error code of the server, or of the connection to it. */
const fixByCode = (code: string, node: Place): Fix => (byCode[code] ?? (isTls(code) ? tls : unknown))(node, code);

const isTls = (code: string) => /CERT|SIGNED|UNABLE_TO|TLS|SSL/.test(code);

const refused: Explain = (node, code) => ({
  problem: `No server is listening at ${node.endpoint} (${code}).`,
  action: `Start the server, or allow this machine to reach its port. If the endpoint is wrong: ${change(node, "its endpoint", "MINIO_ENDPOINT")}`,
  commands: [`curl -sS -o /dev/null -w '%{http_code}\\n' ${node.endpoint}`],
});

const silent: Explain = ({ endpoint }) => ({
  problem: `${endpoint} accepts connections but does not respond in time.`,
  action: "Check the server’s load and log, and the network in between. A firewall that drops packets looks the same.",
  commands: [`curl -sS -m 10 -o /dev/null -w '%{http_code} after %{time_total} s\\n' ${endpoint}`],
});

const noName: Explain = (node) => ({
  problem: `The host name ${new URL(node.endpoint).hostname} cannot be resolved.`,
  action: `Correct the DNS record or the endpoint. ${change(node, "its endpoint", "MINIO_ENDPOINT")}`,
  commands: [`getent hosts ${new URL(node.endpoint).hostname}`],
});

const notS3: Explain = ({ endpoint }, code) => ({
  problem: `${endpoint} responds, but not like an S3 server (${code}).`,
  action: "Enter the S3 API endpoint, not the web console, and check any proxies in between.",
  commands: [`curl -sS -i ${endpoint}`],
});

const tls: Explain = ({ endpoint }, code) => ({
  problem: `The certificate of ${endpoint} is not trusted here (${code}).`,
  action: "Use a certificate from a trusted authority, or add your own CA and restart the service.",
  commands: ["export NODE_EXTRA_CA_CERTS=/etc/postroom/storage-ca.pem"],
});

const noTls: Explain = (node, code) => ({
  problem: `${node.endpoint} does not speak TLS (${code}).`,
  action: `Let the endpoint begin with http://, or name the port for https://. ${change(node, "its endpoint", "MINIO_ENDPOINT")}`,
  commands: [`curl -sS -i ${node.endpoint.replace(/^https:/, "http:")}`],
});

const wrongSecret: Explain = (node) => ({
  problem: "The secret key does not match the access key, or a proxy in front of the server changes the Host header.",
  action: `${change(node, "enter the secret key again", "MINIO_SECRET_KEY")} If there is a proxy, make it forward the Host header (nginx example below).`,
  commands: ["proxy_set_header Host $http_host;"],
  field: "secretKey",
});

const wrongAccess: Explain = (node) => ({
  problem: "The server does not know the access key.",
  action: change(node, "enter both keys again", "MINIO_ACCESS_KEY and MINIO_SECRET_KEY"),
  field: "accessKey",
});

const denied: Explain = ({ bucket }) => ({
  problem: "The keys are valid, but lack the permissions that uploads need.",
  action: "Attach this policy to their user. If the user should not create buckets, create the bucket yourself.",
  commands: [policy(bucket)],
});

const policy = (bucket: string) =>
  JSON.stringify(
    {
      Version: "2012-10-17",
      Statement: [
        {
          Effect: "Allow",
          Action: ["s3:CreateBucket", "s3:ListBucket", "s3:ListBucketMultipartUploads", "s3:PutBucketCORS"],
          Resource: [`arn:aws:s3:::${bucket}`],
        },
        {
          Effect: "Allow",
          Action: [
            "s3:PutObject",
            "s3:GetObject",
            "s3:DeleteObject",
            "s3:AbortMultipartUpload",
            "s3:ListMultipartUploadParts",
          ],
          Resource: [`arn:aws:s3:::${bucket}/*`],
        },
      ],
    },
    null,
    2,
  );

const noSpace = (code: string): Fix => ({
  problem: `The server is full (${code}), although the capacity set here is not used up. New uploads go to other nodes.`,
  action:
    "Free some space or raise the quota there, then set the node’s capacity to its real size. The node is tested again automatically and takes uploads once 64 MiB can be written.",
  commands: ["df -h", "mc admin info ALIAS", "radosgw-admin bucket stats --bucket BUCKET"],
});

const full: Explain = (_, code) => noSpace(code);

const skewed: Explain = () => ({
  problem: "The clocks differ by more than 15 minutes, so all signatures are rejected.",
  action: "Synchronise both servers with NTP.",
  commands: ["timedatectl set-ntp true"],
});

const busy: Explain = (_, code) => ({
  problem: `The server is temporarily unavailable (${code}).`,
  action: "Check its log and health, then test again.",
  commands: ["mc admin info ALIAS", "ceph health detail"],
});

const unreadable: Explain = ({ kind }) => ({
  problem: "The stored secret key cannot be decrypted: APP_SECRET has changed.",
  action:
    kind === "environment"
      ? "Restart the service: it reads MINIO_SECRET_KEY again."
      : "Edit the node: enter the secret key again.",
});

const different: Explain = (_, code) => ({
  problem: `The server’s data differs from what was sent (${code}).`,
  action: "The server does not store what it acknowledges. Check for a cache or proxy in front of it.",
});

const unknown: Explain = (_, code) => ({
  problem: `The server returned ${code}.`,
  action: "Look up this code in the server’s log and documentation.",
});

const byCode: Record<string, Explain> = {
  ECONNREFUSED: refused,
  EHOSTUNREACH: refused,
  ENETUNREACH: refused,
  ECONNRESET: refused,
  Timeout: silent,
  ENOTFOUND: noName,
  EAI_AGAIN: noName,
  NotS3: notS3,
  EPROTO: notS3,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  SignatureDoesNotMatch: wrongSecret,
  InvalidAccessKeyId: wrongAccess,
  XAdminUserNotFound: wrongAccess, // versitygw
  AccessDenied: denied,
  AllAccessDisabled: denied,
  NoSuchBucket: noBucket,
  FilesMissing: (node) => lostBucket(node),
  BucketAlreadyExists: othersBucket,
  InvalidBucketName: othersBucket,
  AuthorizationHeaderMalformed: wrongRegion,
  PermanentRedirect: wrongRegion,
  MovedPermanently: wrongRegion,
  InvalidRegion: wrongRegion,
  IllegalLocationConstraintException: wrongRegion,
  XMinioStorageFull: full,
  InsufficientStorage: full, // versitygw
  Status507: full,
  NoSpaceLeft: full,
  QuotaExceeded: full,
  XMinioAdminBucketQuotaExceeded: full,
  RequestTimeTooSkewed: skewed,
  InternalError: busy,
  ServiceUnavailable: busy,
  SlowDown: busy,
  XMinioServerNotInitialized: busy,
  SecretUnreadable: unreadable,
  Missing: different,
  Kept: different,
};

/** What is wrong with a check, and exactly how to fix it. @param result what the probe found, in one word */
export function fixOf(check: string, result: string, node: Place, origins: readonly string[]): Fix {
  if (check === "clock") return clock(Number(result));
  if (check === "length") return anyLength;
  if (check === "cut") return keptCut;
  if (check === "room") return noSpace(result);
  if (check.startsWith(corsPrefix)) return pages(check.slice(corsPrefix.length), result, node, origins);
  return fixByCode(result, node);
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
function pages(
  origin: string,
  result: string,
  { endpoint, publicEndpoint, bucket }: Place,
  origins: readonly string[],
) {
  if (result === notInRule)
    return {
      problem: `CORS: the rule that Postroom has set on the bucket does not name ${origin}.`,
      action:
        "Commands leave that rule alone, because the service may run with other origins. If its BASE_URL, BLOG_URL or CORS_ORIGINS names this one, it adds it within five minutes of its start.",
    };
  if (["ECONNREFUSED", "ENOTFOUND", "Timeout", "EHOSTUNREACH"].includes(result))
    return {
      problem: `${publicEndpoint} cannot be reached from this machine (${result}).`,
      action: "If browsers can reach it, nothing needs to be done. Otherwise correct the public endpoint.",
      commands: [`curl -sS -o /dev/null -w '%{http_code}\\n' ${publicEndpoint}`],
    };
  const what =
    result === "no ETag" ? "can upload, but cannot read the ETag header" : "are not allowed to upload to the bucket";
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
