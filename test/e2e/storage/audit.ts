import type { Db } from "../../../db/engine/open";
import * as storageNodes from "../../../db/storage/nodes/nodes";
import * as uploads from "../../../db/storage/uploads";
import { listUploads } from "../../support/storage/upload-rows";
import type { S3 } from "../../../src/storage/s3/s3";

/** Bytes and uploads as known by three parties: the nodes' totals, the rows, and the provider itself. */
export async function audit(db: Db, s3: S3) {
  const nodes = await storageNodes.list(db);
  const rows = (await listUploads(db, { limit: 1_000 })).map(({ upload }) => upload);
  const completed = rows.filter(({ state }) => state === "completed");
  const held = rows.filter(({ state }) => state !== "completed" && state !== "aborted");
  await s3.ensureBucket(); // a process that died early created none
  const objects = await Promise.all(rows.map(({ objectKey }) => s3.stat(objectKey)));
  const open = await Promise.all(rows.map(({ objectKey }) => s3.findUploadId(objectKey)));
  return {
    used: {
      node: sum(nodes.map(({ usedBytes }) => usedBytes)),
      rows: sum(completed.map(({ size }) => size)),
      provider: sum(objects.map((object) => object?.size ?? 0)),
    },
    reserved: { node: sum(nodes.map(({ reservedBytes }) => reservedBytes)), rows: sum(held.map(({ size }) => size)) },
    openAtProvider: open.filter(Boolean).length,
    states: rows.map(({ state }) => state),
  };
}

const sum = (numbers: number[]) => numbers.reduce((total, n) => total + n, 0);

/** The result of an audit if all three agree: bytes stored, and bytes reserved by open uploads. */
export const agreed = (states: uploads.Upload["state"][], used: number, reserved = 0) => ({
  used: { node: used, rows: used, provider: used },
  reserved: { node: reserved, rows: reserved },
  openAtProvider: states.filter((state) => state === "open").length,
  states,
});
