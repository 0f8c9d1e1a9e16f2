import type { ActorWithDetails } from "../../db/audit";
import type { Db } from "../../db/engine/open";
import * as files from "../../db/storage/files";
import type { StorageNode } from "../../db/storage/nodes/nodes";
import type { Repeatable } from "../../db/storage/repeated";
import type * as reservations from "../../db/storage/reservations";
import type { Config } from "../platform/config";
import { callMetrics } from "../telemetry/storage-metrics";
import { type Embed, embedInDataDir } from "./nodes/configured";
import { Poller } from "./uploads/poller";
import { fileLinks } from "./links";
import { connect, nodeAccess } from "./nodes/access";
import { NodeRegister, nodeWatch } from "./nodes/nodes";
import { ownDisks } from "./nodes/own-disk";
import { CapacityMonitor } from "./nodes/capacity";
import { finder, purger, sweeper } from "./uploads/sweeper";
import { type At, type Grant, type NoSpace, partSizeFor, smallestPart } from "./uploads/plan";
import { nameOf, type Wanted as WantedPicture } from "./pictures/formats";
import { PictureSizes } from "./pictures/sizes";
import type { Log } from "../platform/log";
import { repeatableReserve, type Repeated, Reserver } from "./uploads/reserve";
import { resumption } from "./uploads/resume";
import { lease } from "../../db/ops/leases";

type Options = {
  config: Config;
  db: Db;
  log: Log;
  now: () => Date;
  /** Starts the embedded node, if there should be one. */
  embed?: Embed;
  /** Milliseconds that one call to a node may take. */
  deadline?: number;
  /** Milliseconds after which another node opens an upload instead, if one can, or a picture is shown as it came. */
  patience?: number;
  /** Bytes of a part, for tests that should not send 64 MiB. */
  part?: number;
  /** Leaves a bucket’s rule for pages as it is, for commands. */
  keepsRule?: boolean;
  /** Called at every step of an upload, for tests that crash there. */
  at?: At;
};

/** What a client wants to upload, and who asks. */
type Wanted = Omit<reservations.NewUpload, "partSize"> & {
  /** The client can upload in parts, so nodes that accept less in one PUT are possible too. */
  multipart?: boolean | undefined;
  /** The manager named in the audit log (D40). */
  by?: ActorWithDetails | undefined;
};

export type Storage = ReturnType<typeof openStorage>;

/**
 * Reserves, completes and links to uploads. Nothing happens until it is started or first used: then the configured node
 * is registered and, on a first run without MINIO_*, the embedded node opens its port.
 */
export function openStorage(options: Options) {
  const mayWork = lease(options.db, "storage", options.now);
  const { calls, capacity, links, nodes, pictures, repeat, reserver, resuming, sweep, rounds, planned } = assemble(
    options,
    mayWork,
  );
  const watch = nodeWatch(nodes, options.log, mayWork);
  const ready = openOnce(nodes);

  return {
    nodes,
    calls,
    links,
    /** The nodes' actual free space. */
    capacity,
    sweep,
    ...picturesBehind({ links, pictures }),
    ...resuming,
    /** Opens the nodes, probes them in the background, and polls uploads from now on. */
    async start(): Promise<void> {
      await ready();
      rounds.start();
      watch.start();
      pictures.start(mayWork);
    },
    /** @throws if the nodes that have space do not respond (D34) */
    async reserve({ by, ...wanted }: Wanted): Promise<Grant | NoSpace> {
      await ready();
      return reserver.reserve(planned(wanted), { by });
    },
    /** The same, once per Idempotency-Key: see `repeatableReserve`. */
    async reserveOnce({ by, ...wanted }: Wanted, repeatable: Repeatable): Promise<Repeated> {
      await ready();
      return repeat(planned(wanted), repeatable, by);
    },
    /** Returns a link to the file for an hour, under its own name. Undefined if the file does not exist. */
    async downloadUrl(id: string): Promise<string | undefined> {
      const file = await files.findStored(options.db, id);
      return file && links.download(file);
    },
    /** Does not wait for long: a probe, trial or check may be waiting for an unresponsive node. */
    async close(): Promise<void> {
      await Promise.all([watch.close(), rounds.close(), capacity.close(), pictures.close()]);
      await ready.settled();
      await nodes.close();
    },
  };
}

type Pictures = Pick<ReturnType<typeof assemble>, "links" | "pictures">;

const picturesBehind = ({ links, pictures }: Pictures) => ({
  /** Reads what the pictures are that have been uploaded. */
  readPictures: () => pictures.readDue(),
  /** Returns the part of a picture that stands out from a colour, 0 to 1. Undefined if that cannot be known now. */
  standingOut: (file: files.StoredFile, ground: string) => pictures.standingOut(file, ground),
  /** Returns a link to a size of a picture, made now if need be. Undefined: only the file as it came. */
  async pictureUrl(file: files.StoredFile, wanted: WantedPicture): Promise<string | undefined> {
    const made = await pictures.find(file, wanted);
    if (!made) return undefined;
    const { key: objectKey, size } = made;
    return links.media(file, { objectKey, filename: nameOf(file, size), mimeType: `image/${size.format}` });
  },
  /** Returns such a size itself, for pages that load nothing from a node. Undefined: there is none of so few bytes. */
  async readPicture(file: files.StoredFile, wanted: WantedPicture, maxBytes: number) {
    const made = await pictures.find(file, wanted);
    const bytes = made && (await links.read({ ...file, objectKey: made.key }, maxBytes));
    return bytes && { bytes, mimeType: `image/${made.size.format}` };
  },
});

/** Puts together everything that works on nodes and uploads. */
function assemble({ config, db, log, now, at = () => {}, ...options }: Options, mayWork: () => Promise<boolean>) {
  const {
    embed = embedInDataDir,
    keepsRule,
    deadline = 10_000,
    part = smallestPart,
    patience = deadline / 5,
  } = options;
  const calls = callMetrics();
  const callNode = nodeAccess({ config, db, log, now, deadline, calls });
  const reach = (node: StorageNode) => connect(config, node, deadline, calls);
  const partSize = (size: number) => partSizeFor(size, part);
  const capacity = new CapacityMonitor({ db, log, now, deadline, reach });
  const doubt = (id: string, size: number) => capacity.doubt(id, size);
  const disks = ownDisks({ db, now });
  const nodes = new NodeRegister({ config, db, log, now, deadline, embed, calls, capacity, disks, keepsRule });
  const test = (node: StorageNode) => nodes.test(node, false);
  const poller = new Poller({ db, log, now, callNode, at, calls, doubt, test });
  const { sweep, ...rounds } = sweeper({
    db,
    log,
    now,
    mayWork,
    look: (id) => poller.look(id),
    purge: purger({ db, log, now, callNode }),
    findLost: finder({ db, log, now, callNode }),
  });
  const resuming = resumption({ db, log, now, callNode, at, reach, doubt, poller, partSizeFor: partSize });
  const reserver = new Reserver({
    db,
    now,
    callNode,
    at,
    calls,
    disks,
    patience,
    test,
    lookAgain: () => capacity.lookAgain(),
  });
  const repeat = repeatableReserve({ reserver, grantAgain: resuming.grantAgain });
  const planned = ({ multipart, ...file }: Omit<Wanted, "by">): reservations.NewUpload => ({
    ...file,
    ...(multipart && { partSize: partSize(file.size) }),
  });
  const links = fileLinks({ config, db });
  const pictures = new PictureSizes({ db, log, now, callNode, patience });
  return { calls, capacity, links, nodes, pictures, planned, repeat, reserver, resuming, rounds, sweep };
}

/** Opens the nodes for the first caller. After a failure, the next caller tries again. */
function openOnce(nodes: NodeRegister) {
  let opening: Promise<void> | undefined;
  const ready = () =>
    (opening ??= nodes.open().catch((error) => {
      opening = undefined;
      throw error;
    }));
  /** Resolves when the nodes are not being opened, whether or not they are open. */
  const settled = async () => void (await opening?.catch(() => undefined));
  return Object.assign(ready, { settled });
}
