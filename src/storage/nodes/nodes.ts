import type { Actor } from "../../../db/audit";
import { freeBytes } from "../../../db/storage/nodes/capacity";
import * as nodeEdits from "../../../db/storage/nodes/edit";
import * as storageNodes from "../../../db/storage/nodes/nodes";
import type { Capability } from "./capabilities";
import { type Embed, embeddedNode, fromConfig, isReserved, kindOf, maxPutBytesAt, type NodeKind } from "./configured";
import type { EmbeddedNode } from "../embedded/node";
import { embeddedServer } from "../s3/disposition";
import type { Place } from "./fixes";
import { connect, seal } from "./access";
import { examine, findNode, type Options as TestOptions, originsOf, revive, test, testAll } from "./node-test";
import type { Probed } from "./probe";
import type { Difference, Seen } from "./reconcile";
import { Background } from "../../../db/async/background";
import { underLease } from "../../../db/ops/leases";
import { described, type Log } from "../../platform/log";

type StorageNode = storageNodes.StorageNode;
type Options = TestOptions & { embed: Embed };
type Keys = { accessKey: string; secretKey: string };
type Rest = Omit<storageNodes.NewNode, "accessKey" | "secret" | "maxPutBytes"> & {
  /** As set by a manager; undefined: what is known about such servers. */
  maxPutBytes?: number | undefined;
};
export type NewNode = Rest & Keys;
/** Keys that are not given stay as they are. */
type NodeChanges = Partial<Rest> & { [Key in keyof Keys]?: string | undefined };
/** What people may see of a node: everything except its keys. */
export type NodeView = Omit<StorageNode, "accessKey" | "secret"> & {
  kind: NodeKind;
  /** The largest PUT it accepts, as far as is known. */
  largestPut: number;
  /** Bytes that uploads may still use, as far as is known. */
  freeBytes: number;
};

/** A node whose findings can be explained. */
type Tested = Place & Pick<NodeView, "probe">;

/** The storage nodes: those in the configuration, and those that managers add. */
export class NodeRegister {
  private embedded: EmbeddedNode | undefined;

  constructor(private readonly options: Options) {}

  /** Registers the configured node: the one of MINIO_*, or else, outside production, the embedded one. */
  async open(): Promise<void> {
    const { config, db, log } = this.options;
    if (config.MINIO_ENDPOINT || !config.mayEmbedStorage) await storageNodes.retire(db, "embedded");
    else await this.openEmbedded();
    if (config.MINIO_ENDPOINT) await storageNodes.register(db, fromConfig(config, config.MINIO_ENDPOINT));
    for (const difference of await storageNodes.imbalances(db)) log.error("storage usage differs", difference);
  }

  private async openEmbedded(): Promise<void> {
    const { config, db, embed, log, now } = this.options;
    this.embedded = await embed(config, log);
    const used = (await storageNodes.byName(db, "embedded"))?.usedBytes ?? 0;
    const node = await storageNodes.register(db, embeddedNode(config, this.embedded, used));
    await storageNodes.saveProbe(db, node.id, { signedLength: true, server: embeddedServer }, now()); // as our own tests show
    log.info("embedded storage", { endpoint: node.endpoint, capacity: node.capacityBytes });
  }

  /** Probes the node and stores the result. If it was paused and works, it resumes. */
  test(node: Pick<StorageNode, "id">, isAsked = true): Promise<Probed> {
    return test(this.options, node, isAsked);
  }

  testAll(): Promise<void> {
    return testAll(this.options);
  }

  revive(): Promise<void> {
    return revive(this.options);
  }

  async list(): Promise<NodeView[]> {
    return (await storageNodes.list(this.options.db)).map((node) => this.view(node));
  }

  /** By ID or by name. */
  async find(idOrName: string): Promise<NodeView | undefined> {
    const { db } = this.options;
    const node = (await storageNodes.find(db, idOrName)) ?? (await storageNodes.byName(db, idOrName));
    return node && this.view(node);
  }

  /** Probes a node that has not been added yet. */
  async tryOut({ secretKey, ...node }: NewNode): Promise<Probed> {
    const sealed = { ...node, secret: seal(this.options.config, secretKey), usedBytes: 0 };
    return (await examine(this.options, sealed, true)).probed;
  }

  /**
   * Returns undefined if the name is taken, or reserved for the configuration.
   *
   * @param probed what `tryOut` found
   */
  async add({ secretKey, maxPutBytes, ...node }: NewNode, by: Actor, probed?: Probed): Promise<NodeView | undefined> {
    const { capacity, config, db, now } = this.options;
    if (isReserved(node.name)) return;
    const limit = maxPutBytes ?? maxPutBytesAt(node.endpoint);
    const sealed = { ...node, secret: seal(config, secretKey), maxPutBytes: limit };
    const added = await nodeEdits.add(db, sealed, by, now());
    if (!added || !probed) return added && this.view(added);
    const free = probed.error ? undefined : await capacity.lookAt(added).catch(() => undefined);
    const findings = { ...probed.findings, ...(free !== undefined && { freeAt: now().toISOString() }) };
    await storageNodes.saveProbe(db, added.id, { ...probed, findings }, now());
    return this.find(added.id);
  }

  /** For nodes that a manager added: the configuration would override edits of the others. */
  async edit(
    id: string,
    { accessKey, secretKey, maxPutBytes, ...changes }: NodeChanges,
    by: Actor,
  ): Promise<nodeEdits.EditResult> {
    const { config, db, now } = this.options;
    if (changes.name && isReserved(changes.name) && changes.name !== (await storageNodes.find(db, id))?.name)
      return { outcome: "taken" };
    const limit = maxPutBytes ?? (changes.endpoint && maxPutBytesAt(changes.endpoint));
    const sealed = {
      ...changes,
      ...(limit && { maxPutBytes: limit }),
      ...(accessKey && { accessKey }),
      ...(secretKey && { secret: seal(config, secretKey) }),
    };
    return nodeEdits.edit(db, { id, changes: sealed }, by, now());
  }

  /** What the last probe found, and how to fix what is wrong. */
  async capabilities(node: Tested): Promise<Capability[]> {
    return (await import("./capabilities")).capabilitiesOf(node, originsOf(this.options.config));
  }

  /** The differences between the database and the node; see `reconcile`. @throws if the node fails */
  async *differences(id: string, seen: Seen, by: Actor, yesLost?: number): AsyncGenerator<Difference> {
    const { config, db, now, deadline, calls } = this.options;
    const node = await findNode(db, id);
    const { differences } = await import("./reconcile");
    yield* differences({ db, node, s3: await connect(config, node, deadline, calls), by, now, yesLost }, seen);
  }

  async close(): Promise<void> {
    await this.embedded?.close();
  }

  private view({ accessKey: _, secret: __, ...node }: StorageNode): NodeView {
    return {
      ...node,
      kind: kindOf(this.options.config, node.name),
      largestPut: storageNodes.maxPutOf(node),
      freeBytes: freeBytes(node),
    };
  }
}

type Nodes = { testAll(): Promise<void>; revive(): Promise<void> };

const reviveEveryMs = 5_000;
const testEveryMs = 5 * 60_000;

/**
 * Watches the nodes in the background: resumes paused ones, and probes each from time to time.
 *
 * @param mayWork whether this process is the one that does it
 */
export function nodeWatch(nodes: Nodes, log: Log, mayWork: () => Promise<boolean>) {
  const background = new Background((error) => log.error("storage probe", described(error)));
  const testAll = () => underLease(mayWork, () => nodes.testAll());

  return {
    start(): void {
      background.run(testAll);
      background.every(reviveEveryMs, () => underLease(mayWork, () => nodes.revive()));
      background.every(testEveryMs, testAll);
    },
    /** Does not wait for long: a probe may be waiting for an unresponsive node. */
    close: () => background.close(),
  };
}
