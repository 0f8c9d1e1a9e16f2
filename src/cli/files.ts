import { createReadStream, statSync } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { type Encoding, encodings, isEncoding } from "../content/csv/encoding";
import type { OpenFile } from "../content/csv/reader";
import { type Flags, needsFile } from "./command";

/** Returns the encoding that was asked for. @throws if there is none of that name */
export function encodingFlag(text: Flags[string]): Encoding | undefined {
  if (text === undefined) return undefined;
  const label = String(text).toLowerCase();
  if (!isEncoding(label)) throw new Error(`--encoding must be one of ${Object.keys(encodings).join(", ")}.`);
  return label;
}

/** Opens a file that is read several times. A pipe is kept in memory. @throws if there is no such file */
export async function openCsv(file: string): Promise<OpenFile> {
  needsFile(file);
  if (statSync(file).isFile()) return () => createReadStream(file);
  const bytes = await readFile(file);
  return () => new Blob([bytes]).stream();
}

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
