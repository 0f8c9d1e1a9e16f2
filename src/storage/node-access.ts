import type { Db } from "../../db";
import * as storageNodes from "../../db/storage-nodes";
import type { Config } from "../config";
import { described, type Log } from "../log";
import { decrypt, encrypt } from "../security/secrets";
import type { S3 } from "./s3";

type StorageNode = storageNodes.StorageNode;
type Options = { config: Config; db: Db; log: Log; now: () => Date; deadline: number };

const purpose = "storage node secret";

/** The node's secret key as the database may hold it. */
export const seal = ({ APP_SECRET }: Config, secretKey: string) => encrypt(APP_SECRET, purpose, secretKey);

export type Ask = ReturnType<typeof nodeAccess>;

/**
 * The one way to a provider: `ask(node, (s3) => …)`. Trouble is counted, so that a node that fails three times in a
 * row is left alone for a minute, and then thrown on.
 */
export function nodeAccess({ config, db, log, now, deadline }: Options) {
  return async function ask<T>(node: StorageNode, work: (s3: S3) => Promise<T>): Promise<T> {
    try {
      const result = await work(await connect(config, node, deadline));
      if (node.failures) await storageNodes.recovered(db, node.id);
      return result;
    } catch (error) {
      const after = await storageNodes.failed(db, node.id, now());
      const resting = after && storageNodes.isResting(after, now());
      log.warn("storage trouble", { node: node.name, resting, ...described(error) });
      throw error;
    }
  };
}

/** @throws when the secret was sealed with another APP_SECRET */
export async function connect(config: Config, node: StorageNode, deadline: number): Promise<S3> {
  const { openS3 } = await import("./s3"); // 140 ms and 30 MB that a start without uploads need not pay
  return openS3({ ...node, secretKey: decrypt(config.APP_SECRET, purpose, node.secret) }, deadline);
}
