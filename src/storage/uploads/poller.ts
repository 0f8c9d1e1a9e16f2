import { isSettled } from "../../../db/storage/rules";
import type { Db } from "../../../db/engine/open";
import * as storageNodes from "../../../db/storage/nodes";
import * as uploads from "../../../db/storage/uploads";
import type { Log } from "../../telemetry/log";
import type { Calls } from "../../telemetry/storage-metrics";
import { inTurn } from "../in-turn";
import { endings } from "./finalize";
import type { Ask } from "../nodes/access";
import type { Room } from "../nodes/room";
import { bytesOf, isWhole } from "./plan";
import type { Part } from "../s3/list-parts";
import type { S3 } from "../s3/s3";
import type { At } from "./checkpoints";

type Upload = uploads.Upload;
type StorageNode = storageNodes.StorageNode;
type Options = { db: Db; log: Log; now: () => Date; ask: Ask; at: At; calls: Calls; doubt: Room["doubt"] };

/** What the last look saw, and since when everything is there. */
type Seen = { at: number; parts: Part[]; wholeSince?: number | undefined };
/** An upload that is not over, on a node of ours. */
export type Open = { upload: Upload; node: StorageNode };

const second = 1_000;
const settling = 3 * second;

export type Follower = ReturnType<typeof follower>;

/**
 * Follows uploads to their end. Providers tell nobody that a part has arrived, so somebody has to look. Whatever is
 * done with an upload is done one at a time; other processes are kept out by the states of its row.
 */
export function follower({ db, log, now, ask, at, calls, doubt }: Options) {
  const seen = new Map<string, Seen>();
  const forgetParts = (id: string): void => void seen.delete(id);
  const { complete, giveUp, letGo, conclude } = endings({ db, log, now, at, calls, ended: forgetParts });
  const looking = new Map<string, Promise<void>>();
  const alone = inTurn();
  const later = (milliseconds: number) => new Date(now().getTime() + milliseconds);

  /** Does `work` with the upload as it is when its turn comes. Undefined when it is over, or was never there. */
  const withOpen = <T>(id: string, work: (open: Open) => Promise<T>): Promise<T | undefined> =>
    alone(id, async () => {
      const upload = await uploads.find(db, id);
      const node = upload && !isOver(upload) && (await storageNodes.find(db, upload.nodeId));
      if (!node) return void seen.delete(id);
      return work({ upload, node });
    });

  /** A look at the provider; whoever comes while one runs gets that one. @throws when the provider is in trouble */
  function look(id: string): Promise<void> {
    const running = looking.get(id) ?? withOpen(id, see).finally(() => looking.delete(id));
    looking.set(id, running);
    return running;
  }

  /** `isAsked`: the client says that it is done, so nothing is waited for. */
  async function see({ upload, node }: Open, isAsked = false): Promise<void> {
    if (upload.state === "pending" && now() < upload.nextCheckAt) return; // somebody is about to open it
    seen.set(upload.id, { parts: [], ...seen.get(upload.id), at: now().getTime() });
    await uploads.postpone(db, upload.id, later(pause(upload, now())));
    await ask(node, (s3) => (isGivenUp(upload) ? letGo(upload, s3) : advance(upload, node, s3, isAsked)));
  }

  /** An upload that the provider knows, or knew. */
  async function advance(upload: Upload, node: StorageNode, s3: S3, isAsked: boolean): Promise<void> {
    const { id, objectKey, providerUploadId, size } = upload;
    const parts = await s3.listParts(objectKey, providerUploadId ?? "");
    if (!parts) return conclude(upload, s3);

    const since = isWhole(upload, parts) ? Math.min(seen.get(id)?.wholeSince ?? Infinity, now().getTime()) : undefined;
    seen.set(id, { at: now().getTime(), parts, wholeSince: since });
    const received = bytesOf(parts);
    const holdUntil = await uploads.progressed(db, upload, received, node, now());
    if (received > size) return giveUp(upload, s3, "larger than reserved");
    if (since === undefined) {
      if (now() < holdUntil) return;
      if (size > 0 && received === 0) doubt(node.id, size); // perhaps the node did not take it
      return giveUp(upload, s3, "expired");
    }
    // Not at once: a client that lost the answer to its PUT may repeat it, and is to get a 200 again.
    const wait = since + settling - now().getTime();
    if (isAsked || wait <= 0 || upload.state === "completing") return complete(upload, s3, parts);
    await uploads.postpone(db, id, later(wait));
  }

  return {
    look,
    see,
    withOpen,
    /** The parts that the last look saw. */
    partsOf: (id: string): Part[] => seen.get(id)?.parts ?? [],
    /** Another upload has begun under this reservation. */
    forgetParts,
    /** A look, unless there was one within the last second. */
    lookNow: async (id: string): Promise<void> => {
      const before = seen.get(id);
      if (!before || Math.abs(now().getTime() - before.at) >= second) await look(id);
    },
  };
}

export const isOver = ({ state }: Pick<Upload, "state">) => isSettled(state);

const isGivenUp = ({ state }: Upload) => state === "pending" || state === "aborting";

/** Half as long again as the upload is old: from every second at first to once a minute. */
const pause = ({ createdAt }: Upload, now: Date) =>
  Math.min(60 * second, Math.max(second, (now.getTime() - createdAt.getTime()) / 2));
