import { join } from "node:path";
import type { NewNode } from "../../../db/storage/nodes";
import type { Config } from "../../config";
import type { Log } from "../../telemetry/log";
import type { EmbeddedNode } from "../embedded/node";
import { seal } from "./access";

export type Embed = (config: Config, log: Log) => Promise<EmbeddedNode>;

/** Where a node comes from: MINIO_*, the service itself, or a manager. Only the last may be changed or removed. */
export type NodeKind = "environment" | "embedded" | "managed";

const gibibyte = 2 ** 30;
const tebibyte = 2 ** 40;

/** Whether the configuration gives this name to a node of its own. */
export const isReserved = (name: string) => name === "default" || name === "embedded";

/** A node that MINIO_* named once, and does not any more, is the managers' to edit or remove. */
export function kindOf(config: Config, name: string): NodeKind {
  if (name === "embedded") return "embedded";
  return name === "default" && config.MINIO_ENDPOINT ? "environment" : "managed";
}

/** The embedded node of DATA_DIR, one port above the service when that is free. */
export const embedInDataDir: Embed = async (config, log) => {
  const { startEmbeddedNode } = await import("../embedded/node");
  return startEmbeddedNode({
    folder: join(config.DATA_DIR, "storage"),
    port: config.PORT && config.PORT < 65_535 ? config.PORT + 1 : 0,
    origins: config.CORS_ORIGINS,
    log,
  });
};

/** The embedded node as the register knows it. @param used bytes that it holds */
export const embeddedNode = (config: Config, running: EmbeddedNode, used: number): NewNode => ({
  name: "embedded",
  endpoint: running.endpoint,
  publicEndpoint: running.endpoint,
  region: running.region,
  bucket: running.bucket,
  accessKey: running.accessKey,
  secret: seal(config, running.secretKey),
  capacityBytes: Math.min(10 * gibibyte, used + running.room),
  maxPutBytes: 5 * tebibyte,
});

/** The node that MINIO_* names. */
export const fromConfig = (config: Config, endpoint: string): NewNode => ({
  name: "default",
  endpoint,
  publicEndpoint: config.MINIO_PUBLIC_ENDPOINT ?? endpoint,
  region: config.MINIO_REGION,
  bucket: config.MINIO_BUCKET,
  accessKey: config.MINIO_ACCESS_KEY ?? "",
  secret: seal(config, config.MINIO_SECRET_KEY ?? ""),
  capacityBytes: config.MINIO_CAPACITY,
  maxPutBytes: config.MINIO_MAX_PUT ?? maxPutBytesAt(endpoint),
});

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
