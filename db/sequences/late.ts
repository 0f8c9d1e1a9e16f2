import { and, eq, gt, inArray, lte, sql } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import { hourMs, knownZone } from "../lib/time";
import { termsOf } from "../newsletter/segments/saved";
import { subscribers } from "../schema/newsletter";
import { sequencePeople, sequences, sequenceSteps } from "../schema/sequences";
import { goOn, membersWhere, stepsBeside, stop } from "./members";
import type { Sequence } from "./sequences";

/* Emails that should have been sent days ago: the service, or the sequence, stood still. */

/** From so many people on, whose email is late by so much, a manager decides. */
const late = { people: 100, ms: 72 * hourMs };
const perCommit = 200;

/** Condition: in the sequence, and due for so long. The state is written out, so that SQLite uses the partial index. */
const isLate = (orm: Orm, { row, reviewedAt }: Pick<Sequence, "row" | "reviewedAt">, now: Date) =>
  and(
    inArray(
      sequencePeople.stepRow,
      orm.select({ row: sequenceSteps.row }).from(sequenceSteps).where(eq(sequenceSteps.sequenceRow, row)),
    ),
    sql`${sequencePeople.state} = 0`,
    lte(sequencePeople.dueAt, new Date(now.getTime() - late.ms)),
    reviewedAt ? gt(sequencePeople.dueAt, new Date(reviewedAt.getTime() - late.ms)) : undefined,
  );

/** Counts the people whose next email is days late, up to one more than need a decision. */
export const countLate = (db: Db, sequence: Pick<Sequence, "row" | "reviewedAt">, now: Date): Promise<number> =>
  db.read(async (orm) => {
    const some = orm
      .select({ row: sequencePeople.row })
      .from(sequencePeople)
      .where(isLate(orm, sequence, now));
    return (await some.limit(late.people + 1).all()).length;
  });

/** Whether the sequence of this email has to pause, because too many people would get old news. */
export async function isTooLate(db: Db, broadcastRow: number, now: Date): Promise<boolean> {
  const sequence = await db.read((orm) =>
    orm
      .select({ row: sequences.row, reviewedAt: sequences.reviewedAt })
      .from(sequenceSteps)
      .innerJoin(sequences, eq(sequences.row, sequenceSteps.sequenceRow))
      .where(eq(sequenceSteps.broadcastRow, broadcastRow))
      .get(),
  );
  return sequence !== undefined && (await countLate(db, sequence, now)) > late.people;
}

/**
 * Lets everyone whose email is days late go on with the one after it, or stops them. For a paused sequence. Those for
 * whom something becomes due again are not late any more, so this ends.
 */
export async function skipOrStopLate(db: Db, sequence: Sequence, how: "skip" | "stop", now: Date): Promise<number> {
  for (let count = 0; ;) {
    const moved = await db.write(async (orm) => {
      const isOne = isLate(orm, { row: sequence.row, reviewedAt: null }, now);
      const rows = await orm
        .select({ row: sequencePeople.row })
        .from(sequencePeople)
        .innerJoin(subscribers, eq(subscribers.row, sequencePeople.subscriberRow))
        .where(isOne)
        .limit(perCommit)
        .all();
      const these = rows.map(({ row }) => row);
      if (!these.length) return 0;
      const members = await membersWhere(orm, inArray(sequencePeople.row, these));
      const steps = await stepsBeside(orm, [...new Set(members.flatMap(({ place }) => place.stepRow ?? []))]);
      const { zone: siteZone } = await termsOf(orm, now);
      for (const member of members) {
        const { place, person } = member;
        const step = steps.find(({ row }) => row === place.stepRow);
        const zone = knownZone(person.timeZone) ?? siteZone;
        if (how === "stop" || !step) await stop(orm, place, "late", now);
        else {
          const edition = Math.max(step.edition, sequence.carriesTo);
          await goOn(orm, member, { step, steps, edition, sent: place.sent, from: now, zone }, now);
        }
      }
      return these.length;
    });
    count += moved;
    if (moved < perCommit) return count;
  }
}
