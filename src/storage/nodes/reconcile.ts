import type { Actor } from "../../../db/audit";
import type { Db } from "../../../db/engine/open";
import * as inventory from "../../../db/storage/nodes/inventory";
import * as storageNodes from "../../../db/storage/nodes/nodes";
import * as uploads from "../../../db/storage/uploads";
import { merged } from "./merged";
import type { S3 } from "../s3/s3";

/** What the database and a provider do not agree on. The subject is an object's key, or the name of a sum. */
export type Difference = {
  kind:
    | "missing" // a file without an object
    | "size" // a file whose object has another number of bytes
    | "unknown" // an object that no row knows
    | "back" // an object of a file that was lost: it is a file again
    | "leftover" // an object of an upload that came to nothing, or of another node
    | "open" // an upload that is open at the provider and over, or unknown, here
    | "sum"; // the node's bytes are not those of its rows
  subject: string;
  expected: string;
  found: string;
  /** It needs no decision, and is repaired already. */
  isRepaired?: true;
  /** Repairs it. Resolves to false when it is left alone. */
  repair(): Promise<boolean>;
};

type Options = {
  db: Db;
  node: storageNodes.StorageNode;
  s3: S3;
  by: Actor;
  now: () => Date;
  /** So many files are lost for good, says somebody. */
  yesLost?: number | undefined;
};
/** `matched`: files whose object is as it should be. `missing`: those that have none. */
export type Seen = { matched: number; bytes: number; missing: number };

const ours = "u/"; // whatever else lies in the bucket is somebody else's
const longEnough = 24 * 3_600_000; // milliseconds after which what nobody knows is not under way any more

/**
 * Compares a node with what the database knows of it, in one walk through both, while uploads go on: whatever differs is
 * looked at a second time before it is named. An object that any row knows is never removed.
 *
 * @param seen counts what agrees
 * @throws when the provider is in trouble
 */
export async function* differences(options: Options, seen: Seen): AsyncGenerator<Difference> {
  const { db, node, s3 } = options;
  for await (const { left: file, right: object } of merged(
    inventory.storedObjects(db, node.id),
    s3.objects(ours),
    ({ objectKey }) => objectKey,
    ({ key }) => key,
  )) {
    if (file && object?.size === file.size) {
      seen.matched++;
      seen.bytes += file.size;
    } else {
      const found = file ? await ofFile(options, file, seen) : object && (await ofObject(options, object, seen));
      if (found) yield found;
    }
  }
  for await (const open of s3.openUploads(ours)) {
    const found = await ofOpenUpload(options, open);
    if (found) yield found;
  }
  yield* ofSums(options);
}

async function ofFile(
  { db, s3, by, now, yesLost }: Options,
  file: inventory.StoredObject,
  seen: Seen,
): Promise<Difference | undefined> {
  const { id, objectKey: subject } = file;
  const object = await s3.stat(subject);
  if ((await uploads.find(db, id))?.state !== "completed" || object?.size === file.size) return;
  const expected = String(file.size);
  if (object) {
    const repair = () => inventory.correctSize(db, id, object, by, now());
    return { kind: "size", subject, expected, found: String(object.size), repair };
  }
  seen.missing++;
  const repair = async () => (yesLost === seen.missing || areFew(seen)) && inventory.markLost(db, id, by, now());
  return { kind: "missing", subject, expected, found: "-", repair };
}

type Found = { key: string; size: number; at: Date };

async function ofObject(options: Options, { key, size, at }: Found, seen: Seen): Promise<Difference | undefined> {
  const { db, node, s3, by, now } = options;
  const row = await inventory.byKey(db, key);
  const isOver = !row || row.state === "aborted" || row.nodeId !== node.id;
  const object = isOver ? await s3.stat(key) : undefined;
  if (!object) return;
  const difference = { subject: key, expected: "-", found: String(size) };
  if (row?.nodeId === node.id && (await inventory.restoreLost(db, row.id, object, by, now()))) {
    seen.matched++;
    seen.bytes += object.size;
    return { ...difference, kind: "back", isRepaired: true, repair: async () => true };
  }
  if (row) return { ...difference, kind: "leftover", repair: async () => false };
  const repair = async () => {
    if (!isOld(at, now()) || (await inventory.byKey(db, key))) return false;
    await s3.remove(key);
    return true;
  };
  return { ...difference, kind: "unknown", repair };
}

type Open = { key: string; uploadId: string; at: Date };

async function ofOpenUpload({ db, s3, now }: Options, { key, uploadId, at }: Open): Promise<Difference | undefined> {
  const row = await inventory.byKey(db, key);
  if (row && row.state !== "completed" && row.state !== "aborted") return;
  const repair = async () => {
    if (!row && !isOld(at, now())) return false;
    await s3.abort(key, uploadId);
    return true;
  };
  return { kind: "open", subject: key, expected: "-", found: at.toISOString(), repair };
}

async function* ofSums({ db, node, by, now }: Options): AsyncGenerator<Difference> {
  const sums = (await storageNodes.imbalances(db)).find(({ name }) => name === node.name);
  const after = await storageNodes.find(db, node.id);
  if (!sums || !after) return;
  const repair = async () => (await inventory.recount(db, node.id, by, now()), true);
  if (sums.used !== after.usedBytes)
    yield { kind: "sum", subject: "used", expected: String(sums.used), found: String(after.usedBytes), repair };
  if (sums.reserved !== after.reservedBytes) {
    const [expected, found] = [String(sums.reserved), String(after.reservedBytes)];
    yield { kind: "sum", subject: "reserved", expected, found, repair };
  }
}

/** Where more files are missing, or not one is found, it is the disk or the bucket that is not there (P82). */
export const areFew = ({ matched, missing }: Seen) => missing <= (matched + missing) / 10;

const isOld = (at: Date, now: Date) => now.getTime() - at.getTime() >= longEnough;
