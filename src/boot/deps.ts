import type { Db } from "../../db/engine/open";
import type { Config } from "../platform/config";
import type { Counters } from "../telemetry/counters";
import type { Integrity } from "../telemetry/integrity";
import type { Mail } from "../mail/open";
import type { Log } from "../platform/log";
import type { Limits } from "../security/limits/limits";
import type { Storage } from "../storage";

/** Everything the routes need from outside. Tests pass doubles; src/boot/serve.ts passes the real ones. */
export type Deps = {
  config: Config;
  db: Db;
  log: Log;
  now: () => Date;
  /** Resolves after so many milliseconds. */
  sleep: (milliseconds: number) => Promise<void>;
  limits: Limits;
  counters: Counters;
  storage: Storage;
  mail: Mail;
  integrity: Integrity;
};
