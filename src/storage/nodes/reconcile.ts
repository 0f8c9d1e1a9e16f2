import { dayMs } from "../../../db/lib/time";
import type { Actor } from "../../../db/audit";
import type { Db } from "../../../db/engine/open";
import * as inventory from "../../../db/storage/nodes/inventory";
import * as storageNodes from "../../../db/storage/nodes/nodes";
import * as uploads from "../../../db/storage/uploads";
import * as variants from "../../../db/storage/variants";
import type { ListedObject, ObjectFacts, OpenUpload } from "../s3/objects";
import type { S3 } from "../s3/s3";

type Pair<L, R> = { left: L; right: R } | { left: L; right?: undefined } | { left?: undefined; right: R };

/**
 * Walks through two sequences in byte order of their keys, side by side, and pairs entries with the same key. Neither
 * is held in memory.
 */
export async function* merged<L, R>(
  lefts: AsyncIterable<L>,
  rights: AsyncIterable<R>,
  leftKey: (left: L) => string,
  rightKey: (right: R) => string,
): AsyncGenerator<Pair<L, R>> {
  const left = lefts[Symbol.asyncIterator]();
  const right = rights[Symbol.asyncIterator]();
  let [l, r] = [await left.next(), await right.next()];
  while (!l.done || !r.done) {
    const order = l.done ? 1 : r.done ? -1 : compare(leftKey(l.value), rightKey(r.value));
    if (!l.done && !r.done && order === 0) {
      yield { left: l.value, right: r.value };
      [l, r] = [await left.next(), await right.next()];
    } else if (!l.done && order < 0) {
      yield { left: l.value };
      l = await left.next();
    } else if (!r.done) {
      yield { right: r.value };
      r = await right.next();
    }
  }
}

const compare = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** A difference between the database and a node. The subject is an object's key, or the name of a total. */
export type Difference = {
  kind:
    | "missing" // a file without an object
    | "size" // a file whose object has a different size
    | "etag" // a file whose object has as many bytes, but others
    | "variant" // a size of a picture whose object is missing or has a different size
    | "unknown" // an object without a row
    | "back" // the object of a lost file has reappeared, so it is a file again
    | "leftover" // an object of an upload that was not completed, or of another node
    | "open" // an upload that is open at the node but has ended, or is unknown, here
    | "sum"; // the node's totals are not those of its rows
  subject: string;
  expected: string;
  found: string;
  /** The repair needed no decision, and has already been made. */
  isRepaired?: true;
  /** Repairs it. Resolves to false if it is left alone. */
  repair(): Promise<boolean>;
};

type Options = {
  db: Db;
  node: storageNodes.StorageNode;
  s3: S3;
  by: Actor;
  now: () => Date;
  /** How many files are permanently lost, as the operator states. */
  yesLost?: number | undefined;
};
/** `matched`: files whose object is as it should be. `missing`: files without an object. */
export type Seen = { matched: number; bytes: number; missing: number };

const ours = "u/"; // everything but this and the sizes of pictures belongs to someone else
const longEnough = dayMs; // ms, after which something unknown cannot be in progress

/**
 * Compares a node with the database in one walk through both while uploads continue, so every difference is checked a
 * second time before it is reported. An object that has a row is never removed.
 *
 * @param seen counts what matches @throws if the node fails
 */
export async function* differences(options: Options, seen: Seen): AsyncGenerator<Difference> {
  const { db, node, s3 } = options;
  for await (const { left: file, right: object } of merged(
    inventory.storedObjects(db, node.id),
    s3.objects(ours),
    ({ objectKey }) => objectKey,
    ({ key }) => key,
  )) {
    if (file && object && isOf(file, object)) {
      seen.matched++;
      seen.bytes += file.size;
    } else {
      const difference = file ? await ofFile(options, file, seen) : object && (await ofObject(options, object, seen));
      if (difference) yield difference;
    }
  }
  yield* ofVariants(options);
  for (const prefix of [ours, variants.variantPrefix])
    for await (const open of s3.openUploads(prefix)) {
      const difference = await ofOpenUpload(options, open);
      if (difference) yield difference;
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
  if ((await uploads.find(db, id))?.state !== "completed" || (object && isOf(file, object))) return;
  const expected = String(file.size);
  if (object) {
    const repair = () => inventory.correct(db, { id, ...object }, by, now());
    if (object.size !== file.size) return { kind: "size", subject, expected, found: String(object.size), repair };
    return { kind: "etag", subject, expected: file.etag ?? "", found: object.etag, repair };
  }
  seen.missing++;
  const repair = async () => (yesLost === seen.missing || areFew(seen)) && inventory.markLost(db, id, by, now());
  return { kind: "missing", subject, expected, found: "-", repair };
}

/** Whether the object has the bytes of the file, as far as the ETag of its completion and of now are known. */
const isOf = (file: inventory.StoredObject, { size, etag }: ObjectFacts) =>
  size === file.size && (!file.etag || !etag || etag === file.etag);

async function ofObject(
  options: Options,
  { key, size, at }: ListedObject,
  seen: Seen,
): Promise<Difference | undefined> {
  const { db, node, s3, by, now } = options;
  const row = await inventory.byKey(db, key);
  const isOver = !row || row.state === "aborted" || row.nodeId !== node.id;
  const object = isOver ? await s3.stat(key) : undefined;
  if (!object) return;
  const difference = { subject: key, expected: "-", found: String(size) };
  if (row?.nodeId === node.id && (await inventory.restoreLost(db, { id: row.id, ...object }, by, now()))) {
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

/** The sizes of pictures, which need no decision: one that is missing is forgotten, and made when next asked for. */
async function* ofVariants({ db, node, s3, now }: Options): AsyncGenerator<Difference> {
  for await (const { left: row, right: object } of merged(
    variants.storedVariants(db, node.id),
    s3.objects(variants.variantPrefix),
    ({ key }) => key,
    ({ key }) => key,
  )) {
    if (row?.isReady && object?.size !== row.bytes && (await s3.stat(row.key))?.size !== row.bytes) {
      const repair = () => variants.forget(db, row.key);
      yield {
        kind: "variant",
        subject: row.key,
        expected: String(row.bytes),
        found: String(object?.size ?? "-"),
        repair,
      };
    } else if (!row && object && !(await variants.has(db, object.key)) && (await s3.stat(object.key))) {
      const repair = async () => {
        if (!isOld(object.at, now()) || (await variants.has(db, object.key))) return false;
        await s3.remove(object.key);
        return true;
      };
      yield { kind: "unknown", subject: object.key, expected: "-", found: String(object.size), repair };
    }
  }
}

async function ofOpenUpload(
  { db, s3, now }: Options,
  { key, uploadId, at }: OpenUpload,
): Promise<Difference | undefined> {
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
    const [expected, actual] = [String(sums.reserved), String(after.reservedBytes)];
    yield { kind: "sum", subject: "reserved", expected, found: actual, repair };
  }
}

/** If more files are missing, or none is found, the disk or bucket is missing, not the files. */
export const areFew = ({ matched, missing }: Seen) => missing <= (matched + missing) / 10;

const isOld = (at: Date, now: Date) => now.getTime() - at.getTime() >= longEnough;
