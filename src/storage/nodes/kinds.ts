import type { Config } from "../../platform/config";

/** Where a node comes from: MINIO_*, the service itself, or a manager. Only the last can be changed or removed. */
export type NodeKind = "environment" | "embedded" | "managed";

export const gibibyte = 2 ** 30;
export const tebibyte = 2 ** 40;

/** Whether the configuration uses this name for a node of its own. */
export const isReserved = (name: string) => name === "default" || name === "embedded";

/** A node that MINIO_* no longer configures can be edited or removed by managers. */
export function kindOf(config: Config, name: string): NodeKind {
  if (name === "embedded") return "embedded";
  return name === "default" && config.MINIO_ENDPOINT ? "environment" : "managed";
}

/**
 * The largest PUT of a server about which nothing more is known: 5 GiB, as for S3 itself, and Ceph by default. R2, B2
 * and Spaces accept slightly less. MinIO is recognised by its responses; a tuned Ceph, or
 * a MinIO behind a proxy that hides its name, by its operator.
 */
export const maxPutBytesAt = (endpoint: string): number =>
  /\.(amazonaws\.com|r2\.cloudflarestorage\.com|backblazeb2\.com|digitaloceanspaces\.com)$/.test(
    new URL(endpoint).hostname,
  )
    ? 5e9
    : 5 * gibibyte;
