import type { Actor } from "../../../db/audit";
import type { Db } from "../../../db/engine/open";
import { freeBytes } from "../../../db/storage/fullness";
import * as desk from "../../../db/storage/nodes-edit";
import * as storageNodes from "../../../db/storage/nodes";
import type { Config } from "../../config";
import type { Log } from "../../telemetry/log";
import type { Calls } from "../../telemetry/storage-metrics";
import type { Capability } from "./capabilities";
import { type Embed, embeddedNode, fromConfig, isReserved, type NodeKind, kindOf, maxPutBytesAt } from "./configured";
import type { EmbeddedNode } from "../embedded/node";
import { embeddedServer } from "../s3/disposition";
import type { Place } from "./fix";
import { meansFull } from "../s3/errors";
import { connect, seal } from "./access";
import type { S3 } from "../s3/s3";
import type { OwnDisks } from "./own-disk";
import type { Probed } from "./probe";
import type { Room } from "./room";
import type { Difference, Seen } from "./reconcile";

type StorageNode = storageNodes.StorageNode;
type Options = {
  config: Config;
  db: Db;
  log: Log;
  now: () => Date;
  deadline: number;
  embed: Embed;
  calls: Calls;
  room: Room;
  disks: OwnDisks;
};
type Keys = { accessKey: string; secretKey: string };
type Rest = Omit<storageNodes.NewNode, "accessKey" | "secret" | "maxPutBytes"> & {
  /** As a manager says; undefined: what is known of such servers. */
  maxPutBytes?: number | undefined;
};
export type NewNode = Rest & Keys;
/** Keys that are not given stay as they are. */
export type NodeChanges = Partial<Rest> & { [Key in keyof Keys]?: string | undefined };
/** What people may see of a node: everything but its keys. */
export type NodeView = Omit<StorageNode, "accessKey" | "secret"> & {
  kind: NodeKind;
  /** Bytes that one PUT may carry, by all that is known. */
  largestPut: number;
  /** Bytes that uploads may still fill, by all that is known. */
  freeBytes: number;
};

/** A node whose findings are explained. */
export type Tested = Place & Pick<NodeView, "probe">;

/** The storage nodes: those of the configuration, and those a manager adds. */
export function nodeRegister({ config, db, log, now, deadline, embed, calls, room, disks }: Options) {
  const origins = [...new Set([config.BASE_URL, config.BLOG_URL].map((url) => new URL(url).origin))];
  const view = ({ accessKey: _, secret: __, ...node }: StorageNode): NodeView => ({
    ...node,
    kind: kindOf(config, node.name),
    largestPut: storageNodes.maxPutOf(node),
    freeBytes: freeBytes(node),
  });
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
    const used = (await storageNodes.byName(db, "embedded"))?.usedBytes ?? 0;
    const node = await storageNodes.register(db, embeddedNode(config, embedded, used));
    await storageNodes.probed(db, node.id, { signedLength: true, server: embeddedServer }, now()); // our own tests say so
    log.info("embedded storage", { endpoint: node.endpoint, capacity: node.capacityBytes });
  }

  /** Tries a node out, whether it is added yet or not. @param isAsked somebody waits for it: with 8 MiB */
  async function examine(node: Parameters<typeof connect>[1] & { id?: string }, isAsked: boolean) {
    const s3 = await connect(config, node, deadline, calls).catch(() => undefined);
    if (!s3) return { found: unreadable };
    const { probe } = await import("./probe");
    const { id } = node;
    const confirmDisk = id === undefined ? undefined : (s3: S3) => disks.confirm({ id }, s3);
    const found = await probe(node.endpoint, s3, { origins, deadline, ...(confirmDisk && { confirmDisk }) });
    const { trial } = await import("./trial");
    const tried = isAsked && !found.error ? await trial(node.endpoint, s3, asked, deadline) : undefined;
    if (tried) found.findings.room = tried.refused?.code ?? "ok";
    return { s3, found, tried };
  }

  /** Tries the node out and keeps the result. One that rested and works is in use again. */
  async function test({ id }: Pick<StorageNode, "id">, isAsked = true): Promise<Probed> {
    const node = await known(id);
    const { s3, found, tried } = await examine(node, isAsked);
    const { isFine } = await import("./probe");
    const before = node.probe?.room; // costs too much to be found out every few minutes
    if (before && (node.fullSince || before === "ok")) found.findings.room ??= before;
    const because = found.error?.split(" ").at(-1) ?? "";
    const isFull = meansFull(because); // it answers, so it is not offline
    await storageNodes.probed(db, node.id, { ...found, ...(isFull && { error: undefined }) }, now());
    if (s3) await room.look(node, s3);
    if (isFull) await room.keep(node, { taken: 0, refused: { bytes: 5, code: because } });
    if (tried) await room.keep(node, tried);
    if (!found.error) await storageNodes.recovered(db, node.id, now());
    const wrong = Object.entries(found.findings).filter(
      ([check, result]) => check !== "milliseconds" && !isFine(check, result),
    );
    if (wrong.length) log.warn("storage node wants a look", { node: node.name, ...Object.fromEntries(wrong) });
    return found;
  }

  /** @throws when there is none */
  async function known(id: string): Promise<StorageNode> {
    const node = await storageNodes.find(db, id);
    if (!node) throw new Error(`There is no storage node ${id}`);
    return node;
  }

  return {
    open,
    test,
    /** Tries out every node but the embedded one: a first run need not load the client before it is used. */
    testAll: async () => {
      const nodes = (await storageNodes.list(db)).filter(({ name, state }) => state !== "down" && name !== "embedded");
      await Promise.all(nodes.map((node) => test(node, false)));
    },
    /** Tries out the nodes that have rested, or were full, long enough: those that work are back, the others wait on. */
    async revive(): Promise<void> {
      await room.retryDue();
      const rested = (await storageNodes.list(db)).filter(
        (node) => node.state !== "down" && node.downUntil !== null && !storageNodes.isResting(node, now()),
      );
      await Promise.all(
        rested.map(async (node) => {
          const { error } = await test(node, false);
          if (error) await storageNodes.failed(db, node.id, error, now());
          else log.info("storage node is back", { node: node.name });
        }),
      );
    },
    list: async (): Promise<NodeView[]> => (await storageNodes.list(db)).map(view),
    /** By id, or by name. */
    async find(idOrName: string): Promise<NodeView | undefined> {
      const node = (await storageNodes.find(db, idOrName)) ?? (await storageNodes.byName(db, idOrName));
      return node && view(node);
    },
    /** Tries out a node that is not added yet. */
    tryOut: async ({ secretKey, ...node }: NewNode): Promise<Probed> =>
      (await examine({ ...node, secret: seal(config, secretKey), usedBytes: 0 }, true)).found,
    /**
     * Undefined when the name is taken, or kept for the configuration.
     *
     * @param found what `tryOut` found
     */
    async add({ secretKey, maxPutBytes, ...node }: NewNode, by: Actor, found?: Probed): Promise<NodeView | undefined> {
      if (isReserved(node.name)) return;
      const most = maxPutBytes ?? maxPutBytesAt(node.endpoint);
      const sealed = { ...node, secret: seal(config, secretKey), maxPutBytes: most };
      const added = await desk.add(db, sealed, by, now());
      if (added && found) await storageNodes.probed(db, added.id, found, now());
      return added && view(added);
    },
    /** For nodes that a manager added: the configuration is stronger than what is edited here. */
    async edit(
      id: string,
      { accessKey, secretKey, maxPutBytes, ...changes }: NodeChanges,
      by: Actor,
    ): Promise<desk.Edited> {
      if (changes.name && isReserved(changes.name) && changes.name !== (await storageNodes.find(db, id))?.name)
        return { outcome: "taken" };
      const most = maxPutBytes ?? (changes.endpoint && maxPutBytesAt(changes.endpoint));
      const whole = {
        ...changes,
        ...(most && { maxPutBytes: most }),
        ...(accessKey && { accessKey }),
        ...(secretKey && { secret: seal(config, secretKey) }),
      };
      return desk.edit(db, id, whole, by, now());
    },
    /** What the last probe found, and how to put right what is wrong. */
    capabilities: async (node: Tested): Promise<Capability[]> =>
      (await import("./capabilities")).capabilitiesOf(node, origins),
    /** What the database and the node do not agree on; see `reconcile`. @throws when the node is in trouble */
    async *differences(id: string, seen: Seen, by: Actor, yesLost?: number): AsyncGenerator<Difference> {
      const node = await known(id);
      const { differences } = await import("./reconcile");
      yield* differences({ db, node, s3: await connect(config, node, deadline, calls), by, now, yesLost }, seen);
    },
    close: async () => embedded?.close(),
  };
}

const asked = 8 * 2 ** 20; // bytes that are sent when somebody wants to know

/** The node's secret was sealed with another APP_SECRET. */
const unreadable: Probed = { findings: { bucket: "SecretUnreadable" }, error: "bucket: SecretUnreadable" };
