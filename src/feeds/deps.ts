import type { Db } from "../../db/engine/open";
import type { Config } from "../platform/config";
import type { Log } from "../platform/log";
import type { Limits } from "../security/limits/limits";
import type { Storage } from "../storage";
import type { Counters } from "../telemetry/counters";

/** What the feeds and the public pages need from outside. */
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
};
