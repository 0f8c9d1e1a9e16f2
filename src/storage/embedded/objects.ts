import { createHash } from "node:crypto";
import { readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { readJson, writeJson } from "./buckets";

type Described = { key: string; type: string; size: number; etag: string; at: string };

/**
 * Makes `source` the bytes of the object. They are in a file named after key and ETag, and the description that refers
 * to it is written last, so that repeating this after a crash at any step has the same result.
 */
export async function put(bucket: string, source: string, object: Described): Promise<void> {
  const target = bytesOf(bucket, object);
  if (!(await isThere(target, object.size))) await rename(source, target);
  const before = await find(bucket, object.key);
  await writeJson(descriptionOf(bucket, object.key), object);
  if (before && before.etag !== object.etag) await rm(bytesOf(bucket, before), { force: true });
}

/** Returns the objects whose key begins with `prefix`, in byte order of their keys. */
export async function list(bucket: string, prefix: string): Promise<Described[]> {
  const folder = join(bucket, "objects");
  const files = (await readdir(folder)).filter((file) => file.endsWith(".json"));
  const all = await Promise.all(files.map((file) => readJson<Described>(join(folder, file))));
  return all
    .filter((object) => object !== undefined)
    .filter(({ key }) => key.startsWith(prefix))
    .sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
}

export const find = (bucket: string, key: string) => readJson<Described>(descriptionOf(bucket, key));

export async function remove(bucket: string, key: string): Promise<void> {
  const object = await find(bucket, key);
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
