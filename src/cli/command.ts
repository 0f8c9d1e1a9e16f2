import { createReadStream, statSync } from "node:fs";
import { open, readFile } from "node:fs/promises";
import type { parseArgs, ParseArgsConfig } from "node:util";
import type { Db } from "../../db/engine/open";
import { number } from "../../views/components/list";
import { openData } from "../boot/data";
import { checkSharedSecret } from "../boot/shared-secret";
import { type Encoding, encodings, isEncoding, utf8Text } from "../content/csv/encoding";
import type { OpenFile } from "../content/csv/reader";
import { type Config, loadConfig } from "../platform/config";
import { emailAddress } from "../platform/text/email-address";
import { useVariables } from "../security/variables";

export type Flags = ReturnType<typeof parseArgs>["values"];

export type Command = {
  /** The syntax: "keys create <name>". Arguments in angle brackets are required. */
  usage: string;
  about: string;
  options?: NonNullable<ParseArgsConfig["options"]>;
  /** Resolves to the exit code if it is not 0. An exception becomes one line on stderr and exit code 1. */
  run(args: string[], flags: Flags): Promise<number | void>;
};

/** The actor in the audit log (D40). */
export const actor = "cli";

/** A figure for stdout: with thousands separators for people, without them for programs. */
export const figure = (n: number) => (process.stdout.isTTY ? number(n) : String(n));

const cell = (column: string | number) =>
  typeof column === "number" ? figure(column) : column.replaceAll(/[\t\r\n]/g, " ");

export const print = (...columns: (string | number)[]) =>
  void process.stdout.write(`${columns.map(cell).join("\t")}\n`);

export const complain = (text: string) => void process.stderr.write(`${text}\n`);

/**
 * Runs `work` on the service's database, with or without a running server.
 *
 * @throws if processes with another APP_SECRET use the database
 */
export async function withData<T>(work: (data: { config: Config; db: Db; now: Date }) => Promise<T>): Promise<T> {
  const config = loadConfig();
  const now = new Date();
  const db = await openData(config, now);
  try {
    await checkSharedSecret({ config, db });
    await useVariables({ config, db });
    return await work({ config, db, now });
  } finally {
    await db.close();
  }
}

/** @throws if there is no such file. A folder is not a file, a pipe is. */
export function needsFile(name: string): void {
  const stats = statSync(name, { throwIfNoEntry: false });
  if (!stats || stats.isDirectory()) throw new Error(`File not found: ${name}.`);
}

/** Parses an email address on the command line. @throws if it is not valid */
export function addressOf(text: string): string {
  const { data, success } = emailAddress.safeParse(text);
  if (!success) throw new Error("The address is not a valid email address.");
  return data;
}

/** Reads a text file, without its byte order mark. @throws if it is not UTF-8 */
export async function textOf(file: string): Promise<string> {
  const text = utf8Text(await readFile(file));
  if (text === undefined) throw new Error(`${file} is not valid UTF-8. Save it as UTF-8.`);
  return text.replace(/^\ufeff/, "");
}

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
