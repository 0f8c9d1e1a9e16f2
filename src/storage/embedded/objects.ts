import { createHash } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../../platform/log";
import { Refused } from "./responses";

/**
 * Returns the folder of a bucket: its objects, open uploads, and what is about to be deleted. @throws Refused for an
 * invalid name
 */
export function folderOf(root: string, bucket: string): string {
  if (!/^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/.test(bucket)) throw new Refused(400, "InvalidBucketName");
  return join(root, "buckets", bucket);
}

export async function create(folder: string): Promise<void> {
  for (const part of ["objects", "uploads", "trash"]) await mkdir(join(folder, part), { recursive: true, mode: 0o700 });
}

export const exists = (folder: string) =>
  stat(join(folder, "trash")).then(
    () => true,
    () => false,
  );

/** Deletes what an interrupted deletion left behind. */
export async function emptyTrash(root: string): Promise<void> {
  const buckets = await readdir(join(root, "buckets")).catch(() => []);
  for (const bucket of buckets) {
    const trash = join(root, "buckets", bucket, "trash");
    for (const name of await readdir(trash).catch(() => []))
      await rm(join(trash, name), { recursive: true, force: true });
  }
}

/** Returns the contents of the file; undefined if it does not exist. */
export async function readJson<T>(file: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as T;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** Replaces the contents atomically: even after a crash, the file has all of the new contents, or the old ones. */
export async function writeJson(file: string, value: unknown): Promise<void> {
  const draft = `${file}.${crypto.randomUUID()}.draft`;
  const handle = await open(draft, "w", 0o600);
  try {
    await handle.writeFile(JSON.stringify(value));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
}

export const isAbsent = (error: unknown) => errorCode(error) === "ENOENT";

type Described = { key: string; type: string; size: number; etag: string; at: string };

/**
 * Makes `source` the bytes of the object. They are in a file named after key and ETag, and the description that refers
 * to it is written last, so that repeating this after a crash at any step has the same result.
 */
export async function put(bucket: string, source: string, object: Described): Promise<void> {
  const target = bytesOf(bucket, object);
  if (!(await isThere(target, object.size))) await rename(source, target);
  const before = await describedAs(bucket, object.key);
  await writeJson(descriptionOf(bucket, object.key), object);
  if (before && before.etag !== object.etag) await rm(bytesOf(bucket, before), { force: true });
}

/** Returns the objects whose key begins with `prefix`, in byte order of their keys. */
export async function list(bucket: string, prefix: string): Promise<Described[]> {
  const folder = join(bucket, "objects");
  const files = (await readdir(folder)).filter((file) => file.endsWith(".json"));
  const all = await Promise.all(files.map((file) => readJson<Described>(join(folder, file))));
  const named = all.filter((object) => object !== undefined).filter(({ key }) => key.startsWith(prefix));
  const objects = await Promise.all(named.map((object) => asOnDisk(bucket, object)));
  return objects
    .filter((object) => object !== undefined)
    .sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
}

export async function find(bucket: string, key: string): Promise<Described | undefined> {
  const object = await describedAs(bucket, key);
  return object && asOnDisk(bucket, object);
}

const describedAs = (bucket: string, key: string) => readJson<Described>(descriptionOf(bucket, key));

/** With as many bytes as there are, which someone may have removed or cut short: then the object has to say so. */
async function asOnDisk(bucket: string, object: Described): Promise<Described | undefined> {
  try {
    const { size } = await stat(bytesOf(bucket, object));
    return { ...object, size };
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

export async function remove(bucket: string, key: string): Promise<void> {
  const object = await describedAs(bucket, key);
  if (!object) return;
  await rm(descriptionOf(bucket, key), { force: true });
  await rm(bytesOf(bucket, object), { force: true });
}

export const bytesOf = (bucket: string, { key, etag }: Pick<Described, "key" | "etag">) =>
  join(bucket, "objects", `${nameOf(key)}-${etag}`);

const descriptionOf = (bucket: string, key: string) => join(bucket, "objects", `${nameOf(key)}.json`);

/** Keys may contain anything; file names may not. */
const nameOf = (key: string) => createHash("sha256").update(key).digest("hex");

const isThere = (file: string, size: number) =>
  stat(file).then(
    (stats) => stats.size === size,
    () => false,
  );
