import { existsSync, linkSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { Db } from "../../db/engine/open";
import { openDb } from "../../db/open";
import { sync } from "../../db/ops/backup-file";
import { checkSource, checkTarget, copyDatabase, type Source, type Target } from "../../db/ops/copy/copy";
import { postgresSide } from "../../db/ops/copy/postgres";
import { sqliteSide } from "../../db/ops/copy/sqlite";
import { isAnyRunning } from "../../db/ops/leases";
import { lockData, openShared, reached } from "../boot/data";
import { type Config, databaseUrl } from "../platform/config";
import { postgresUrl } from "../platform/config-fields";
import { databaseFile } from "../platform/data-dir";
import { createLog } from "../platform/log";
import { isLive } from "../mail/open";
import { type Command, complain, needsFile, print, withData } from "./command";
import { fillWithDemo } from "../demo/fill";

export const commands: Command[] = [
  {
    usage: "db copy <from> <to>",
    about: "Copy everything between a DATA_DIR and a PostgreSQL database (postgres://…, or the word DATABASE_URL)",
    async run([from = "", to = ""]) {
      const [source, target] = [placeOf(from), placeOf(to)];
      if (source.folder !== undefined) needsFile(databaseFile({ DATA_DIR: source.folder })); // locking creates it
      const locks = [source, target].flatMap(({ folder }) =>
        folder ? [lockData({ DATA_DIR: folder, ...alone })] : [],
      );
      try {
        await copyBetween(source, target);
        complain(
          "Copied and verified. Use it with the same APP_SECRET, that of the environment or of DATA_DIR/secret, and with the same DATA_DIR/erasures.log if there is one.",
        );
      } finally {
        for (const lock of locks) lock.release();
      }
    },
  },
  {
    usage: "demo",
    about: "Fill an empty database with sample content; its emails are never sent",
    run: () =>
      withData(async ({ config, db, now }) => {
        const lock = lockData(config);
        try {
          await addSampleContent({ config, db }, now);
        } finally {
          lock.release();
        }
      }),
  },
];

/** @throws if someone uses the database, or emails could be sent from it */
async function addSampleContent({ config, db }: { config: Config; db: Db }, now: Date): Promise<void> {
  if (db.isShared && (await db.read((orm) => isAnyRunning(orm, now))))
    throw new Error("A server is using this database. Stop it first.");
  if (isLive(config))
    throw new Error(
      "An email provider is configured (MAILER_API_KEY). Sample content is for trying things out, and must not be emailed: use a database of its own, without a provider.",
    );
  const { openStorage } = await import("../storage");
  const storage = openStorage({ config, db, log: createLog("silent"), now: () => new Date() });
  try {
    if (!(await fillWithDemo({ config, db, storage }, now)))
      throw new Error("The database is not empty. Sample content can only be added to an empty database.");
  } finally {
    await storage.close();
  }
  print("Sample content added.");
}

const alone = { DATABASE_URL: undefined, DATABASE_POOL: 1 };
type Place = { url: string; folder?: undefined } | { folder: string; url?: undefined };

/**
 * A URL on the command line is visible to everyone on the machine, so the word DATABASE_URL stands for that variable.
 */
function placeOf(text: string): Place {
  const place = text === "DATABASE_URL" ? databaseUrl() : text;
  if (!place) throw new Error("DATABASE_URL is not set.");
  if (!/^postgres(ql)?:|:\/\//.test(place)) return { folder: place };
  const { data: url, error } = postgresUrl.safeParse(place);
  if (error) throw new Error(`The URL of the database ${error.issues[0]?.message}.`); // without repeating the password
  return { url };
}

async function copyBetween(source: Place, target: Place): Promise<void> {
  const from = await open(source);
  try {
    await checkSource(from);
    if (target.folder === undefined) await copy(from, await openEmpty(target.url));
    else await copyInto(target.folder, from);
  } finally {
    await from.close();
  }
}

/** Copies into a file next to its final place, where it appears complete or not at all. */
async function copyInto(folder: string, from: Source): Promise<void> {
  const file = databaseFile({ DATA_DIR: folder });
  if (existsSync(file)) throw new Error(`${folder} already contains a database.`);
  const draft = `${file}.copy`;
  const discard = () => ["", "-wal", "-shm"].forEach((end) => rmSync(draft + end, { force: true }));
  discard(); // of a copy that was killed: the lock of DATA_DIR keeps others out
  try {
    await (await openDb(draft)).close();
    await copy(from, sqliteSide(draft));
    publish(draft, file);
  } finally {
    discard();
  }
}

const copy = (from: Source, to: Target) =>
  copyDatabase(from, to, ({ table, rows, sha256 }) => print(table, rows, sha256)).finally(() => to.close());

const open = async ({ url, folder }: Place): Promise<Source & Target> =>
  url === undefined ? sqliteSide(databaseFile({ DATA_DIR: folder })) : reached(postgresSide(url));

/** Opens a PostgreSQL database, with the tables of this program if it has none. */
async function openEmpty(url: string): Promise<Target> {
  const to = await open({ url });
  try {
    await checkTarget(to);
    await (await openShared(url, 1)).close();
    return to;
  } catch (error) {
    await to.close();
    throw error;
  }
}

function publish(draft: string, file: string): void {
  sync(draft);
  linkSync(draft, file); // unlike a rename, it never replaces an existing file
  sync(dirname(file));
}
