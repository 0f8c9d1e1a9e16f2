import { mkdir, open, readdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { z } from "zod";

/* The folder of an export. Its manifest lists every file with its SHA-256, and is written last: without it, the export
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

/** Writes files into a new folder, readable by its owner alone, and keeps the SHA-256 of each. */
export async function newFolder(path: string) {
  await mkdir(path, { recursive: true, mode: 0o700 });
  if ((await readdir(path)).length) throw new Error(`${path} is not empty. Name a folder that does not exist yet.`);
  const files: Manifest["files"] = {};
  return {
    files,
    /** @param name with slashes between folders */
    async write(name: string, pieces: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>) {
      const target = join(path, name);
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      const file = await open(target, "wx", 0o600);
      const hash = new Bun.CryptoHasher("sha256");
      let bytes = 0;
      try {
        for await (const piece of pieces) {
          const buffer = typeof piece === "string" ? Buffer.from(piece) : piece;
          hash.update(buffer);
          bytes += buffer.length;
          await file.writeFile(buffer);
        }
        await file.sync();
      } finally {
        await file.close();
      }
      return (files[name] = { bytes, sha256: hash.digest("hex") });
    },
    /** Declares it complete. */
    finish: (facts: Omit<Manifest, "files" | "format">) =>
      writeFile(join(path, manifestName), `${JSON.stringify({ format: formatVersion, ...facts, files }, null, 2)}\n`, {
        mode: 0o600,
        flush: true,
      }),
  };
}
export type NewFolder = Awaited<ReturnType<typeof newFolder>>;

/** @throws if the path leads out of the folder */
export function pathIn(folder: string, name: string): string {
  const path = resolve(folder, name);
  if (!path.startsWith(resolve(folder) + sep)) throw new Error(`${name} is not a file of the export.`);
  return path;
}

/**
 * Reads the manifest, and every file that it lists.
 *
 * @throws a message for the operator if one is missing or was changed
 */
export async function checkedManifest(folder: string): Promise<Manifest> {
  const file = Bun.file(join(folder, manifestName));
  if (!(await file.exists()))
    throw new Error(`${folder} is not a complete export: it has no ${manifestName}, which is written last.`);
  const manifest = Manifest.safeParse(await file.json().catch(() => undefined)).data;
  if (!manifest) throw new Error(`${join(folder, manifestName)} cannot be read.`);
  if (manifest.format !== formatVersion)
    throw new Error(`The export has the format ${manifest.format}. Import it with the version that made it.`);
  for (const [name, { sha256 }] of Object.entries(manifest.files)) {
    const listed = Bun.file(pathIn(folder, name));
    if (!(await listed.exists())) throw new Error(`The export is not complete: ${name} is missing.`);
    const hash = new Bun.CryptoHasher("sha256");
    for await (const piece of listed.stream()) hash.update(piece);
    if (hash.digest("hex") !== sha256) throw new Error(`${name} is not as it was exported. Nothing was imported.`);
  }
  return manifest;
}

/** Yields the lines of a text file, without reading it as a whole. */
export async function* linesIn(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let pending: string[] = [];
  for await (const piece of Bun.file(path).stream()) {
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
