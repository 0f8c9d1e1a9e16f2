import { join } from "node:path";
import type { NewNode } from "../../../db/storage/nodes/nodes";
import type { Config } from "../../platform/config";
import type { Log } from "../../platform/log";
import type { EmbeddedNode } from "../embedded/node";
import { seal } from "./access";
import { gibibyte, maxPutBytesAt, tebibyte } from "./kinds";

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
