import type { Fix, Place } from "./fix";
import { lostBucket, noBucket, othersBucket, type Explain, change, wrongRegion } from "./bucket";

/** What to do about an error code of the server, or of the connection to it. */
export const fixByCode = (code: string, node: Place): Fix =>
  (byCode[code] ?? (isTls(code) ? tls : unknown))(node, code);

const isTls = (code: string) => /CERT|SIGNED|UNABLE_TO|TLS|SSL/.test(code);

const refused: Explain = (node, found) => ({
  problem: `No server is listening at ${node.endpoint} (${found}).`,
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

const notS3: Explain = ({ endpoint }, found) => ({
  problem: `${endpoint} responds, but not like an S3 server (${found}).`,
  action: "Enter the S3 API endpoint, not the web console, and check any proxies in between.",
  commands: [`curl -sS -i ${endpoint}`],
});

const tls: Explain = ({ endpoint }, found) => ({
  problem: `The certificate of ${endpoint} is not trusted here (${found}).`,
  action: "Use a certificate from a trusted authority, or add your own CA and restart the service.",
  commands: ["export NODE_EXTRA_CA_CERTS=/etc/postroom/storage-ca.pem"],
});

const wrongSecret: Explain = (node) => ({
  problem: "The secret key does not match the access key, or a proxy in front of the server changes the Host header.",
  action: `${change(node, "enter the secret key again", "MINIO_SECRET_KEY")} If there is a proxy, make it forward the Host header (nginx example below).`,
  commands: ["proxy_set_header Host $http_host;"],
});

const wrongAccess: Explain = (node) => ({
  problem: "The server does not know the access key.",
  action: change(node, "enter both keys again", "MINIO_ACCESS_KEY and MINIO_SECRET_KEY"),
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

export const noRoom = (found: string): Fix => ({
  problem: `The server is full (${found}), although the capacity set here is not used up. New uploads go to other nodes.`,
  action:
    "Free some space or raise the quota there, then set the node’s capacity to its real size. The node is tested again automatically and takes uploads once 64 MiB can be written.",
  commands: ["df -h", "mc admin info ALIAS", "radosgw-admin bucket stats --bucket BUCKET"],
});

const full: Explain = (_, found) => noRoom(found);

const skewed: Explain = () => ({
  problem: "The clocks differ by more than 15 minutes, so all signatures are rejected.",
  action: "Synchronise both servers with NTP.",
  commands: ["timedatectl set-ntp true"],
});

const busy: Explain = (_, found) => ({
  problem: `The server is temporarily unavailable (${found}).`,
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

const different: Explain = (_, found) => ({
  problem: `The server’s data differs from what was sent (${found}).`,
  action: "The server does not store what it acknowledges. Check for a cache or proxy in front of it.",
});

const unknown: Explain = (_, found) => ({
  problem: `The server returned ${found}.`,
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
