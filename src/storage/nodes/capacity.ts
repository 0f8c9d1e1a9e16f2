import type { Db } from "../../../db/engine/open";
import * as fullness from "../../../db/storage/fullness";
import * as storageNodes from "../../../db/storage/nodes";
import { described, type Log } from "../../telemetry/log";
import type { S3 } from "../s3/s3";
import { isRefused, mostTried, trial, type Trial } from "./trial";

type StorageNode = storageNodes.StorageNode;
type Options = {
  db: Db;
  log: Log;
  now: () => Date;
  deadline: number;
  reach: (node: StorageNode) => Promise<S3>;
};

const betweenTrials = 5 * 60_000; // milliseconds, for each node: doubts of clients cost 73 MiB at the most in that time
const betweenLooks = 10_000;

export type Room = ReturnType<typeof roomOfNodes>;

/**
 * Learns what room the nodes really have (P83, P84). Nobody is believed: a doubt, from whomever, leads to a look at the
 * server's own figures and to a trial.
 */
export function roomOfNodes({ db, log, now, deadline, reach }: Options) {
  const triedAt = new Map<string, number>();
  const lookedAt = new Map<string, number>();
  const isDue = (last: Map<string, number>, id: string, pause: number) =>
    Math.abs(now().getTime() - (last.get(id) ?? -Infinity)) >= pause;

  /** Reads the server's own figures, and has it prove what may be a quota that is turned off. */
  async function look({ id, endpoint }: Pick<StorageNode, "id" | "endpoint">, s3: S3): Promise<number | undefined> {
    lookedAt.set(id, now().getTime());
    const told = await s3.toldFree();
    const isTrue = told && (told.isCertain || (await isRefused(endpoint, s3, told.bytes + mostTried, deadline)));
    const bytes = isTrue ? told.bytes : undefined;
    await fullness.toldFree(db, id, bytes ?? null);
    return bytes;
  }

  async function keep(node: StorageNode, found: Trial): Promise<void> {
    const { taken, refused } = found;
    if (!refused) return;
    const { bytes, code } = refused;
    await fullness.refused(db, node.id, { bytes: taken && taken + 1, tried: bytes, because: code }, now());
    log.warn("storage node is full", { node: node.name, taken, refused: bytes, code });
  }

  async function examine(id: string, size: number): Promise<void> {
    const node = await storageNodes.find(db, id);
    if (!node || node.state === "down" || !isDue(triedAt, id, betweenTrials)) return;
    triedAt.set(id, now().getTime());
    const s3 = await reach(node);
    const told = await look(node, s3);
    if (told !== undefined && told < size) return; // it says so itself
    const found = await trial(node.endpoint, s3, size, deadline);
    if (found) await keep(node, found);
  }

  /** One that takes 64 MiB again, or more if more was refused, is not full any more. */
  async function retry(node: StorageNode): Promise<void> {
    const { id, name, refusedBytes, retryBytes } = node;
    triedAt.set(id, now().getTime());
    const s3 = await reach(node);
    await look(node, s3);
    const found = await trial(node.endpoint, s3, Math.max(mostTried, retryBytes ?? 0), deadline);
    const asBefore = { bytes: refusedBytes ?? 0, tried: retryBytes ?? mostTried, because: "" };
    if (!found) return fullness.refused(db, id, asBefore, now());
    if (found.refused) return keep(node, found);
    await fullness.hasRoom(db, id, now());
    log.info("storage node has room again", { node: name });
  }

  const doubts = new Set<Promise<void>>();
  const quietly = (work: Promise<void>) => work.catch((error: unknown) => log.warn("storage trial", described(error)));

  return {
    look,
    keep,
    /** Somebody says, or it looks as if, the node did not take so many bytes. Found out in the background. */
    doubt(id: string, size: number): void {
      const work: Promise<void> = quietly(examine(id, size)).finally(() => doubts.delete(work));
      doubts.add(work);
    },
    /** Resolves when no doubt is open. */
    settled: async (): Promise<void> => void (await Promise.all(doubts)),
    /** Tries the full nodes again whose time has come. */
    async retryDue(): Promise<void> {
      await Promise.all((await fullness.toRetry(db, now())).map((node) => quietly(retry(node))));
    },
    /** Before an upload is turned away for what nodes said of their room: they are asked again. False: none was. */
    async lookAgain(): Promise<boolean> {
      const doubtful = (await storageNodes.list(db)).filter(
        ({ id, state, toldFreeBytes }) =>
          state === "active" && toldFreeBytes !== null && isDue(lookedAt, id, betweenLooks),
      );
      await Promise.all(doubtful.map((node) => quietly(reach(node).then(async (s3) => void (await look(node, s3))))));
      return doubtful.length > 0;
    },
  };
}
