import type { Fix, Place } from "./fix";

type Explain = (node: Place, found: string) => Fix;

/** What to do about a code of the server's, or of the connection to it. */
export const fixByCode = (code: string, node: Place): Fix =>
  (byCode[code] ?? (isTls(code) ? tls : unknown))(node, code);

const isTls = (code: string) => /CERT|SIGNED|UNABLE_TO|TLS|SSL/.test(code);

/** Where a field of the node is changed. */
const change = ({ kind }: Place, field: string, variable: string) =>
  kind === "environment"
    ? `Correct ${variable} in the environment and restart the service.`
    : `Edit the node: ${field}.`;

const refused: Explain = (node, found) => ({
  problem: `Nothing answers at ${node.endpoint} (${found}).`,
  action: `Start the server, or open its port to this machine. If the address is wrong: ${change(node, "its endpoint", "MINIO_ENDPOINT")}`,
  commands: [`curl -sS -o /dev/null -w '%{http_code}\\n' ${node.endpoint}`],
});

const silent: Explain = ({ endpoint }) => ({
  problem: `${endpoint} takes connections and does not answer in time.`,
  action:
    "Look at the load and the log of the server, and at what stands between: a firewall that drops is silent too.",
  commands: [`curl -sS -m 10 -o /dev/null -w '%{http_code} after %{time_total} s\\n' ${endpoint}`],
});

const noName: Explain = (node) => ({
  problem: `The name ${new URL(node.endpoint).hostname} is not known here.`,
  action: `Correct the DNS, or the address. ${change(node, "its endpoint", "MINIO_ENDPOINT")}`,
  commands: [`getent hosts ${new URL(node.endpoint).hostname}`],
});

const notS3: Explain = ({ endpoint }, found) => ({
  problem: `${endpoint} answers, but not as an S3 server does (${found}).`,
  action: "Give the address of the S3 interface, not of its web console, and look at proxies in between.",
  commands: [`curl -sS -i ${endpoint}`],
});

const tls: Explain = ({ endpoint }, found) => ({
  problem: `The certificate of ${endpoint} is not trusted here (${found}).`,
  action: "Use a certificate of a known authority, or make yours known to the service and restart it.",
  commands: ["export NODE_EXTRA_CA_CERTS=/etc/postroom/storage-ca.pem"],
});

const wrongSecret: Explain = (node) => ({
  problem:
    "The secret key does not belong to the access key, or a proxy in front of the server changes the Host header.",
  action: `${change(node, "type the secret key again", "MINIO_SECRET_KEY")} If there is a proxy, have it pass the header on, as here for nginx.`,
  commands: ["proxy_set_header Host $http_host;"],
});

const wrongAccess: Explain = (node) => ({
  problem: "The server does not know the access key.",
  action: change(node, "type both keys again", "MINIO_ACCESS_KEY and MINIO_SECRET_KEY"),
});

const denied: Explain = ({ bucket }) => ({
  problem: "The keys are right, but may not do what an upload needs.",
  action: "Give their user this policy. Create the bucket yourself if the user is not to do it.",
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
            ...["s3:PutObject", "s3:GetObject", "s3:DeleteObject"],
            ...["s3:AbortMultipartUpload", "s3:ListMultipartUploadParts"],
          ],
          Resource: [`arn:aws:s3:::${bucket}/*`],
        },
      ],
    },
    null,
    2,
  );

const noBucket: Explain = (node) => (node.usedBytes ? lostBucket(node) : notMade(node));

const lostBucket = ({ name, bucket }: Place): Fix => ({
  problem: `The bucket ${bucket} or this node’s files are not there: the disk is lost, swapped or not mounted.`,
  action:
    "Bring the disk back. The service makes no new bucket here and sends no uploads, so that nothing covers up the loss. Only if the disk is lost for good: create the bucket, and say how many files are lost.",
  commands: [`npm run postroom -- nodes check --node=${quoted(name)}`],
});

const quoted = (name: string) => `'${name.replaceAll("'", "'\\''")}'`;

const notMade = ({ endpoint, bucket }: Place): Fix => ({
  problem: `There is no bucket ${bucket}, and the service may not make it.`,
  action: "Create it.",
  commands: [`aws s3api create-bucket --endpoint-url ${endpoint} --bucket ${bucket}`],
});

const othersBucket: Explain = (node) => ({
  problem: `The bucket ${node.bucket} belongs to somebody else, or its name is not allowed.`,
  action: change(node, "choose another bucket", "MINIO_BUCKET"),
});

const wrongRegion: Explain = (node) => ({
  problem: "The bucket lies in another region than the one given here.",
  action: change(node, "its region", "MINIO_REGION"),
  commands: [`aws s3api get-bucket-location --endpoint-url ${node.endpoint} --bucket ${node.bucket}`],
});

export const noRoom = (found: string): Fix => ({
  problem: `The server has no room left (${found}), whatever the capacity given here says. New uploads go to other nodes.`,
  action:
    "Make room or raise the quota there; then lower the node’s capacity here to what it really has. The node is tried again by itself, and takes uploads when 64 MiB go through.",
  commands: ["df -h", "mc admin info ALIAS", "radosgw-admin bucket stats --bucket BUCKET"],
});

const full: Explain = (_, found) => noRoom(found);

const skewed: Explain = () => ({
  problem: "The clocks differ by more than 15 minutes, so every signature is refused.",
  action: "Set both machines to follow a time server.",
  commands: ["timedatectl set-ntp true"],
});

const busy: Explain = (_, found) => ({
  problem: `The server says that it cannot answer now (${found}).`,
  action: "Look at its log and its health, then test again.",
  commands: ["mc admin info ALIAS", "ceph health detail"],
});

const unreadable: Explain = ({ kind }) => ({
  problem: "The secret key cannot be read: it was stored under another APP_SECRET.",
  action:
    kind === "environment"
      ? "Restart the service: it reads MINIO_SECRET_KEY again."
      : "Edit the node: type the secret key again.",
});

const different: Explain = (_, found) => ({
  problem: `What was sent and what the server tells of it differ (${found}).`,
  action: "This server does not keep what it confirms. Look for a cache or a proxy in front of it.",
});

const unknown: Explain = (_, found) => ({
  problem: `The server answered ${found}.`,
  action: "Look for this code in the server’s log and in its documentation.",
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
