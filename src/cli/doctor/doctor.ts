import { messageOf } from "../../platform/log";
import { existsSync } from "node:fs";
import type { Db } from "../../../db/engine/open";
import { compatibilityOf } from "../../../db/ops/backup-file";
import { serverFacts } from "../../../db/ops/server-facts";
import { openData } from "../../boot/data";
import { databaseFile } from "../../platform/data-dir";
import { type Config, ConfigError, loadConfig } from "../../platform/config";
import { useVariables } from "../../security/variables";
import { type Finding, findings, type Patient, type Tools } from "./finding";
import * as machine from "./machine";
import { checkMail, checkMailbox, checkSender } from "./mail";
import { checkBaseUrl, checkClock, checkProxy, checkStorage } from "./network";

/**
 * Examines an installation before its first start, or beside a running service. Changes nothing: a database that would
 * have to be created or migrated is not opened, and what it contains is not checked.
 *
 * @param env the environment of the service
 */
export async function diagnose(env: Record<string, string | undefined> | undefined, tools: Tools): Promise<Finding[]> {
  let config: Config;
  try {
    config = loadConfig(env, false);
  } catch (error) {
    const check = error instanceof ConfigError ? "config" : "data-dir"; // where the secret is
    return [findings(check).wrong(messageOf(error))];
  }
  const db = await openUnchanged(config);
  try {
    if (db) await useVariables({ config, db });
    const patient = { config, tools, db };
    const { port, seen } = await machine.checkPort(patient);
    const dataDir = await machine.checkDataDir(patient);
    const isUsable = dataDir.every(({ verdict }) => verdict !== "wrong");
    return [
      ...(await machine.checkConfig(patient)),
      ...dataDir,
      ...port,
      ...(await machine.checkSecret(patient)),
      ...(isUsable || config.DATABASE_URL
        ? await machine.checkDatabase(patient)
        : [findings("database").warn("Unknown until DATA_DIR is in order.")]),
      ...(await outside(patient, seen !== undefined)),
      ...(await machine.checkBackups(patient)),
      ...(await machine.checkLimits(patient, seen)),
    ];
  } finally {
    await db?.close();
  }
}

/** What needs others to answer: all at the same time. */
const outside = async (patient: Patient, isRunning: boolean): Promise<Finding[]> =>
  (
    await Promise.all([
      checkBaseUrl(patient, isRunning),
      checkProxy(patient),
      checkClock(patient),
      checkStorage(patient),
      checkMail(patient),
      checkMailbox(patient),
      checkSender(patient),
    ])
  ).flat();

async function openUnchanged(config: Config): Promise<Db | undefined> {
  try {
    const { DATABASE_URL: url } = config;
    if (!url && !existsSync(databaseFile(config))) return;
    const compatibility = url ? (await serverFacts(url)).compatibility : compatibilityOf(databaseFile(config));
    return compatibility === "same" ? await openData(config, new Date()) : undefined;
  } catch {
    return; // the check of the database says why
  }
}
