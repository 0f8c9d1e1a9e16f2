import type { Db } from "../../../db/engine/open";
import * as storageNodes from "../../../db/storage/nodes/nodes";
import type { Config } from "../../config";
import type { Log } from "../../telemetry/log";
import type { Calls } from "../../telemetry/storage-metrics";
import { meansFull } from "../s3/errors";
import type { S3 } from "../s3/s3";
import { connect } from "./access";
import type { CapacityMonitor } from "./capacity";
import type { OwnDisks } from "./own-disk";
import type { Probed } from "./probe";

type StorageNode = storageNodes.StorageNode;
export type Options = {
  config: Config;
  db: Db;
  log: Log;
  now: () => Date;
  deadline: number;
  calls: Calls;
  capacity: CapacityMonitor;
  disks: OwnDisks;
};

const trialBytes = 8 * 2 ** 20; // sent when somebody wants to know

/** The node's secret was sealed with another APP_SECRET. */
const unreadable: Probed = { findings: { bucket: "SecretUnreadable" }, error: "bucket: SecretUnreadable" };

/** The origins whose pages upload. */
export const originsOf = (config: Config) => [
  ...new Set([config.BASE_URL, config.BLOG_URL].map((url) => new URL(url).origin)),
];

/** Tries a node out, whether it is added yet or not. @param isAsked somebody waits for it: with 8 MiB */
export async function examine(
  { config, deadline, calls, disks }: Options,
  node: Parameters<typeof connect>[1] & { id?: string },
  isAsked: boolean,
) {
  const s3 = await connect(config, node, deadline, calls).catch(() => undefined);
  if (!s3) return { found: unreadable };
  const { probe } = await import("./probe");
  const { id } = node;
  const confirmDisk = id === undefined ? undefined : (s3: S3) => disks.confirm({ id }, s3);
  const found = await probe(node.endpoint, s3, {
    origins: originsOf(config),
    deadline,
    ...(confirmDisk && { confirmDisk }),
  });
  const { trial } = await import("./trial");
  const tried = isAsked && !found.error ? await trial(node.endpoint, s3, trialBytes, deadline) : undefined;
  if (tried) found.findings.room = tried.refused?.code ?? "ok";
  return { s3, found, tried };
}

/** Tries the node out and keeps the result. One that rested and works is in use again. */
export async function test(options: Options, { id }: Pick<StorageNode, "id">, isAsked = true): Promise<Probed> {
  const { db, log, now, capacity } = options;
  const node = await findNode(db, id);
  const { s3, found, tried } = await examine(options, node, isAsked);
  const { isFine } = await import("./probe");
  const before = node.probe?.room; // costs too much to be found out every few minutes
  if (before && (node.fullSince || before === "ok")) found.findings.room ??= before;
  const because = found.error?.split(" ").at(-1) ?? "";
  const isFull = meansFull(because); // it answers, so it is not offline
  await storageNodes.saveProbe(db, node.id, { ...found, ...(isFull && { error: undefined }) }, now());
  if (s3) await capacity.look(node, s3);
  if (isFull) await capacity.keep(node, { taken: 0, refused: { bytes: 5, code: because } });
  if (tried) await capacity.keep(node, tried);
  if (!found.error) await storageNodes.recordSuccess(db, node.id, now());
  const failing = Object.entries(found.findings).filter(
    ([check, result]) => check !== "milliseconds" && !isFine(check, result),
  );
  if (failing.length) log.warn("storage node check due", { node: node.name, ...Object.fromEntries(failing) });
  return found;
}

/** Tries out every node but the embedded one: a first run need not load the client before it is used. */
export async function testAll(options: Options): Promise<void> {
  const nodes = await storageNodes.list(options.db);
  const others = nodes.filter(({ name, state }) => state !== "down" && name !== "embedded");
  await Promise.all(others.map((node) => test(options, node, false)));
}

/** Tries out the nodes that have rested, or were full, long enough: those that work are back, the others wait on. */
export async function revive(options: Options): Promise<void> {
  const { db, log, now, capacity } = options;
  await capacity.retryDue();
  const rested = (await storageNodes.list(db)).filter(
    (node) => node.state !== "down" && node.downUntil !== null && !storageNodes.isPaused(node, now()),
  );
  await Promise.all(
    rested.map(async (node) => {
      const { error } = await test(options, node, false);
      if (error) await storageNodes.recordFailure(db, node.id, error, now());
      else log.info("storage node recovered", { node: node.name });
    }),
  );
}

/** @throws when there is none */
export async function findNode(db: Db, id: string): Promise<StorageNode> {
  const node = await storageNodes.find(db, id);
  if (!node) throw new Error(`There is no storage node ${id}`);
  return node;
}
