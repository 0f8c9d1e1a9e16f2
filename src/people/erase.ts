import type { Db } from "../../db/engine/open";
import { scrub } from "../../db/ops/scrub";
import { checked, type erasePerson } from "../../db/people/erasures";
import { addressOf } from "../../db/people/address";

type Erased = Awaited<ReturnType<typeof erasePerson>>;

/**
 * Empties the log of the embedded database, searches the rest of the file for the address, and records how often it was
 * found. A file larger than `maxVacuumBytes` is not rewritten. PostgreSQL cleans up in its own time.
 */
export async function checkFile(
  db: Db,
  { id, scope }: Erased,
  email: string,
  { maxVacuumBytes, now }: { maxVacuumBytes: number; now: () => Date },
): Promise<number | undefined> {
  if (!db.file) return;
  const isWhole = scope.includes("subscription") && scope.includes("messages"); // otherwise it is still there, and should be
  const found = await scrub({ file: db.file, forms: isWhole ? addressOf(email).forms : [], maxVacuumBytes });
  const remnants = isWhole ? found : undefined;
  await checked(db, id, remnants, now());
  return remnants;
}
