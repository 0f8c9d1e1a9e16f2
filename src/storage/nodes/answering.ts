import type { Db } from "../../../db/engine/open";
import * as storageNodes from "../../../db/storage/nodes/nodes";

const avoidedForMs = 60_000; // as long as a pause

/** The nodes that have kept an upload waiting, and have not answered one since. */
export class SilentNodes {
  private readonly since = new Map<string, number>();
  private readonly timeouts = new Map<string, PromiseWithResolvers<void>>();

  constructor(private readonly now: () => Date) {}

  add(id: string): void {
    this.since.delete(id); // the newest is last
    this.since.set(id, this.now().getTime());
  }

  answered(id: string): void {
    this.since.delete(id);
    this.timeouts.delete(id);
  }

  /** An upload got no answer in time: those that wait for the same node need not do so for as long again. */
  timedOut(id: string): void {
    this.timeouts.get(id)?.resolve();
    this.timeouts.delete(id);
  }

  /** Resolves when the next upload gets no answer in time. */
  nextTimeout(id: string): Promise<void> {
    const next = this.timeouts.get(id) ?? Promise.withResolvers<void>();
    this.timeouts.set(id, next);
    return next.promise;
  }

  /**
   * Returns their IDs, the one that was silent first at the beginning. A minute later, they are used like any other.
   */
  list(): string[] {
    const now = this.now().getTime();
    for (const [id, at] of this.since) if (Math.abs(now - at) >= avoidedForMs) this.since.delete(id);
    return [...this.since.keys()];
  }
}

type StorageNode = storageNodes.StorageNode;
type Needs = { db: Db; now: () => Date; test: (node: StorageNode) => Promise<unknown> };

/**
 * Whether every node that takes uploads answers, so that what is known of its space is true (D34). One that failed last
 * time, or was never heard, is probed; one that is paused does not answer.
 */
export function answering({ db, now, test }: Needs): () => Promise<boolean> {
  const probes = new Map<string, Promise<boolean>>(); // requests at the same time share one
  const answers = async ({ id }: StorageNode) => {
    const node = await storageNodes.find(db, id);
    return node !== undefined && isHeard(node);
  };
  const probed = (node: StorageNode): Promise<boolean> => {
    const running =
      probes.get(node.id) ??
      test(node)
        .then(() => answers(node))
        .finally(() => probes.delete(node.id));
    probes.set(node.id, running);
    return running;
  };
  return async () => {
    const usable = (await storageNodes.list(db)).filter(({ state }) => state === "active");
    const heard = usable.map((node) => isHeard(node) || (!storageNodes.isPaused(node, now()) && probed(node)));
    return (await Promise.all(heard)).every(Boolean);
  };
}

const isHeard = ({ checkedAt, checkError, failures }: StorageNode) =>
  checkedAt !== null && checkError === null && failures === 0;
