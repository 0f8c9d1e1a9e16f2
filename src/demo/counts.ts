import { addToDay } from "../../db/daily-counts";
import type { Db } from "../../db/engine/open";
import { dayOf } from "../../db/lib/time";

/** The total since something was published, and how many days ago that was. */
export type Counted = { id: string; age: number; total: number };

/** Spreads the totals over the days, so that the charts agree with them. */
export const countByDay = (db: Db, kind: "view" | "click", counted: Counted[], now: Date) =>
  db.write(async (orm) => {
    for (let ago = Math.max(...counted.map(({ age }) => age)); ago >= 0; ago--) {
      const counts = counted.map((one) => [one.id, countOn(ago, one)] as const).filter(([, count]) => count > 0);
      await addToDay(orm, dayOf(now) - ago, { [kind]: new Map(counts) });
    }
  });

/** Most visits come soon after publishing. All days together have the total. */
function countOn(ago: number, { age, total }: Counted): number {
  const until = (left: number) => Math.round(total * Math.sqrt(Math.max(0, 1 - left / (age + 1))));
  return total && until(ago) - until(ago + 1);
}
