import { messageOf } from "../platform/log";
import type { Db } from "../../db/engine/open";
import * as audit from "../../db/audit";
import { countImported } from "../../db/storage/nodes/inventory";
import { setAddressKey } from "../../db/installation";
import { mark } from "../../db/ops/demo";
import type { Row, Target } from "../../db/ops/copy/copy";
import { fileColumns, type NamedRow, type PortableTable, portableTables, rowIn } from "../../db/ops/portable";
import { addErasures, erasuresIn } from "../../db/people/erasures";
import type { Config } from "../platform/config";
import { makeSecret } from "../webhooks/secrets";
import type { Exported, Placed, PlaceFile, Transferred } from "./files";
import { type ExportedFiles, linesIn, type Manifest, openExport } from "./folder";

type Options = {
  config: Config;
  db: Db;
  /** The same database. */
  target: Target;
  placeFile: PlaceFile;
  erasureLog: string;
  now: Date;
};

const actor = "cli";
const maxBatchBytes = 4_000_000;
const maxBatchRows = 500;

/**
 * Puts an export into an empty installation: first who was erased, then the files, then all rows in one transaction.
 *
 * @throws a message for the operator if something is there already, or the export is not complete: then nothing has
 *   changed, but for files on storage nodes
 */
export async function importAll(path: string, options: Options): Promise<Transferred> {
  const { config, db, target, erasureLog, now } = options;
  const tables = await portableTables();
  const filled = await target.filledTable(tables.filter(({ isEmptyAtFirst }) => isEmptyAtFirst));
  if (filled) throw new Error(`The installation is not empty: it has rows in the table ${filled}.`);
  const { manifest, files } = await openExport(path);
  checkTables(manifest, tables);

  const erasures = files.get("erasures.log");
  if (erasures) addErasures(erasureLog, erasuresIn(await erasures.text()));
  const { placed, problems } = await placeFiles(files, options.placeFile);
  if (!placed.size && problems[0] && files.has("files.jsonl"))
    throw new Error(
      `No file could be stored, so nothing was imported: ${problems[0].reason}. Add a storage node first, or export with --without-files.`,
    ); // it could not be imported again
  await takeAddressKey(files, db, tables);
  const complete = completion(config, placed);
  await target.prepare(tables);
  for (const table of tables)
    for await (const batch of batchesOf(files, table, complete)) await target.insert(table, batch);
  await target.finish(countImported); // with the rows: after a kill in between, the nodes would seem to be empty
  await db.write((orm) =>
    audit.record(orm, { actor, action: "installation.import", details: { version: manifest.version } }, now),
  );
  return { tables: manifest.tables, files: placed.size, problems };
}

/** @throws if the export has a table that this version does not know. One that it lacks stays empty. */
function checkTables(manifest: Manifest, tables: PortableTable[]): void {
  const names = new Set(tables.map(({ name }) => name));
  const unknown = Object.keys(manifest.tables).find((name) => !names.has(name));
  if (unknown)
    throw new Error(
      `The export is of Postroom ${manifest.version} (${manifest.schema}) and has a table that this version does not know: ${unknown}. Import it with that version, and upgrade then.`,
    );
}

const dataFile = ({ name }: { name: string }) => `data/${name}.jsonl`;

/** Yields the rows of a table; none if the export has no such table. @throws naming the line that is wrong */
async function* rowsIn(
  exported: ExportedFiles,
  table: PortableTable,
): AsyncGenerator<{ row: NamedRow; bytes: number }> {
  const file = exported.get(dataFile(table));
  if (!file) return;
  let number = 0;
  for await (const line of linesIn(file)) {
    number++;
    const row = await Promise.try(rowIn, table.exported, line).catch((error) => {
      throw new Error(`${dataFile(table)}, line ${number}, ${error instanceof Error ? error.message : error}.`);
    });
    yield { row, bytes: line.length };
  }
}

async function placeFiles(exported: ExportedFiles, placeFile: PlaceFile) {
  const placed = new Map<string, Placed>();
  const problems: Transferred["problems"] = [];
  const files = new Map<string, Exported>();
  const list = exported.get("files.jsonl");
  if (list)
    for await (const line of linesIn(list)) {
      const file: Exported = JSON.parse(line);
      files.set(file.id, file);
    }
  const uploads = (await portableTables()).find(({ name }) => name === "uploads");
  if (!uploads) return { placed, problems };
  for await (const { row } of rowsIn(exported, uploads)) {
    const id = String(row.id);
    const file = files.get(id);
    try {
      const bytes = file && exported.get(file.path);
      placed.set(id, await placeFile(row, file, bytes));
    } catch (error) {
      problems.push({ file: String(row.filename), reason: messageOf(error) });
    }
  }
  return { placed, problems };
}

/** Before any row: it decides who must not be emailed. */
async function takeAddressKey(exported: ExportedFiles, db: Db, tables: PortableTable[]): Promise<void> {
  const table = tables.find(({ name }) => name === "installation");
  if (!table) return;
  for await (const { row } of rowsIn(exported, table))
    if (row.name === "addressKey") await setAddressKey(db, String(row.value));
    else if (row.name === "sampleContent") await mark(db); // nobody in it may be emailed from here either
}

/**
 * What an installation has of its own: where files are, and the secrets of webhooks. Returns undefined for what cannot be
 * there, because a file is missing, or is there already.
 */
function completion(config: Config, placed: ReadonlyMap<string, Placed>) {
  return ({ name }: PortableTable, row: NamedRow): NamedRow | undefined => {
    if (name === "installation") return;
    if (name === "webhook_endpoints") return { ...row, secret: makeSecret(config).sealed };
    const column = fileColumns[name];
    const place = column && placed.get(String(row[column]));
    if (column && !place) return;
    return name === "uploads" && place ? { ...row, node_id: place.nodeId, etag: place.etag } : row;
  };
}

/** Yields rows in batches, with a value for each column of the table. */
async function* batchesOf(
  exported: ExportedFiles,
  table: PortableTable,
  complete: (table: PortableTable, row: NamedRow) => NamedRow | undefined,
): AsyncGenerator<Row[]> {
  let [batch, size]: [Row[], number] = [[], 0];
  for await (const { row, bytes } of rowsIn(exported, table)) {
    const completed = complete(table, row);
    if (!completed) continue;
    batch.push(table.columns.map(({ name, initial }) => completed[name] ?? initial ?? null));
    size += bytes;
    if (size < maxBatchBytes && batch.length < maxBatchRows) continue;
    yield batch;
    [batch, size] = [[], 0];
  }
  if (batch.length) yield batch;
}
