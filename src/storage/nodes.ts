import { join } from "node:path";
import type { Db } from "../../db";
import * as storageNodes from "../../db/storage-nodes";
import type { Config } from "../config";
import { described, type Log } from "../log";
import type { EmbeddedNode } from "./embedded/node";
import { connect, seal } from "./node-access";
import { type Probed, probe } from "./probe";

type StorageNode = storageNodes.StorageNode;
export type Embed = (config: Config, log: Log) => Promise<EmbeddedNode>;
type Options = { config: Config; db: Db; log: Log; now: () => Date; deadline: number; embed: Embed };
export type NewNode = Omit<storageNodes.NewNode, "secret" | "maxPutBytes"> & { secretKey: string };
/** What people may see of a node: everything but its keys. */
export type NodeView = Omit<StorageNode, "accessKey" | "secret">;

const gibibyte = 2 ** 30;
const tebibyte = 2 ** 40;

/** The storage nodes: those of the configuration, and those a manager adds. */
export function nodeRegister({ config, db, log, now, deadline, embed }: Options) {
  let embedded: EmbeddedNode | undefined;

  /** Brings the configured node up: the one of MINIO_*, or else, outside production, the embedded one. */
  async function open(): Promise<void> {
    if (config.MINIO_ENDPOINT || config.isProduction) await storageNodes.retire(db, "embedded");
    else await openEmbedded();
    if (config.MINIO_ENDPOINT) await storageNodes.register(db, fromConfig(config, config.MINIO_ENDPOINT));
    for (const difference of await storageNodes.imbalances(db)) log.error("storage sums differ", difference);
  }

  async function openEmbedded(): Promise<void> {
    embedded = await embed(config, log);
    const { endpoint, region, bucket, accessKey, secretKey, room } = embedded;
    const used = (await storageNodes.byName(db, "embedded"))?.usedBytes ?? 0;
    const node = await storageNodes.register(db, {
      name: "embedded",
      endpoint,
      publicEndpoint: endpoint,
      region,
      bucket,
      accessKey,
      secret: seal(config, secretKey),
      capacityBytes: Math.min(10 * gibibyte, used + room),
      maxPutBytes: 5 * tebibyte,
    });
    await storageNodes.probed(db, node.id, { signedLength: true }, now()); // our own tests say so
    log.info("embedded storage", { endpoint, capacity: node.capacityBytes });
  }

  /** Tries the node out and keeps the result. */
  async function test(node: StorageNode): Promise<Probed> {
    const found = await connect(config, node, deadline)
      .then((s3) => probe(node, s3))
      .catch((error): Probed => ({ ok: false, error: error instanceof Error ? error.message : "failed" }));
    await storageNodes.probed(db, node.id, found, now());
    if (!found.ok) log.warn("storage node fails", { node: node.name, error: found.error });
    else if (!found.signedLength) log.warn("storage node takes any length", { node: node.name });
    else if (Math.abs(found.skewSeconds) > 60) log.warn("storage clock differs", { node: node.name, ...found });
    return found;
  }

  return {
    open,
    test,
    /** Tries out every node but the embedded one: a first run need not load the client before it is used. */
    testAll: async () => {
      const nodes = (await storageNodes.list(db)).filter(({ name, state }) => state !== "down" && name !== "embedded");
      await Promise.all(nodes.map(test)).catch((error) => log.error("storage probe", described(error)));
    },
    list: async (): Promise<NodeView[]> => (await storageNodes.list(db)).map(withoutKeys),
    /** Undefined when the name is taken. */
    add: async ({ secretKey, ...node }: NewNode): Promise<NodeView | undefined> => {
      const secret = seal(config, secretKey);
      const added = await storageNodes.add(db, { ...node, secret, maxPutBytes: mostInOnePut(node.endpoint) });
      return added && withoutKeys(added);
    },
    close: async () => embedded?.close(),
  };
}

/** The embedded node of DATA_DIR, one port above the service when that is free. */
export const embedInDataDir: Embed = async (config, log) => {
  const { startEmbeddedNode } = await import("./embedded/node");
  return startEmbeddedNode({
    folder: join(config.DATA_DIR, "storage"),
    port: config.PORT && config.PORT < 65_535 ? config.PORT + 1 : 0,
    origins: config.CORS_ORIGINS,
    log,
  });
};

const fromConfig = (config: Config, endpoint: string): storageNodes.NewNode => ({
  name: "default",
  endpoint,
  publicEndpoint: config.MINIO_PUBLIC_ENDPOINT ?? endpoint,
  region: config.MINIO_REGION,
  bucket: config.MINIO_BUCKET,
  accessKey: config.MINIO_ACCESS_KEY ?? "",
  secret: seal(config, config.MINIO_SECRET_KEY ?? ""),
  capacityBytes: config.MINIO_CAPACITY,
  maxPutBytes: mostInOnePut(endpoint),
});

/** AWS, R2, B2 and Spaces take 5 GB in one PUT, whatever the object may hold; MinIO and its kin take 5 TiB. */
const mostInOnePut = (endpoint: string) =>
  /\.(amazonaws\.com|r2\.cloudflarestorage\.com|backblazeb2\.com|digitaloceanspaces\.com)$/.test(
    new URL(endpoint).hostname,
  )
    ? 5e9
    : 5 * tebibyte;

const withoutKeys = ({ accessKey: _, secret: __, ...view }: StorageNode): NodeView => view;
