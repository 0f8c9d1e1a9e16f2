import type { Fix, Place } from "./fix";
/** Explains a finding, and says what to do about it. */
export type Explain = (node: Place, found: string) => Fix;

/** Says where a field of the node is changed. */
export const change = ({ kind }: Place, field: string, variable: string) =>
  kind === "environment"
    ? `Correct ${variable} in the environment and restart the service.`
    : `Edit the node: ${field}.`;

/** Distinguishes a lost bucket, which had files, from one that was never created. */
export const noBucket: Explain = (node) => (node.usedBytes ? lostBucket(node) : notMade(node));

export const lostBucket = ({ name, bucket }: Place): Fix => ({
  problem: `The bucket ${bucket} or this node’s files are not there: the disk is lost, swapped or not mounted.`,
  action:
    "Reconnect the disk. Postroom creates no bucket and sends no uploads here, so that the loss is not covered up. Only if the disk is permanently lost: create the bucket and state how many files are lost.",
  commands: [`npm run postroom -- nodes check --node=${quoted(name)}`],
});

const quoted = (name: string) => `'${name.replaceAll("'", "'\\''")}'`;

const notMade = ({ endpoint, bucket }: Place): Fix => ({
  problem: `The bucket ${bucket} does not exist, and Postroom is not allowed to create it.`,
  action: "Create the bucket.",
  commands: [`aws s3api create-bucket --endpoint-url ${endpoint} --bucket ${bucket}`],
});

export const othersBucket: Explain = (node) => ({
  problem: `The bucket ${node.bucket} belongs to another account, or its name is not allowed.`,
  action: change(node, "choose another bucket", "MINIO_BUCKET"),
});

export const wrongRegion: Explain = (node) => ({
  problem: "The bucket is in a different region.",
  action: change(node, "its region", "MINIO_REGION"),
  commands: [`aws s3api get-bucket-location --endpoint-url ${node.endpoint} --bucket ${node.bucket}`],
});
