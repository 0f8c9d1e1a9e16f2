import type { Db } from "../../db";
import * as storageNodes from "../../db/storage-nodes";
import * as uploads from "../../db/uploads";
import type { Config } from "../config";
import type { Log } from "../log";
import { follower } from "./follow";
import { connect, nodeAccess } from "./node-access";
import { type Embed, embedInDataDir, nodeRegister } from "./nodes";
import { type Grant, reserve } from "./reserve";
import { sweeper } from "./sweeper";

type Options = {
  config: Config;
  db: Db;
  log: Log;
  now: () => Date;
  /** Starts the embedded node, when there is to be one. */
  embed?: Embed;
  /** Milliseconds that one call to a provider may take. */
  deadline?: number;
};

export type Storage = ReturnType<typeof openStorage>;

/**
 * Where uploads go. Nothing happens until it is started or first used: then the configured node is registered and, on
 * a first run without MINIO_*, the embedded node opens its port.
 */
export function openStorage({ config, db, log, now, embed = embedInDataDir, deadline = 10_000 }: Options) {
  const ask = nodeAccess({ config, db, log, now, deadline });
  const nodes = nodeRegister({ config, db, log, now, deadline, embed });
  const { look, progress } = follower({ db, log, now, ask });
  const { sweep, ...rounds } = sweeper({ db, log, now, look });
  let opening: Promise<void> | undefined;

  /** Resolves when the nodes are registered. A failure is tried again by the next caller. */
  const ready = () =>
    (opening ??= nodes.open().catch((error) => {
      opening = undefined;
      throw error;
    }));

  return {
    nodes,
    progress,
    sweep,
    /** Opens the nodes, tries them out in the background, and follows uploads from now on. */
    async start(): Promise<void> {
      await ready();
      rounds.start();
      void nodes.testAll();
    },
    /** "full" when no node has room. @throws when the nodes that have it do not answer (D34) */
    async reserve(input: uploads.NewUpload): Promise<Grant | "full"> {
      await ready();
      return reserve({ db, now, ask }, input);
    },
    /** A link to the file for an hour, under its own name. Undefined when it is not there. */
    async downloadUrl(id: string): Promise<string | undefined> {
      const upload = await uploads.find(db, id);
      const node = upload?.state === "completed" && (await storageNodes.find(db, upload.nodeId));
      if (!node) return undefined;
      return (await connect(config, node, deadline)).downloadUrl(upload.objectKey, upload.filename);
    },
    async close(): Promise<void> {
      await rounds.close();
      await opening?.catch(() => undefined);
      await nodes.close();
    },
  };
}
