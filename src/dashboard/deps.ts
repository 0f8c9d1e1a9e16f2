import type { Db } from "../../db/engine/open";
import type { Mail } from "../mail/open";
import type { Config } from "../platform/config";
import type { Log } from "../platform/log";
import type { Limits } from "../security/limits/limits";
import type { Storage } from "../storage";

/** What the dashboard needs from outside. */
export type Deps = {
  config: Config;
  db: Db;
  log: Log;
  now: () => Date;
  limits: Limits;
  storage: Storage;
  mail: Mail;
};
