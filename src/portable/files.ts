import { normalized } from "../../db/lib/text";
import type { Db } from "../../db/engine/open";
import * as storageNodes from "../../db/storage/nodes/nodes";
import { freeBytes } from "../../db/storage/nodes/capacity";
import * as storedFiles from "../../db/storage/files";
import type { NamedRow } from "../../db/ops/portable";
import type { Config } from "../platform/config";
import { connect } from "../storage/nodes/access";
import { putStream } from "../storage/s3/put-stream";
import type { S3 } from "../storage/s3/s3";

/** A file of an export, as a line of files.jsonl has it. */
export type Exported = { id: string; path: string; type: string; size: number; sha256: string };
/** Reads a stored file by its ID: the path of its folder, and its bytes. */
export type ReadFile = (id: string) => Promise<{ path: string; bytes: AsyncIterable<Uint8Array> }>;
/** What was exported or imported: rows by table, files, and the files that are missing, with the reason. */
export type Transferred = {
  tables: Record<string, number>;
  files: number;
  problems: { file: string; reason: string }[];
};

/** Where a file is stored now. */
export type Placed = { nodeId: string; etag: string };

const deadlineMs = 60_000;

type Storage = { config: Config; db: Db };
type StorageNode = storageNodes.StorageNode;

export function fileReader({ config, db }: Storage): ReadFile {
  const servers = new Map<string, S3>();
  async function serverOf(id: string): Promise<S3> {
    const open = servers.get(id);
    if (open) return open;
    const node = await storageNodes.find(db, id);
    if (!node) throw new Error("its storage node was removed");
    const opened = await connect(config, node, deadlineMs);
    servers.set(id, opened);
    return opened;
  }
  return async (id) => {
    const file = await storedFiles.find(db, id);
    if (!file) throw new Error("it has been deleted");
    const server = await serverOf(file.nodeId);
    return { path: file.folder, bytes: server.read(file.objectKey, 0, file.size) };
  };
}

const maxNameBytes = 200;
const isPlainName = (name: string) =>
  !/[\p{C}<>:"|?*\\/]|^\.|[. ]$/u.test(name) && name !== "" && Buffer.byteLength(name) <= maxNameBytes;

/** Returns where a file is in the export: under its own names, if every file system has them and no other file does. */
export function filePath(
  folder: string,
  { id, filename }: { id: string; filename: string },
  taken: Set<string>,
): string {
  const names = [...folder.split("/").filter(Boolean), filename];
  const wanted = ["files", ...names].join("/");
  const path = names.every(isPlainName) && isFree(wanted, taken) ? wanted : `files/by-id/${id}`;
  taken.add(keyOf(path));
  for (const folder of foldersOf(keyOf(path))) taken.add(`${folder}/`);
  return path;
}

/** Names that differ in case only are one on some systems. */
const keyOf = (path: string) => normalized(path, "NFC").toLowerCase();
const foldersOf = (path: string) => path.split("/").map((_, n, parts) => parts.slice(0, n).join("/"));

/** No other file has this path, or that of one of its folders, and no folder has it. */
function isFree(path: string, taken: Set<string>): boolean {
  const key = keyOf(path);
  return ![key, `${key}/`, ...foldersOf(key)].some((other) => taken.has(other));
}

/** Puts the files of an export on the storage nodes of this installation. */
export type PlaceFile = (row: NamedRow, exported: Exported | undefined, bytes: Blob | undefined) => Promise<Placed>;

/** Stores each file on the active node with the most free space. @throws if no node has enough */
export async function filePlacer({ config, db }: Storage): Promise<PlaceFile> {
  const space = new Map<StorageNode, number>();
  for (const node of await storageNodes.list(db)) if (node.state === "active") space.set(node, freeBytes(node));
  return async (row, exported, bytes) => {
    if (!exported || !bytes) throw new Error("it is not part of the export");
    const [node, free = 0] = [...space].sort(([, a], [, b]) => b - a)[0] ?? [];
    if (!node || free < exported.size) throw new Error("no storage node has enough free space");
    const server = await connect(config, node, deadlineMs);
    const key = String(row.object_key);
    const target = { key, type: exported.type, reservation: exported.id, origin: node.endpoint, size: exported.size };
    const stored = await putStream(server, target, bytes.stream());
    if (stored.sha256 !== exported.sha256) throw new Error("it is not as it was exported");
    space.set(node, free - exported.size);
    return { nodeId: node.id, etag: (await server.stat(key))?.etag ?? "" };
  };
}

/** For files that the node's bucket has already, under the same keys. @throws if there is no such node */
export async function fileFinder({ config, db }: Storage, name: string): Promise<PlaceFile> {
  const node = await storageNodes.byName(db, name);
  if (!node) throw new Error(`No storage node called ${name}.`);
  const server = await connect(config, node, deadlineMs);
  return async (row) => {
    const object = await server.stat(String(row.object_key));
    if (object?.size !== Number(row.size)) throw new Error(`${name} does not have it`);
    return { nodeId: node.id, etag: object.etag };
  };
}
