import type { Db } from "../../db/engine/open";
import * as storageNodes from "../../db/storage/nodes/nodes";
import type { Config } from "../platform/config";
import type { BackupPlace } from "../platform/config-fields";
import { secretKeyOf } from "../storage/nodes/access";
import { fromConfig } from "../storage/nodes/configured";

const folderOfNodes = "backups/"; // beside the files, which are in u/

/**
 * Returns where the copies are: what BACKUP_URL says, or the bucket of the storage node that it names.
 *
 * @param db undefined where it is being replaced: then only the node of MINIO_* can be named
 * @throws a message for the operator if there is no such node, or its secret cannot be read
 */
export async function placeOf(config: Config, db: Db | undefined): Promise<BackupPlace | undefined> {
  const target = config.BACKUP_URL;
  if (!target || !("node" in target)) return target;
  const name = target.node;
  const node = db && (await storageNodes.byName(db, name));
  if (node) return placeAt(config, node);
  if (name === "default" && config.MINIO_ENDPOINT)
    return placeAt(config, { ...fromConfig(config, config.MINIO_ENDPOINT), usedBytes: 0 });
  throw new Error(
    db
      ? `The storage node “${name}” in BACKUP_URL was not found.`
      : `The database that would be replaced is not asked for the storage node “${name}”. Set BACKUP_URL to s3://KEY:SECRET@host/bucket/${folderOfNodes} with the keys of that node.`,
  );
}

type Node = Pick<storageNodes.StorageNode, "endpoint" | "region" | "bucket" | "accessKey" | "secret" | "usedBytes">;

const placeAt = (config: Config, node: Node): BackupPlace => ({
  endpoint: node.endpoint,
  region: node.region,
  bucket: node.bucket,
  accessKey: node.accessKey,
  secretKey: secretKeyOf(config, node),
  prefix: folderOfNodes,
  holdsFiles: node.usedBytes > 0,
});
