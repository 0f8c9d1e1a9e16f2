import { openDb } from "../../../db/open";
import * as storageNodes from "../../../db/storage/nodes/nodes";
import * as reservations from "../../../db/storage/reservations";
import * as uploads from "../../../db/storage/uploads";
import { look } from "../look";
import { uploadOf } from "./upload-rows";

type Wanted = { filename?: string; folderPath?: string; mimeType?: string; size?: number };

/** A database with a node of a million bytes, and files in it that no provider has ever seen. */
export async function withFiles(...wanted: Wanted[]) {
  const db = await openDb(":memory:");
  const clock = { time: Date.parse("2026-11-21T12:00:00Z") };
  const now = () => new Date(clock.time);
  const access = { endpoint: "", publicEndpoint: "", region: "", bucket: "", accessKey: "", secret: "" };
  const node = await storageNodes.register(db, { ...access, name: "a", capacityBytes: 1e6, maxPutBytes: 1e6 });

  async function file({ filename = "a.txt", folderPath = "", mimeType = "text/plain", size = 10 }: Wanted = {}) {
    const taken = await reservations.reserve(db, { filename, folderPath, mimeType, size }, { tried: [] }, now());
    if (taken.outcome !== "reserved") throw new Error(taken.outcome);
    const { id } = taken.upload;
    await uploads.markOpen(db, { id, providerUploadId: "upload" }, now());
    await uploads.startCompleting(db, await uploadOf(db, id));
    await uploads.settle(db, await uploadOf(db, id), { state: "completed" }, now());
    return id;
  }
  const ids: string[] = [];
  for (const each of wanted) ids.push(await file(each));

  return {
    db,
    clock,
    now,
    file,
    ids: ids as [string, ...string[]],
    nodeId: node.id,
    /** Takes 10 bytes that nobody has sent yet. */
    open: (folderPath: string) =>
      reservations.reserve(db, { filename: "b", mimeType: "a/b", size: 10, folderPath }, { tried: [] }, now()),
    used: async () => (await storageNodes.find(db, node.id))?.usedBytes,
    events: async () =>
      (await look(db, "select action, target, details from audit_events order by id")) as Record<string, string>[],
  };
}
