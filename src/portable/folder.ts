import { existsSync } from "node:fs";
import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { z } from "zod";
import { sync } from "../../db/ops/backup-file";
import { messageOf } from "../platform/log";
import { archiveEnd, filesIn, header, padding } from "../platform/tar";

/* The folder or archive of an export. Its manifest lists every file with its SHA-256, and is written last: without it, the export
   is not complete. */

const manifestName = "manifest.json";
const formatVersion = 1;

const Manifest = z.object({
  format: z.number(),
  /** The version of the program, and its last migration. */
  version: z.string(),
  schema: z.string(),
  at: z.string(),
  /** Rows by table. */
  tables: z.record(z.string(), z.number()),
  files: z.record(z.string(), z.object({ bytes: z.number(), sha256: z.string() })),
});
export type Manifest = z.infer<typeof Manifest>;

type Pieces<T> = AsyncIterable<T> | Iterable<T>;

/** Where an export is written: a folder, or an archive of what that folder would contain. */
type Place = {
  /** @param name with slashes between folders */
  write: (name: string, pieces: AsyncIterable<Uint8Array>) => Promise<void>;
  /** After the last file. */
  finish: () => Promise<void>;
  [Symbol.asyncDispose]: () => Promise<void>;
};

const isArchive = (path: string) => path.endsWith(".tar");

/** Begins an export that only its owner can read, in a folder or, if the path ends in .tar, in one file. */
export async function newExport(path: string) {
  const place = await (isArchive(path) ? newArchive(path) : newFolder(path));
  const files: Manifest["files"] = {};
  async function write(name: string, pieces: Pieces<string | Uint8Array>) {
    const hash = new Bun.CryptoHasher("sha256");
    let bytes = 0;
    async function* hashed() {
      for await (const piece of pieces) {
        const buffer = typeof piece === "string" ? Buffer.from(piece) : piece;
        hash.update(buffer);
        bytes += buffer.length;
        yield buffer;
      }
    }
    await place.write(name, hashed());
    return (files[name] = { bytes, sha256: hash.digest("hex") });
  }
  return {
    write,
    /** Declares it complete. */
    async finish(facts: Omit<Manifest, "files" | "format">): Promise<void> {
      const manifest = { format: formatVersion, ...facts, files: { ...files } };
      await write(manifestName, [`${JSON.stringify(manifest, null, 2)}\n`]);
      await place.finish();
    },
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  };
}
export type NewExport = Awaited<ReturnType<typeof newExport>>;

async function newFolder(path: string): Promise<Place> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  if ((await readdir(path)).length) throw new Error(`${path} is not empty. Name a folder that does not exist yet.`);
  return {
    async write(name, pieces) {
      const target = join(path, name);
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      await using file = await open(target, "wx", 0o600);
      for await (const piece of pieces) await file.writeFile(piece);
      await file.sync();
    },
    async finish() {},
    async [Symbol.asyncDispose]() {},
  };
}

/**
 * Each file is written where it will be, and its header before it once its size is known. The archive gets its name
 * when it is complete and on disk.
 */
async function newArchive(path: string): Promise<Place> {
  const draft = `${path}.part`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  if (existsSync(path)) throw new Error(`${path} exists. Name a file that does not exist yet.`);
  const file = await open(draft, "wx", 0o600).catch((error) => {
    if (error.code !== "EEXIST") throw error;
    throw new Error(`${draft} exists: another export is writing it, or was killed. Then delete it.`);
  });
  let end = 0;
  async function put(bytes: Uint8Array, at: number): Promise<number> {
    for (let done = 0; done < bytes.length;)
      done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
    return at + bytes.length;
  }
  return {
    async write(name, pieces) {
      const start = end + header(name, 0).length;
      let at = start;
      for await (const piece of pieces) at = await put(piece, at);
      await put(header(name, at - start), end);
      end = await put(padding(at - start), at);
    },
    async finish() {
      await file.truncate(await put(archiveEnd, end)); // of a file that could not be read, there may be more
      await file.sync();
      await rename(draft, path);
      sync(dirname(path));
    },
    async [Symbol.asyncDispose]() {
      await file.close();
      await rm(draft, { force: true });
    },
  };
}

/** The files that the manifest lists, by their names. */
export type ExportedFiles = ReadonlyMap<string, Blob>;

/**
 * Opens the folder or archive of an export, and reads every file that its manifest lists.
 *
 * @throws a message for the operator if one is missing or was changed
 */
export async function openExport(path: string): Promise<{ manifest: Manifest; files: ExportedFiles }> {
  const archived = isArchive(path) ? await archiveAt(path) : undefined;
  async function find(name: string): Promise<Blob | undefined> {
    if (archived) return archived.get(name);
    const file = Bun.file(pathIn(path, name));
    return (await file.exists()) ? file : undefined;
  }
  const manifest = await manifestIn(path, await find(manifestName));
  const files = new Map<string, Blob>();
  for (const [name, { bytes, sha256 }] of Object.entries(manifest.files)) {
    const file = await find(name);
    if (!file) throw new Error(`The export is not complete: ${name} is missing.`);
    const hash = new Bun.CryptoHasher("sha256");
    if (file.size === bytes) for await (const piece of file.stream()) hash.update(piece);
    if (file.size !== bytes || hash.digest("hex") !== sha256)
      throw new Error(`${name} is not as it was exported. Nothing was imported.`);
    files.set(name, file);
  }
  const added = archived?.keys().find((name) => name !== manifestName && !files.has(name));
  if (added !== undefined) throw new Error(`${added} was added to the export. Nothing was imported.`);
  return { manifest, files };
}

async function archiveAt(path: string): Promise<Map<string, Blob>> {
  if (!existsSync(path)) throw new Error(`There is no file ${path}.`);
  return filesIn(Bun.file(path)).catch((error) => {
    throw new Error(
      `${path} is not a complete export: ${messageOf(error)}. Nothing was imported. If it was packed again, unpack it and import the folder.`,
    );
  });
}

/** @throws if the path leads out of the folder */
function pathIn(folder: string, name: string): string {
  const path = resolve(folder, name);
  if (!path.startsWith(resolve(folder) + sep)) throw new Error(`${name} is not a file of the export.`);
  return path;
}

async function manifestIn(path: string, file: Blob | undefined): Promise<Manifest> {
  if (!file) throw new Error(`${path} is not a complete export: it has no ${manifestName}, which is written last.`);
  const manifest = Manifest.safeParse(await file.json().catch(() => undefined)).data;
  if (!manifest) throw new Error(`The ${manifestName} of ${path} cannot be read.`);
  if (manifest.format !== formatVersion)
    throw new Error(`The export has the format ${manifest.format}. Import it with the version that made it.`);
  return manifest;
}

/** Yields the lines of a text file, without reading it as a whole. */
export async function* linesIn(file: Blob): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let pending: string[] = [];
  for await (const piece of file.stream()) {
    const [first = "", ...rest] = decoder.decode(piece, { stream: true }).split("\n");
    pending.push(first);
    for (const next of rest) {
      yield pending.join("");
      pending = [next];
    }
  }
  const last = pending.join("");
  if (last) yield last;
}
