import type { Db } from "../../db/engine/open";
import { type Damage, findDamage } from "../../db/ops/integrity";
import { described, type Log } from "./log";

const lookEveryMs = 3_600_000;

export type Integrity = ReturnType<typeof createIntegrity>;

/** Knows whether the pages of the database hold together, as it was found within the hour (P78). */
export function createIntegrity({ db, log, now }: { db: Pick<Db, "file">; log: Log; now: () => Date }) {
  const { file } = db;
  const closing = new AbortController();
  let damage: Damage;
  let looking: Promise<Damage> | undefined;
  let isKnown = !file; // without a file there are no pages to look at
  let lookedAt = now().getTime();

  /** Looks, or joins the look under way. What could not be looked at is as it was. */
  const look = () => (looking ??= lookOnce().finally(() => (looking = undefined)));

  async function lookOnce(): Promise<Damage> {
    lookedAt = now().getTime();
    try {
      damage = file ? await findDamage(file, closing.signal) : undefined;
      isKnown = true;
      if (damage) log.error("database damaged", { found: damage });
    } catch (error) {
      if (!closing.signal.aborted) log.warn("database not checked", described(error));
    }
    return damage;
  }

  return {
    look,
    /** What is known now. Begins another look when the last one is an hour old, and does not wait for it. */
    known(): { isKnown: boolean; damage: Damage } {
      if (file && Math.abs(now().getTime() - lookedAt) >= lookEveryMs) void look();
      return { isKnown, damage };
    },
    close: () => closing.abort(),
  };
}
