import { open } from "node:fs/promises";

/**
 * Writes a file that does not exist yet, readable by its owner alone.
 *
 * @param before is done before a row is read, such as recording the export in the audit log
 */
export async function writeNew(name: string, rows: AsyncIterable<string>, before?: () => Promise<void>): Promise<void> {
  const file = await open(name, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new Error(error.code === "EEXIST" ? `${name} exists already.` : `${name} cannot be written (${error.code}).`);
  });
  try {
    await before?.();
    for await (const some of rows) await file.write(some);
    await file.sync();
  } finally {
    await file.close();
  }
}
