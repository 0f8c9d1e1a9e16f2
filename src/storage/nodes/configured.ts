import { join } from "node:path";
import type { NewNode } from "../../../db/storage/nodes/nodes";
import type { Config } from "../../platform/config";
import type { Log } from "../../platform/log";
import type { EmbeddedNode } from "../embedded/node";
import { seal } from "./access";

/** Where a node comes from: MINIO_*, the service itself, or a manager. Only the last can be changed or removed. */
export type NodeKind = "environment" | "embedded" | "managed";

const gibibyte = 2 ** 30;
const tebibyte = 2 ** 40;

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

export type Embed = (config: Config, log: Log) => Promise<EmbeddedNode>;

/** The embedded node in DATA_DIR, one port above the service's if that is free. */
export const embedInDataDir: Embed = async (config, log) => {
  const { startEmbeddedNode } = await import("../embedded/node");
  return startEmbeddedNode({
    folder: join(config.DATA_DIR, "storage"),
    port: config.PORT && config.PORT < 65_535 ? config.PORT + 1 : 0,
    origins: config.CORS_ORIGINS,
    log,
  });
};

/** The embedded node's entry in the register. @param used bytes that it stores */
export const embeddedNode = (config: Config, running: EmbeddedNode, used: number): NewNode => ({
  name: "embedded",
  endpoint: running.endpoint,
  publicEndpoint: running.endpoint,
  region: running.region,
  bucket: running.bucket,
  accessKey: running.accessKey,
  secret: seal(config, running.secretKey),
  capacityBytes: Math.min(10 * gibibyte, used + running.freeBytes),
  maxPutBytes: 5 * tebibyte,
});

/** The node that MINIO_* configures. */
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
