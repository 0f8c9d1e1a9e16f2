import { open, readFile, rename } from "node:fs/promises";

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

export const isAbsent = (error: unknown) => (error as NodeJS.ErrnoException).code === "ENOENT";
