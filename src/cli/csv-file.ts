import { createReadStream, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
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
