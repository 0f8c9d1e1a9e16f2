import type { Db } from "../../db/engine/open";
import * as files from "../../db/storage/files";
import type { StorageNode } from "../../db/storage/nodes";
import type * as reservations from "../../db/storage/reservations";
import type * as uploads from "../../db/storage/uploads";
import type { Config } from "../config";
import type { Log } from "../telemetry/log";
import { callFigures } from "../telemetry/storage-metrics";
import { type Embed, embedInDataDir } from "./nodes/configured";
import { follower } from "./uploads/poller";
import { fileLinks } from "./links";
import { connect, nodeAccess } from "./nodes/access";
import { nodeRegister } from "./nodes/nodes";
import { ownDisks } from "./nodes/own-disk";
import { roomOfNodes } from "./nodes/room";
import { finder } from "./uploads/lost";
import { partSizeFor, smallestPart } from "./uploads/plan";
import { purger } from "./uploads/purge";
import { type Repeated, repeatableReserve } from "./uploads/repeat";
import { type Grant, type NoRoom, reserver } from "./uploads/reserve";
import { resumption } from "./uploads/resume";
import type { At } from "./uploads/checkpoints";
import { sweeper } from "./uploads/sweeper";
import { nodeWatch } from "./nodes/watch";

type Options = {
  config: Config;
  db: Db;
  log: Log;
  now: () => Date;
  /** Starts the embedded node, when there is to be one. */
  embed?: Embed;
  /** Milliseconds that one call to a provider may take. */
  deadline?: number;
  /** Bytes of a part, for tests that do not want to send 64 MiB. */
  part?: number;
  /** Is told of every step of an upload, for tests that crash there. */
  at?: At;
};

/** What a client asks room for, and who asks. */
export type Wanted = Omit<reservations.NewUpload, "partSize"> & {
  /** It will come in parts: also to nodes that take less than its size in one PUT. */
  multipart?: boolean | undefined;
  /** A manager's. */
  asked?: uploads.Asked | undefined;
};

export type Storage = ReturnType<typeof openStorage>;

/**
 * Where uploads go. Nothing happens until it is started or first used: then the configured node is registered and, on
 * a first run without MINIO_*, the embedded node opens its port.
 */
export function openStorage(options: Options) {
  const { config, db, log, now, embed = embedInDataDir, deadline = 10_000, part = smallestPart } = options;
  const { at = () => {} } = options;
  const calls = callFigures();
  const ask = nodeAccess({ config, db, log, now, deadline, calls });
  const reach = (node: StorageNode) => connect(config, node, deadline, calls);
  const room = roomOfNodes({ db, log, now, deadline, reach });
  const disks = ownDisks({ db, now });
  const nodes = nodeRegister({ config, db, log, now, deadline, embed, calls, room, disks });
  const watch = nodeWatch(nodes, log);
  const following = follower({ db, log, now, ask, at, calls, doubt: room.doubt });
  const links = fileLinks({ config, db });
  const purge = purger({ db, log, now, ask });
  const { sweep, ...rounds } = sweeper({
    db,
    log,
    now,
    look: following.look,
    purge,
    findLost: finder({ db, log, now, ask }),
  });
  const partSize = (size: number) => partSizeFor(size, part);
  const planned = ({ multipart, ...file }: Omit<Wanted, "asked">): reservations.NewUpload => ({
    ...file,
    ...(multipart && { partSize: partSize(file.size) }),
  });
  const { doubt, lookAgain } = room;
  const resuming = resumption({ db, log, now, ask, at, reach, doubt, follower: following, partSizeFor: partSize });
  const test = (node: StorageNode) => nodes.test(node, false);
  const reserve = reserver({ db, now, ask, at, calls, test, lookAgain, disks });
  const repeat = repeatableReserve({ db, now, reserve, grantAgain: resuming.grantAgain });
  let opening: Promise<void> | undefined;

  /** Resolves when the nodes are registered. A failure is tried again by the next caller. */
  const ready = () =>
    (opening ??= nodes.open().catch((error) => {
      opening = undefined;
      throw error;
    }));

  return {
    nodes,
    calls,
    links,
    /** What the nodes really have room for. */
    room,
    sweep,
    ...resuming,
    /** Opens the nodes, tries them out in the background, and follows uploads from now on. */
    async start(): Promise<void> {
      await ready();
      rounds.start();
      watch.start();
    },
    /** @throws when the nodes that have room do not answer (D34) */
    async reserve({ asked, ...wanted }: Wanted): Promise<Grant | NoRoom> {
      await ready();
      return reserve(planned(wanted), asked);
    },
    /** The same, once for each Idempotency-Key: see `repeatableReserve`. */
    async reserveOnce({ asked: _, ...wanted }: Wanted, repeatable: uploads.Repeatable): Promise<Repeated> {
      await ready();
      return repeat(planned(wanted), repeatable);
    },
    /** A link to the file for an hour, under its own name. Undefined when it is not there. */
    async downloadUrl(id: string): Promise<string | undefined> {
      const file = await files.findStored(db, id);
      return file && links.download(file);
    },
    async close(): Promise<void> {
      watch.close();
      await rounds.close();
      await opening?.catch(() => undefined);
      await room.settled();
      await nodes.close();
    },
  };
}
