import { endPreviewStreams } from "../api/preview-events";
import { eraseAgain } from "../../db/people/erasures";
import { createApp } from "../app";
import { databaseFile, erasureLog } from "../platform/data-dir";
import type { Config } from "../platform/config";
import { createCounters } from "../telemetry/counters";
import { endStreams } from "../http/live-hub";
import { listen } from "../http/listen";
import { siteTranslator } from "../http/site-language";
import { createIntegrity } from "../telemetry/integrity";
import { createLog, described, type Log } from "../platform/log";
import { useVariables } from "../security/variables";
import { openMail } from "../mail/open";
import { openLimits } from "../security/limits/open";
import { openStorage } from "../storage";
import { damaged, lockData, openData } from "./data";
import type { Deps } from "./deps";
import { useSharedSecret } from "./shared-secret";
import { startWork } from "./work";
import * as managers from "../../db/access/managers";

const exitGraceMs = 1_000; // after everything is written and closed
const never = new Promise<never>(() => undefined);

/**
 * Runs the service on DATA_DIR until SIGTERM or SIGINT. Then streams end, running requests get time to (`drainTimeoutMs`
 * in `src/http/listen.ts`), and so do tasks (`Background.close`); counters and the database are closed last. A second
 * signal exits at once. Resolves when everything is saved and closed.
 *
 * @throws if another server uses DATA_DIR, PORT is taken, or the database cannot be opened
 */
export async function serve(config: Config): Promise<void> {
  const log = createLog(config.LOG_LEVEL);
  process.on("unhandledRejection", (error) => log.error("unhandled", described(error)));

  for (const problem of config.warnings) log.warn("configuration", { problem });
  const stopped = stopSignal(log); // registered early: a signal during start-up stops what has been started
  const lock = lockData(config);
  const deps = await depsOf(config, log);
  const looking = deps.integrity.look().then((fault) => fault && damaged(databaseFile(config), fault));
  const early = await Promise.race([looking, Bun.sleep(0)]); // a small database has been checked by now
  if (early) throw early;
  await useSharedSecret(deps);
  await eraseAgain(deps.db, erasureLog(config), deps.now()); // erases people again whom a restored backup brought back
  await enrolFirstManager(deps);
  await siteTranslator(deps.db); // cached now, so that it is known if the database fails
  const server = open(deps);
  await deps.storage.start().catch((error) => log.error("storage", described(error))); // everything but uploads works without it
  const stopWork = startWork(deps);
  const { banner } = await import("./banner");
  process.stdout.write(await banner(deps, server.origin));

  const damage = await Promise.race([stopped, looking.then((error) => error || never)]);
  endPreviewStreams();
  endStreams(deps.db);
  await server.drain();
  await stopWork();
  await deps.db.close().catch((error) => log.error("not closed", described(error)));
  lock.release();
  if (damage) throw damage;
  log.info("stopped");
  setTimeout(() => process.exit(), exitGraceMs).unref(); // a socket to an unresponsive node would keep the process alive for half a minute
}

async function depsOf(config: Config, log: Log): Promise<Deps> {
  const now = () => new Date();
  const db = await openData(config, now());
  await useVariables({ config, db });
  const limits = await openLimits({ db, config, now });
  const counters = createCounters({ config, db, log, now });
  const integrity = createIntegrity({ db, log, now });
  const storage = openStorage({ config, db, log, now });
  const mail = openMail({ config, now });
  return { config, db, log, now, sleep: Bun.sleep, limits, counters, integrity, storage, mail };
}

function open(deps: Deps) {
  const app = createApp(deps);
  return listen(deps.config, deps.log, (request, server) => app.handle(request, server));
}

/** Resolves on the first SIGTERM or SIGINT. The second one exits immediately. */
const stopSignal = (log: Log) =>
  new Promise<void>((resolve) => {
    let isStopping = false;
    for (const signal of ["SIGTERM", "SIGINT"] as const)
      process.on(signal, () => {
        if (isStopping) process.exit(1);
        isStopping = true;
        log.info("stopping", { signal });
        resolve();
      });
  });

/**
 * Creates the first manager from MANAGER_EMAIL and MANAGER_PASSWORD, which are ignored once there is a manager (D3).
 *
 * @throws if the password is too weak
 */
async function enrolFirstManager({ config, db, log, now }: Pick<Deps, "config" | "db" | "log" | "now">) {
  const { MANAGER_EMAIL: email, MANAGER_PASSWORD: password } = config;
  if (!email || !password || (await managers.hasAny(db))) return;
  const { weakness } = await import("../security/password");
  const problem = weakness(password, [email]);
  if (problem) throw new Error(`MANAGER_PASSWORD: ${problem}`);
  const { hashPassword } = await import("../security/password");
  const passwordHash = await hashPassword(password);
  if (!passwordHash) return;
  await managers.createFirst(db, { email, name: "", passwordHash }, now());
  log.info("first manager created", { email });
}
