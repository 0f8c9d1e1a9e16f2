import { isDatabaseFault } from "../../../db/engine/errors";
import type { Db } from "../../../db/engine/open";
import * as uploads from "../../../db/storage/uploads";
import { described, type Log } from "../../platform/log";
import { type Closed, closed } from "./part-urls";

/** The node does not respond as it should. The row stays, and trying again later is right. */
type Unavailable = { outcome: "unavailable" };

type Result<T> = T | Closed | Unavailable | undefined;

/**
 * Returns what `work` returns; that the upload has ended, if there is nothing open to work with; or that the node is
 * unavailable.
 */
export async function attempt<T>(
  { db, log }: { db: Db; log: Log },
  id: string,
  work: () => Promise<T | undefined>,
): Promise<Result<T>> {
  try {
    const done = await work();
    if (done !== undefined) return done;
  } catch (error) {
    unlessOurs(error);
    log.warn("upload error", { id, ...described(error) });
    return { outcome: "unavailable" };
  }
  const upload = await uploads.find(db, id);
  return upload && closed(upload);
}

/** Makes an unavailable node an outcome. @throws failures of our own database */
export function unlessOurs(error: unknown): undefined {
  if (isDatabaseFault(error)) throw error;
}
