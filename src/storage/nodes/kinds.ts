import type { Config } from "../../config";

/** Where a node comes from: MINIO_*, the service itself, or a manager. Only the last may be changed or removed. */
export type NodeKind = "environment" | "embedded" | "managed";

export const gibibyte = 2 ** 30;
export const tebibyte = 2 ** 40;

/** Whether the configuration gives this name to a node of its own. */
export const isReserved = (name: string) => name === "default" || name === "embedded";

/** A node that MINIO_* named once, and does not any more, is the managers' to edit or remove. */
export function kindOf(config: Config, name: string): NodeKind {
  if (name === "embedded") return "embedded";
  return name === "default" && config.MINIO_ENDPOINT ? "environment" : "managed";
}

/**
 * What one PUT may carry to a server that nobody knows more about: 5 GiB, as S3 itself says and Ceph does unless it is
 * told otherwise; R2, B2 and Spaces take a little less. A MinIO is known by its answers (P86).
 */
export const maxPutBytesAt = (endpoint: string): number =>
  /\.(amazonaws\.com|r2\.cloudflarestorage\.com|backblazeb2\.com|digitaloceanspaces\.com)$/.test(
    new URL(endpoint).hostname,
  )
    ? 5e9
    : 5 * gibibyte;
