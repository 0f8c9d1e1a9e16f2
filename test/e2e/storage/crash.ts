/**
 * A service that uploads a file and dies in between: `bun test/e2e/storage/crash.ts <database> <how> <step> <time>`,
 * with APP_SECRET and MINIO_* in the environment. It kills itself with SIGKILL at that step, the first or a later time.
 */
import { openDb } from "../../../db/open";
import { loadConfig } from "../../../src/platform/config";
import { createLog } from "../../../src/platform/log";
import { openStorage } from "../../../src/storage";
import type { Step } from "../../../src/storage/uploads/plan";
import { smallPart } from "../../support/storage/storage";

/** A single PUT, a conversion to multipart, or an abort. */
export type How = "put" | "parts" | "abort";

/** Larger than a part: two of them. */
export const size = smallPart + 1_000;

async function upload(location: string, how: How, step: Step, time: number): Promise<void> {
  let times = 0;
  const at = (reached: Step) => {
    if (reached === step && ++times === time) process.kill(process.pid, "SIGKILL");
  };
  const config = loadConfig();
  const db = await openDb(location);
  const options = { config, db, log: createLog("silent"), now: () => new Date(), part: smallPart };
  const storage = openStorage({ ...options, at });

  const grant = await storage.reserve({ filename: "a", mimeType: "text/plain", size, folderPath: "" });
  if (typeof grant === "string") throw new Error("There is no room");
  const id = grant._meta.reservationId;
  const send = (url: string, length: number) => fetch(url, { method: "PUT", body: new Uint8Array(length) });
  if (how === "abort") return void (await storage.abort(id));
  if (how === "put") await send(grant.uploadUrl, size);
  else {
    const signed = await storage.partUrls(id, () => true);
    if (signed?.outcome !== "signed") throw new Error(signed?.outcome);
    for (const part of signed.parts) await send(part.url, part.size);
  }
  await storage.complete(id);
}

if (import.meta.main) {
  const [location, how, step, time] = Bun.argv.slice(2) as [string, How, Step, string];
  await upload(location, how, step, Number(time));
}
