/**
 * `bun test/e2e/storage/reserve-many.ts <database> <count>`: one of several processes that reserve space
 * simultaneously. Prints what it got.
 */
import { openDb } from "../../../db/open";
import * as reservations from "../../../db/storage/reservations";

/** Bytes of the nth file: of all sizes up to a thousand. */
const sizeOf = (n: number) => 1 + ((n * 7_919) % 1_000);

const [file = "", count = "0"] = Bun.argv.slice(2);
const db = await openDb(file);
const got: Record<reservations.Reserved["outcome"], number> = {
  reserved: 0,
  full: 0,
  "parts-only": 0,
  paused: 0,
  unreachable: 0,
  repeated: 0,
  conflict: 0,
};
const numbers = Array.from({ length: Number(count) }, (_, n) => n);

async function lane(): Promise<void> {
  for (let n = numbers.pop(); n !== undefined; n = numbers.pop()) {
    const input = { filename: `${n}.bin`, mimeType: "a/b", folderPath: `team/${n % 20}`, size: sizeOf(n) };
    const taken = await reservations.reserve(db, input, { tried: [] }, new Date()).catch(orBusy);
    if (taken) got[taken.outcome]++;
    else numbers.push(n);
  }
}
/** Three seconds were not enough to get the lock, which happens on a busy machine. */
function orBusy(error: unknown): undefined {
  if ((error as { code?: string }).code !== "SQLITE_BUSY") throw error;
}

await Promise.all([lane(), lane(), lane(), lane()]);
console.log(JSON.stringify(got));
await db.close();
