import { sql } from "drizzle-orm";
import type { Db } from "../engine/open";
import { againIfCut } from "../engine/errors";
import { clockSlackMs } from "../lib/time";

/* Each operation is one statement, which is a transaction in itself: with `write` it would take three round trips. */

type Window = { limit: string; client: string };
type Wanted = Window & {
  /** Hits up to this moment no longer count (milliseconds). */
  since: number;
  /** When the hits happen (milliseconds). */
  at: number;
  max: number;
  /** How many hits are requested; fewer are granted if they would exceed `max`. */
  count: number;
  /**
   * How many earlier hits were not used. The same number of the oldest ones is removed, whoever took them, so that used
   * hits count no less.
   */
  unused?: number;
};

/**
 * Takes hits from a sliding window, in one statement under the lock of its row: whatever the number of processes, at
 * most `max` are admitted. A rejection prolongs nothing. If the connection is cut, the hits may be taken twice, so that
 * more is counted than was used, but never less.
 */
export const take = (db: Db, wanted: Wanted) => againIfCut(() => takeOnce(db, wanted));

const takeOnce = (db: Db, { limit, client, since, at, max, count, unused = 0 }: Wanted) =>
  db.read(async (orm) => {
    const live = sql`(live(w.hits, ${since}, ${at + clockSlackMs}))[${unused + 1}::int:]`;
    const granted = sql`greatest(0, least(${count}::int, ${max}::int - cardinality(${live})))`;
    const [row] = await orm.values<[granted: number, used: number, oldest: number | null]>(sql`
        insert into rate_limit_windows as w ("limit", client, hits, granted)
        values (${limit}, ${client}, array_fill(${at}::bigint, array[${count}::int]), ${count}::int)
        on conflict ("limit", client) do update
        set hits = case when ${granted} > 0 or ${unused}::int > 0 then ${live} || array_fill(${at}::bigint, array[${granted}]) else w.hits end,
          granted = ${granted}
        returning granted, cardinality(hits), hits[1]`);
    const [grantedNow, used, oldest] = row ?? [0, max, null];
    return { granted: grantedNow, remaining: Math.max(0, max - used), oldest: oldest ?? at };
  });

/** Gives back the latest hit. */
export const giveBack = (db: Db, { limit, client }: Window) =>
  db.read(async (orm) => {
    await orm.run(sql`update rate_limit_windows set hits = hits[1:cardinality(hits) - 1]
        where "limit" = ${limit} and client = ${client}`);
  });

const perStatement = 1_000;

/** Deletes windows without a hit since then, a thousand in a statement: all at once might exceed its timeout. */
export async function prune(db: Db, since: Date): Promise<void> {
  const isOver = sql`(cardinality(hits) = 0 or hits[cardinality(hits)] <= ${since.getTime()})`;
  const some = sql`array(select ctid from rate_limit_windows where ${isOver} limit ${perStatement})`;
  const deleteSome = sql`delete from rate_limit_windows where ctid = any (${some}) and ${isOver} returning 1`;
  while ((await db.read((orm) => orm.values(deleteSome))).length === perStatement);
}
