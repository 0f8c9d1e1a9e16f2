import type { Db } from "../../../db/engine/open";
import * as storageNodes from "../../../db/storage/nodes/nodes";
import type { Config } from "../../platform/config";
import type { Log } from "../../platform/log";
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
  /** For commands, whose environment need not be that of the service: see `probe`. */
  keepsRule?: boolean | undefined;
};

const trialBytes = 8 * 2 ** 20; // sent if someone requested the test

/** The node's secret was encrypted with another APP_SECRET. */
const unreadable: Probed = { findings: { bucket: "SecretUnreadable" }, error: "bucket: SecretUnreadable" };

/** The origins whose pages upload: the service's own, the blog's, and those of CORS_ORIGINS. */
export const originsOf = ({ CORS_ORIGINS }: Config) => [...CORS_ORIGINS];

/** Probes a node, whether or not it has been added. @param isAsked someone requested it: then 8 MiB are sent */
export async function examine(
  { config, deadline, calls, disks, keepsRule }: Options,
  node: Parameters<typeof connect>[1] & { id?: string },
  isAsked: boolean,
) {
  const s3 = await connect(config, node, deadline, calls).catch(() => undefined);
  if (!s3) return { probed: unreadable };
  const { probe } = await import("./probe");
  const { id } = node;
  const confirmDisk = id === undefined ? undefined : (s3: S3) => disks.confirm({ id }, s3);
  const probed = await probe(node.endpoint, s3, {
    origins: originsOf(config),
    keepsRule,
    deadline,
    ...(confirmDisk && { confirmDisk }),
  });
  const { trial } = await import("./trial");
  const tried = isAsked && !probed.error ? await trial(node.endpoint, s3, trialBytes, deadline) : undefined;
  if (tried) probed.findings.room = tried.refused?.code ?? "ok";
  return { s3, probed, tried };
}

/** Probes the node and stores the result. If it was paused and works, it resumes. */
export async function test(options: Options, { id }: Pick<StorageNode, "id">, isAsked = true): Promise<Probed> {
  const { db, log, now, capacity } = options;
  const node = await findNode(db, id);
  const { s3, probed, tried } = await examine(options, node, isAsked);
  const { isFine } = await import("./probe");
  const { room, cut, etag } = node.probe ?? {};
  if (room && (node.fullSince || room === "ok")) probed.findings.room ??= room; // too expensive to find out every few minutes
  if (cut) probed.findings.cut ??= cut; // a test that failed before it says nothing about it
  if (etag && probed.error) probed.findings.etag ??= etag;
  const because = probed.error?.split(" ").at(-1) ?? "";
  const isFull = meansFull(because); // it responds, so it is not offline
  const free = s3 && (await capacity.look(node, s3).catch(() => "silent" as const));
  const readAt = free === "silent" ? node.probe?.freeAt : free !== undefined && now().toISOString();
  if (readAt) probed.findings.freeAt = readAt;
  await storageNodes.saveProbe(db, node.id, { ...probed, ...(isFull && { error: undefined }) }, now());
  if (isFull) await capacity.keep(node, { taken: 0, refused: { bytes: 5, code: because } });
  if (tried) await capacity.keep(node, tried);
  if (!probed.error) await storageNodes.recordSuccess(db, node.id, now());
  const failing = Object.entries(probed.findings).filter(
    ([check, result]) => check !== "milliseconds" && check !== "freeAt" && !isFine(check, result),
  );
  if (failing.length) log.warn("storage node check due", { node: node.name, ...Object.fromEntries(failing) });
  return probed;
}

/** Probes every node but the embedded one, so that a first run need not load the S3 client before it is used. */
export async function testAll(options: Options): Promise<void> {
  const nodes = await storageNodes.list(options.db);
  const others = nodes.filter(({ name, state }) => state !== "down" && name !== "embedded");
  await Promise.all(others.map((node) => test(options, node, false)));
}

/** Probes the nodes whose pause or wait for space is over: those that work resume, the others wait on. */
export async function revive(options: Options): Promise<void> {
  const { db, log, now, capacity } = options;
  await capacity.retryDue();
  const resumable = (await storageNodes.list(db)).filter(
    (node) => node.state !== "down" && node.downUntil !== null && !storageNodes.isPaused(node, now()),
  );
  await Promise.all(
    resumable.map(async (node) => {
      const { error } = await test(options, node, false);
      if (error) await storageNodes.recordFailure(db, node.id, error, now());
      else log.info("storage node recovered", { node: node.name });
    }),
  );
}

/** @throws if there is none */
export async function findNode(db: Db, id: string): Promise<StorageNode> {
  const node = await storageNodes.find(db, id);
  if (!node) throw new Error(`There is no storage node ${id}`);
  return node;
}
