import * as audit from "../../db/audit";
import type { Db } from "../../db/engine/open";
import { postgresSide } from "../../db/ops/copy/postgres";
import { sqliteSide } from "../../db/ops/copy/sqlite";
import type { Source, Target } from "../../db/ops/copy/copy";
import { maxSilenceMs } from "../../db/ops/leases";
import { lockData } from "../boot/data";
import type { Config } from "../platform/config";
import { databaseFile, erasureLog, prepareDataDir } from "../platform/data-dir";
import { createLog } from "../platform/log";
import { exportAll } from "../portable/export";
import { fileFinder, filePlacer, fileReader, type Transferred } from "../portable/files";
import { importAll } from "../portable/import";
import { openStorage } from "../storage";
import { actor, type Command, complain, print, withData } from "./command";

export const commands: Command[] = [
  {
    usage: "export all <folder|file.tar> [--without-files]",
    about:
      "Export everything to a new folder or file, for other programs and for `import all`: posts, projects, settings, subscribers, messages, broadcasts, files. Also while the service is running",
    options: { "without-files": { type: "boolean" } },
    run: ([path = ""], { "without-files": isWithoutFiles }) =>
      withData(async ({ config, db, now }) => {
        await using storage = await storageBeside(config, db);
        await audit.recordAlone(db, { actor, action: "installation.export" }, now); // no export without an entry
        const source = await sideOf(config);
        try {
          const readFile = isWithoutFiles ? undefined : fileReader(storage);
          const result = await exportAll(path, { db, source, readFile, erasureLog: erasureLog(config), now });
          return report(result);
        } finally {
          await source.close();
        }
      }),
  },
  {
    usage: "import all <folder|file.tar> [--files-in=NODE]",
    about:
      "Put an export into an empty installation; stop the service first. Files go to its storage nodes; with --files-in, the bucket of that node has them already",
    options: { "files-in": { type: "string" } },
    run: ([path = ""], { "files-in": node }) =>
      withData(async ({ config, db, now }) => {
        const lock = lockData(config);
        const target = await sideOf(config);
        try {
          await needsNoService(target);
          prepareDataDir(config.DATA_DIR); // for erasures.log, also beside a shared database
          await using storage = await openedStorage(config, db);
          const placeFile = await (typeof node === "string" ? fileFinder(storage, node) : filePlacer(storage));
          const options = { config, db, target, placeFile, erasureLog: erasureLog(config), now };
          return report(await importAll(path, options));
        } finally {
          await target.close();
          lock.release();
        }
      }),
  },
];

const sideOf = async (config: Config): Promise<Source & Target> =>
  config.DATABASE_URL ? postgresSide(config.DATABASE_URL) : sqliteSide(databaseFile(config));

/** @throws while a service uses the database */
async function needsNoService(target: Target): Promise<void> {
  if (await target.isInUse())
    throw new Error(
      `A service is using this installation. Stop it first. If it was killed, wait ${maxSilenceMs / 1_000} seconds.`,
    );
}

/** The storage, with the embedded node if there is one. */
async function openedStorage(config: Config, db: Db) {
  const { nodes } = openStorage({ config, db, log: createLog("silent"), now: () => new Date() });
  await nodes.open();
  return { config, db, [Symbol.asyncDispose]: () => nodes.close() };
}

/** The same beside a running service, which has its embedded node open. */
async function storageBeside(config: Config, db: Db) {
  const lock = lockIfFree(config);
  if (!lock) return { config, db, async [Symbol.asyncDispose]() {} };
  const { [Symbol.asyncDispose]: close } = await openedStorage(config, db);
  return { config, db, [Symbol.asyncDispose]: () => close().finally(() => lock.release()) };
}

function lockIfFree(config: Config) {
  try {
    return lockData(config);
  } catch {
    return; // a service is running
  }
}

/** Prints rows by table, and the files. Returns the exit code. */
function report({ tables, files, problems }: Transferred): number {
  for (const [table, rows] of Object.entries(tables)) if (rows) print(table, rows);
  print("files", files);
  for (const { file, reason } of problems) complain(`${file}: ${reason}`);
  return problems.length ? 1 : 0;
}
