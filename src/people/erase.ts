import type { Db } from "../../db/engine/open";
import { scrub } from "../../db/ops/scrub";
import { checked, type erasePerson } from "../../db/people/erasures";
import { addressOf } from "../../db/people/address";

type Erased = Awaited<ReturnType<typeof erasePerson>>;

/**
 * Empties the log of the embedded database, looks for the address in what is left of the file, and notes how often it
 * was there. A file larger than `maxVacuumBytes` is not written anew. PostgreSQL cleans up in its own time.
 */
export async function checkFile(
  db: Db,
  { id, scope }: Erased,
  email: string,
  { maxVacuumBytes, now }: { maxVacuumBytes: number; now: () => Date },
): Promise<number | undefined> {
  if (!db.file) return;
  const isWhole = scope.includes("subscription") && scope.includes("messages"); // otherwise it is there, and should be
  const found = await scrub({ file: db.file, forms: isWhole ? addressOf(email).forms : [], maxVacuumBytes });
  const remnants = isWhole ? found : undefined;
  await checked(db, id, remnants, now());
  return remnants;
}
