import { hourMs } from "../../db/lib/time";
import type { Db } from "../../db/engine/open";
import { type Damage, findDamage } from "../../db/ops/integrity";
import { described, type Log } from "../platform/log";

const lookEveryMs = hourMs;

export type Integrity = ReturnType<typeof createIntegrity>;

type Needs = { db: Pick<Db, "file">; log: Log; now: () => Date };

/** Knows whether the database's pages are intact, as of the last hourly check. */
export function createIntegrity({ db, log, now }: Needs, find = findDamage) {
  const { file } = db;
  const closing = new AbortController();
  let damage: Damage;
  let looking: Promise<Damage> | undefined;
  let isKnown = !file; // without a file there is nothing to check
  let lookedAt = now().getTime();

  /** Checks, or joins the check in progress. If the check fails, the last result stays. */
  const look = () => (looking ??= lookOnce().finally(() => (looking = undefined)));

  async function lookOnce(): Promise<Damage> {
    lookedAt = now().getTime();
    try {
      // Only the first one is waited for, by /readyz
      damage = file ? await find(file, isKnown, closing.signal) : undefined;
      isKnown = true;
      if (damage) log.error("database damaged", { found: damage });
    } catch (error) {
      if (!closing.signal.aborted) log.warn("database not checked", described(error));
    }
    return damage;
  }

  return {
    look,
    /** Returns the last result. If it is an hour old, starts another check without waiting for it. */
    known(): { isKnown: boolean; damage: Damage } {
      if (file && Math.abs(now().getTime() - lookedAt) >= lookEveryMs) void look();
      return { isKnown, damage };
    },
    /** Ends a check in progress, and waits for that. */
    async close(): Promise<void> {
      closing.abort();
      await looking;
    },
  };
}
