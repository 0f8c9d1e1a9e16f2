import { isDatabaseFault } from "../../../db/engine/errors";
import type { Db } from "../../../db/engine/open";
import * as uploads from "../../../db/storage/uploads";
import { described, type Log } from "../../telemetry/log";
import { type Closed, closed } from "./part-urls";

/** The provider does not answer as it should; the row stays, and asking again later is right. */
type Unavailable = { outcome: "unavailable" };

type Result<T> = T | Closed | Unavailable | undefined;

/** What `work` finds; that the upload is over when there is nothing open to work with; or that the provider is unavailable. */
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

/** An unavailable provider is an outcome. @throws what is wrong with our database, which is not */
export function unlessOurs(error: unknown): undefined {
  if (isDatabaseFault(error)) throw error;
}
