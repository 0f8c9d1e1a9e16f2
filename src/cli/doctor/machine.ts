import { existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dayMs, hourMs } from "../../../db/lib/time";
import { version } from "../../../package.json";
import type { Db } from "../../../db/engine/open";
import { valueOf } from "../../../db/installation";
import { backupRecipient, backupState, isBackupOverdue } from "../../../db/ops/backup-state";
import { isDamage, sqliteCode } from "../../../db/engine/errors";
import { compatibilityOf } from "../../../db/ops/backup-file";
import { findDamage } from "../../../db/ops/integrity";
import { serverFacts } from "../../../db/ops/server-facts";
import { list as storageNodes } from "../../../db/storage/nodes/nodes";
import { checkAccess, databaseFile, foreignFile, isNearlyFull, minFreeBytes, unusable } from "../../platform/data-dir";
import { bytes } from "../../../views/components/bytes";
import { type Config, settables } from "../../platform/config";
import { processLimits } from "../../platform/process-limits";
import { storedVariables } from "../../../db/variables";
import { placeOf } from "../../backups/place";
import { diskProblem, reached } from "../../boot/data";
import { isSecretOf } from "../../boot/shared-secret";
import { type Finding, findings, type Patient, reasonOf } from "./finding";
import { askService, isSecretReadable, type Seen } from "./network";

/** Other names of variables than ours are not read, and what was saved under Set up counts only where they are silent. */
export async function checkConfig({ config, db }: Patient): Promise<Finding[]> {
  const { ok, warn, wrong } = findings("config");
  const stored = Object.keys(db ? await storedVariables(db) : {});
  const covered = settables
    .filter((name) => stored.includes(name) && config.inEnvironment.has(name))
    .map((name) => warn(`${name} was saved under Set up, too. That value has no effect: remove one of the two.`));
  const problems = [...config.warnings.map(wrong), ...covered];
  return problems.length ? problems : [ok("All variables are valid.")];
}

const networkFileSystems = [0x6969, 0xff534d42, 0xfe534d42, 0x517b]; // NFS, CIFS, SMB2, SMB

/** DATA_DIR is on a disk of this machine, for this user only, and has space. */
export async function checkDataDir({ config, tools }: Patient): Promise<Finding[]> {
  const { ok, warn, wrong } = findings("data-dir");
  const { DATA_DIR } = config;
  const problem = accessProblem(DATA_DIR);
  if (problem) return [wrong(problem)];
  if (!existsSync(DATA_DIR)) return [ok(`${DATA_DIR} will be created.`)];
  const mode = statSync(DATA_DIR).mode & 0o077;
  if (mode) return [wrong(`${DATA_DIR} is open to other users. Run chmod 700 ${DATA_DIR}`)];
  const { type, free, total } = await tools.diskOf(DATA_DIR);
  if (!config.DATABASE_URL && networkFileSystems.includes(type))
    return [
      wrong(`${DATA_DIR} is on a network file system: SQLite is not safe there. Move it to a disk of this machine.`),
    ];
  if (free < minFreeBytes) return [wrong(`${DATA_DIR} has ${Math.floor(free / 1e6)} MB free. Make space.`)];
  const space = `${bytes(free)} of ${bytes(total)} free`;
  return [isNearlyFull({ free, total }) ? warn(`${DATA_DIR} has ${space}. Make space.`) : ok(`${DATA_DIR}, ${space}.`)];
}

/** Why this user cannot use DATA_DIR, or root could, but not the user that it belongs to; undefined if all is well. */
function accessProblem(folder: string): string | undefined {
  try {
    checkAccess(folder);
    if (!existsSync(folder)) return;
    const foreign = process.getuid?.() === 0 ? foreignFile(folder) : undefined;
    if (foreign)
      return `${foreign} does not belong to the owner of DATA_DIR. Run chown -R --reference=${folder} ${folder}, unless the service runs as root.`;
    const probe = join(folder, `doctor-${process.pid}`);
    try {
      writeFileSync(probe, "x", { flush: true });
    } finally {
      rmSync(probe, { force: true });
    }
  } catch (error) {
    return error instanceof Error && error.message.startsWith("DATA_DIR")
      ? error.message
      : unusable(folder, error).message;
  }
}

/** PORT is free, or ours. Also returns what a running service says of itself. */
export async function checkPort(patient: Patient): Promise<{ port: Finding[]; seen: Seen | undefined }> {
  const { HOST, PORT } = patient.config;
  const { ok, warn, wrong } = findings("port");
  const host = HOST === "0.0.0.0" || HOST === "::" ? "127.0.0.1" : HOST;
  try {
    const { seen } = await askService(patient, `http://${host.includes(":") ? `[${host}]` : host}:${PORT}`);
    if (!seen)
      return {
        port: [
          wrong(`${PORT} is taken by another program, or by a Postroom with another APP_SECRET. Set another PORT.`),
        ],
        seen,
      };
    const isSame = seen.version === version;
    return {
      port: [
        isSame
          ? ok(`The service runs on ${PORT}.`)
          : warn(`The service on ${PORT} is version ${seen.version}, this one is ${version}. Restart it.`),
      ],
      seen,
    };
  } catch (error) {
    const isFree = ["ECONNREFUSED", "ConnectionRefused"].includes(reasonOf(error));
    return {
      port: [
        isFree
          ? ok(`${PORT} is free.`)
          : wrong(`${PORT} is taken by a program that does not answer (${reasonOf(error)}). Set another PORT.`),
      ],
      seen: undefined,
    };
  }
}

/** APP_SECRET opens what was encrypted with it, and no one else can read it. */
export async function checkSecret({ config, db }: Patient): Promise<Finding[]> {
  const { ok, warn, wrong } = findings("secret");
  const { secretFile } = config;
  if (secretFile && existsSync(secretFile) && statSync(secretFile).mode & 0o077)
    return [wrong(`${secretFile} can be read by other users. Run chmod 600 ${secretFile}`)];
  if (secretFile && existsSync(secretFile) && config.APP_SECRET.length < 32)
    return [wrong(`${secretFile} is damaged. Put it back from a backup.`)];
  const { servedWith, servedBefore } = db ? await fingerprints(db) : {};
  if (secretFile && !existsSync(secretFile) && servedWith)
    return [wrong(`${secretFile} is missing: links in sent emails do not work without it. Put it back from a backup.`)];
  if (!isSecretOf(config, servedWith))
    return [
      wrong(
        "APP_SECRET is not the one that signed the links in sent emails. Set it again, or list it in APP_SECRET_PREVIOUS.",
      ),
    ];
  const nodes = db ? (await storageNodes(db)).filter(({ name }) => name !== "default" && name !== "embedded") : [];
  if (nodes.some((node) => !isSecretReadable(config, node)))
    return [
      wrong(
        "APP_SECRET is not the one with which the secrets of storage nodes were encrypted, nor that of links in sent emails. Set it again, or list it in APP_SECRET_PREVIOUS and add the nodes again.",
      ),
    ];
  if (!isSecretOf(config, servedBefore))
    return [
      warn(
        "APP_SECRET was replaced, and links in emails sent before that do not work. If you have the old one, list it in APP_SECRET_PREVIOUS.",
      ),
    ];
  if (!secretFile) return [ok("It is in the environment.")];
  return [ok(`It ${existsSync(secretFile) ? "is" : "will be created"} in DATA_DIR. Keep a copy elsewhere.`)];
}

const fingerprints = (db: Db) =>
  db.read(async (orm) => ({
    servedWith: await valueOf(orm, "servedWith"),
    servedBefore: await valueOf(orm, "servedBefore"),
  }));

/** The database is intact, of this version or an earlier one, and accepts writes. */
export async function checkDatabase({ config }: Patient): Promise<Finding[]> {
  const { ok, wrong } = findings("database");
  if (config.DATABASE_URL) return checkServer({ ...config, DATABASE_URL: config.DATABASE_URL });
  const file = databaseFile(config);
  if (!existsSync(file)) return [ok("It will be created.")];
  try {
    const damage = statSync(file).size ? await findDamage(file) : "it is empty";
    if (damage) return [wrong(`${file} is damaged (${damage}). Restore a backup: \`postroom restore <file>\`.`)];
    const how = compatibilityOf(file);
    if (how === "newer")
      return [wrong("It was written by a newer Postroom. Start that version, or restore an older backup.")];
    if (how === "none") return [wrong(`${file} is not a Postroom database. Set another DATA_DIR.`)];
    return [ok(how === "older" ? "It will be migrated at the next start." : "It is intact.")];
  } catch (error) {
    const problem = isDamage(error) ? undefined : diskProblem(config, sqliteCode(error) ?? "");
    if (problem) return [wrong(problem.message)];
    const remedy = isDamage(error) ? " Restore a backup: `postroom restore <file>`." : "";
    return [wrong(`${file} cannot be used (${reasonOf(error)}).${remedy}`)];
  }
}

const oldestVersion = 15;
const ownConnections = 5; // for psql, backups and monitoring

async function checkServer(config: Config & { DATABASE_URL: string }): Promise<Finding[]> {
  const { DATABASE_URL: url, DATABASE_POOL: pool } = config;
  const { ok, warn, wrong } = findings("database");
  const facts = await reached(serverFacts(url)).catch(reasonOf);
  if (typeof facts === "string") return [wrong(facts)];
  const { version: server, connections, isReadOnly, isEncrypted, processes, compatibility } = facts;
  const needed = Math.max(1, processes) * pool + ownConnections;
  const problems = [
    server < oldestVersion && wrong(`PostgreSQL ${server} is too old. Use ${oldestVersion} or newer.`),
    isReadOnly &&
      wrong(
        "The database is read-only. Name the primary in DATABASE_URL, or set default_transaction_read_only to off.",
      ),
    !facts.hasTrigrams && wrong("The extension pg_trgm is not available. Install the package postgresql-contrib."),
    !facts.knowsLetters &&
      wrong(
        "The database's LC_CTYPE knows no letters beyond ASCII. Create the database with LC_CTYPE C.UTF-8, and copy what it has.",
      ),
    !isSecretOf(config, facts.secretFingerprint) &&
      wrong(
        "APP_SECRET is not that of the processes that use this database. Set the same one, or list the old one in APP_SECRET_PREVIOUS.",
      ),
    compatibility === "newer" && wrong("A newer Postroom has migrated the database. Start that version."),
    needed > connections &&
      wrong(
        `${Math.max(1, processes)} × ${pool} connections and ${ownConnections} for yourself, but the server allows ${connections}. Lower DATABASE_POOL, or raise max_connections.`,
      ),
    !isEncrypted &&
      warn(
        "The connection is not encrypted. Add ?sslmode=verify-full to DATABASE_URL, unless it stays in your network.",
      ),
  ].filter((problem) => problem !== false);
  return [...(problems.length ? problems : [ok(`PostgreSQL ${server}.`)]), ...checkVersions(facts.versions)];
}

/** All processes of a shared database are of one version. @param others those that run */
function checkVersions(others: string[]): Finding[] {
  const { ok, warn } = findings("versions");
  const different = others.filter((other) => other !== version).sort();
  return [
    different.length
      ? warn(`A process on this database runs ${different.join(", ")}, this one is ${version}. Upgrade and restart it.`)
      : ok(others.length ? `All processes run ${version}.` : "No other process runs."),
  ];
}

const verifyEveryMs = 90 * dayMs;

/** Copies are made, and someone has the key. */
export async function checkBackups({ config, db, tools }: Patient): Promise<Finding[]> {
  const { ok, warn, wrong } = findings("backups");
  if (config.DATABASE_URL) return [ok("They are made by the operator of PostgreSQL; the overview shows its archive.")];
  if (!config.BACKUP_URL)
    return [warn("None are made automatically. Set BACKUP_URL, or run `postroom backup <file>` from a timer.")];
  if (!db) return [warn("Unknown until the service has been started.")];
  if (!(await backupRecipient(db)))
    return [wrong("No copies are made until there is a key. Run `postroom backup init`.")];
  const problem = await placeOf(config, db).then(() => undefined, reasonOf);
  if (problem) return [wrong(problem)];
  const state = await backupState(db);
  const now = tools.now();
  const hours = (milliseconds: number) => Math.floor(milliseconds / hourMs);
  if (isBackupOverdue(state, config.BACKUP_EVERY, now)) {
    const since = state.last ? `for ${hours(now.getTime() - state.last.at)} h` : "yet";
    return [
      wrong(
        `No copy was proved good ${since} (every ${hours(config.BACKUP_EVERY)} h). ${state.problem?.text ?? "Run `postroom backup now`."}`,
      ),
    ];
  }
  const failure = state.problem && `The last attempt failed: ${state.problem.text.replace(/\.?$/, ".")}`;
  if (!state.last) return [warn(`No copy has been made yet. ${failure ?? "Run `postroom backup now` to make one."}`)];
  if (failure) return [warn(`The last copy is good. ${failure}`)];
  const isVerified = now.getTime() - (state.verifiedAt ?? 0) < verifyEveryMs;
  return [
    isVerified
      ? ok("The last copy is good.")
      : warn("No one has opened a copy with the key for 90 days. Run `postroom backup verify`."),
  ];
}

const fewFiles = 4_096;
const littleMemoryBytes = 384 * 2 ** 20; // a broadcast or a picture takes 160 MB, and a copy beside it 110
/** It stops within ten seconds, and saves what it has until the end. */
const leastStopMs = 12_000;
const usualUnit = "postroom.service";

/** The service may open enough files, has enough memory, and time to stop. @param seen of a service that runs */
export async function checkLimits({ tools }: Patient, seen: Seen | undefined): Promise<Finding[]> {
  const { ok, warn } = findings("limits");
  const { openFiles, memoryBytes, unit = usualUnit } = seen?.limits ?? { ...processLimits(), unit: undefined };
  const condition = seen?.limits ? "" : "If the service has the same limit, ";
  const advice = (text: string) => (condition ? condition + text.charAt(0).toLowerCase() + text.slice(1) : text);
  const megabytes = Math.round((memoryBytes ?? 0) / 2 ** 20);
  const stopMs = await tools.stopTimeOf(unit);
  const problems = [
    openFiles !== undefined &&
      openFiles < fewFiles &&
      warn(
        `${openFiles} open files. ${advice("Set LimitNOFILE=65536 in its unit, or the limit nofile of its container.")}`,
      ),
    memoryBytes !== undefined &&
      memoryBytes < littleMemoryBytes &&
      warn(`${megabytes} MB of memory. ${advice("Allow it 512 MB.")}`),
    stopMs !== undefined &&
      stopMs < leastStopMs &&
      warn(`${unit} is killed ${stopMs / 1_000} s after it was asked to stop. Set TimeoutStopSec=15 in the unit.`),
  ].filter((problem) => problem !== false);
  const limits = [openFiles && `${openFiles} open files`, memoryBytes && `${megabytes} MB of memory`].filter(Boolean);
  return problems.length ? problems : [ok(limits.length ? `${limits.join(", ")}.` : "The system names none.")];
}

const unitsMs: Record<string, number> = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000 };

/** Reads a duration of systemd: "1min 30s", "infinity". Undefined if it is another text. */
export function milliseconds(text: string): number | undefined {
  if (text === "infinity") return Number.POSITIVE_INFINITY;
  const parts = text.split(" ").map((part) => /^([\d.]+)(ms|s|min|h)$/.exec(part));
  const sum = parts.reduce((all, part) => all + Number(part?.[1]) * (unitsMs[part?.[2] ?? ""] ?? Number.NaN), 0);
  return Number.isNaN(sum) ? undefined : sum;
}
