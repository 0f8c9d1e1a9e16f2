import type { Db } from "../../../db/engine/open";
import { isDatabaseFault } from "../../../db/engine/errors";
import * as fullness from "../../../db/storage/nodes/capacity";
import * as storageNodes from "../../../db/storage/nodes/nodes";
import type { Config } from "../../platform/config";
import { described, type Log } from "../../platform/log";
import { decrypt, encrypt } from "../../security/secrets";
import type { Calls } from "../../telemetry/storage-metrics";
import type { S3 } from "../s3/s3";
import type { Target } from "../s3/client";
import { codeOf, isTimeout, meansFull } from "../s3/errors";
import { maxTrialBytes } from "./trial";

type StorageNode = storageNodes.StorageNode;
type Options = { config: Config; db: Db; log: Log; now: () => Date; deadline: number; calls: Calls };

const purpose = "storage node secret";

/** Encrypts the node's secret key for the database. */
export const seal = ({ APP_SECRET }: Config, secretKey: string) => encrypt(APP_SECRET, purpose, secretKey);

export type CallNode = ReturnType<typeof nodeAccess>;

/**
 * The only way to call a node: `callNode(node, (s3) => …)`. Failures are counted, so that a node which fails three times in
 * a row is paused for a minute, and then rethrown. A database failure during `work` is not counted against the node.
 * `mayWait`: the node may have its reasons to keep this call waiting, so that says nothing about others.
 */
export function nodeAccess({ config, db, log, now, deadline, calls }: Options) {
  return async function callNode<T>(
    node: StorageNode,
    work: (s3: S3) => Promise<T>,
    { mayWait = false } = {},
  ): Promise<T> {
    try {
      const result = await work(await connect(config, node, deadline, calls));
      if (node.failures) await storageNodes.recordSuccess(db, node.id, now());
      return result;
    } catch (error) {
      if (isDatabaseFault(error)) throw error;
      const code = codeOf(error);
      calls.failed(node.name, code);
      if (mayWait && isTimeout(error)) throw error;
      if (meansFull(code)) {
        await fullness.markFull(db, node.id, { bytes: 0, tried: maxTrialBytes, because: code }, now());
        throw error; // it responds, so this is no reason to pause it
      }
      const after = await storageNodes.recordFailure(db, node.id, code, now());
      const isPaused = after && storageNodes.isPaused(after, now());
      log.warn("storage error", { node: node.name, paused: isPaused, code, ...described(error) });
      throw error;
    }
  };
}

/** @throws if the secret was encrypted with another APP_SECRET */
export const secretKeyOf = ({ APP_SECRET }: Config, { secret }: Pick<StorageNode, "secret">) =>
  decrypt(APP_SECRET, purpose, secret);

type Place = Omit<Target, "secretKey" | "holdsFiles"> & Pick<StorageNode, "name" | "secret" | "usedBytes">;

/** @throws if the secret was encrypted with another APP_SECRET */
export async function connect(config: Config, node: Place, deadline: number, calls?: Calls): Promise<S3> {
  const { openS3 } = await import("../s3/s3"); // 140 ms and 30 MB that a start without uploads does not need
  const target = { ...node, secretKey: secretKeyOf(config, node), holdsFiles: node.usedBytes > 0 };
  return openS3(target, deadline, (operation, milliseconds) => calls?.took(node.name, operation, milliseconds));
}
