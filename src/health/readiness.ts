import { isStalled } from "../../db/broadcasts/sending/figures";
import { maxWaitMs } from "../../db/mail/stats";
import { inTime } from "../../db/async/in-time";
import * as health from "../../db/ops/health";
import { isReadOnly, NewerSchema } from "../../db/engine/errors";
import type { Db } from "../../db/engine/open";
import type { Config } from "../platform/config";
import { diskSpace } from "../platform/data-dir";
import { described, type Log } from "../platform/log";
import type { Integrity } from "../telemetry/integrity";

const minFreeBytes = 100 * 2 ** 20; // in DATA_DIR
const maxCheckMs = 3_000;

/** What monitoring needs from outside. */
export type Needs = { config: Config; db: Db; log: Log; now: () => Date; integrity: Integrity };
type Check = { ok: boolean; detail?: string };
type Checks = Record<string, Check>;

/** The checks of `/readyz` that cost a query each, and one of them a write; see also {@link withIntegrity}. */
export async function readiness({ config, db, log, now }: Omit<Needs, "integrity">): Promise<Checks> {
  const check = async (name: string, work: () => Promise<Check>): Promise<[string, Check]> => {
    try {
      return [name, await inTime(work(), maxCheckMs, tooLate)];
    } catch (error) {
      log.error("not ready", { check: name, ...described(error) });
      return [name, { ok: false, detail: detailFor(error) }];
    }
  };
  return Object.fromEntries(
    await Promise.all([
      check("database", async () => {
        await db.probe();
        return { ok: true };
      }),
      check("disk", async () => {
        if (db.isShared) return { ok: true, detail: "not used" };
        const { free } = await diskSpace(config.DATA_DIR);
        return free >= minFreeBytes ? { ok: true } : { ok: false, detail: "less than 100 MB free" };
      }),
      check("storage", async () => ({ ok: true, ...detailOf(await health.unusedNodes(db, now())) })),
      check("broadcasts", async () =>
        (await isStalled(db, now()))
          ? { ok: false, detail: "no email of a broadcast was sent for 15 minutes" }
          : { ok: true },
      ),
      check("mail", async () => {
        const oldest = await health.oldestQueuedMail(db, now());
        const waits = oldest ? now().getTime() - oldest.getTime() : 0;
        return waits < maxWaitMs
          ? { ok: true }
          : { ok: false, detail: "an email has been queued for more than 15 minutes" };
      }),
    ]),
  );
}

/**
 * Adds what is known of the database's pages. Asking costs nothing, so this result is not reused for a second: after a
 * crash, the service is ready as soon as they have been checked.
 */
export function withIntegrity(checks: Checks, { integrity }: Pick<Needs, "integrity">): Checks {
  const { isKnown, damage } = integrity.known();
  const detail = damage ? "damaged" : isKnown ? undefined : "is being checked";
  return detail && checks.database?.ok ? { ...checks, database: { ok: false, detail } } : checks;
}

/** What strangers may know of a failure; the rest is for the log. */
const detailFor = (error: unknown): string =>
  isReadOnly(error)
    ? "read-only"
    : error instanceof NewerSchema
      ? "migrated by a newer version; stop this process"
      : "failed";

/** If the database's machine vanishes, the check would not return, nor would the request for it. */
const tooLate = () => new Error("The check took too long.");

/** Reported, but not a failure: everything except uploads works, and a restart would not help. */
function detailOf({ nodes, paused, full }: { nodes: number; paused: number; full: number }): { detail?: string } {
  const problems = [
    ...(paused ? [`${paused} of ${nodes} nodes paused`] : []),
    ...(full ? [`${full} of ${nodes} nodes full`] : []),
  ];
  return problems.length ? { detail: problems.join(", ") } : {};
}
