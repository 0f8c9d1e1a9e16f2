import { tidy } from "../db/housekeeping";
import { type App, createApp } from "./app";
import { banner } from "./banner";
import type { Config } from "./config";
import { createCounters } from "./counters";
import { lockData, openData } from "./data";
import type { Deps } from "./deps";
import { enrolFirstManager } from "./first-manager";
import { createLog, described, type Log } from "./log";
import { startWorker } from "./mail/worker";
import { openLimits } from "./security/rate-limit";
import { openStorage } from "./storage";

const patience = 8_000; // milliseconds that requests in work have left after SIGTERM
const hour = 3_600_000;

/**
 * Runs the service on DATA_DIR until SIGTERM or SIGINT; resolves when everything is written and closed.
 *
 * @throws when another server has DATA_DIR, when PORT is taken, or when the database cannot be opened
 */
export async function serve(config: Config): Promise<void> {
  const log = createLog(config.LOG_LEVEL);
  process.on("unhandledRejection", (error) => log.error("unhandled", described(error)));

  const stopped = signalled(log); // from here on: a signal during the start stops what has started
  const lock = lockData(config);
  const deps = await open(config, log);
  await enrolFirstManager(deps);
  const server = listen(config, createApp(deps), log);
  const stopWork = startWork(deps);
  await deps.storage.start().catch((error) => log.error("storage", described(error))); // all but uploads works without
  process.stdout.write(await banner(deps, server.url.origin));

  await stopped;
  await drain(server);
  await stopWork();
  await deps.db.close();
  lock.release();
  log.info("stopped");
}

async function open(config: Config, log: Log): Promise<Deps> {
  const now = () => new Date();
  const db = await openData(config, now());
  const limits = await openLimits({ db, config, now });
  const counters = createCounters({ db, log, now });
  return { config, db, log, now, limits, counters, storage: openStorage({ config, db, log, now }) };
}

/** The front door bounds bodies and answers with an envelope; Bun's own bound would answer with nothing. */
function listen({ HOST, PORT }: Config, app: App, log: Log) {
  try {
    return Bun.serve({
      hostname: HOST,
      port: PORT,
      idleTimeout: 10, // seconds
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      fetch: (request, server) => app.handle(request, server.requestIP(request)?.address),
      error(error) {
        log.error("failed", described(error));
        return new Response(null, { status: 500 });
      },
    });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") throw new Error(`PORT ${PORT} is in use by another program. Stop it, or set PORT.`);
    if (code === "EACCES") throw new Error(`PORT ${PORT} may not be used by this user. Set PORT to 1024 or above.`);
    if (["EINVAL", "EADDRNOTAVAIL", "ENOTFOUND"].includes(code ?? ""))
      throw new Error(`HOST ${HOST} is no address of this machine. Set HOST to one, or to 0.0.0.0 for all.`);
    throw error;
  }
}

/** Takes no more connections, and waits for the requests in work: not for ever. */
async function drain(server: { stop(closeActive?: boolean): Promise<void> }): Promise<void> {
  const cut = setTimeout(() => void server.stop(true), patience);
  await server.stop();
  clearTimeout(cut);
}

/** What runs beside the requests. Returns what ends it and waits for it. */
function startWork(deps: Deps) {
  const { counters, db, limits, log, now, storage } = deps;
  const sweep = () =>
    Promise.all([limits.sweep(), tidy(db, now())]).catch((error) => log.error("housekeeping", described(error)));
  const housekeeping = setInterval(() => void sweep(), hour);
  const mail = startWorker(deps);
  counters.start();
  void sweep();

  return async () => {
    clearInterval(housekeeping);
    await mail.close();
    await counters.close();
    await storage.close();
  };
}

/** Resolves at the first SIGTERM or SIGINT. The second one does not wait for anything. */
const signalled = (log: Log) =>
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
