import { and, asc, eq, inArray, max, or, type SQL, sql } from "drizzle-orm";
import { type Db, type Orm, prepared } from "../engine/open";
import { lockInOrder } from "../lib/rows";
import { knownZone } from "../lib/time";
import { dueAfter, nextTime } from "../newsletter/sequence-entry";
import { termsOf } from "../newsletter/segments/saved";
import { broadcastRecipients } from "../schema/broadcasts";
import { subscribers } from "../schema/newsletter";
import { isStarted, sequencePeople, sequences, sequenceSteps } from "../schema/sequences";
import { atTheEnd, isCarriedOn, type Member, membersWhere, move, nextStep, type Step, stepsBeside } from "./members";

/* People of an earlier edition go on in a later one, if the manager who published that said so. */

const perCommit = 50; // they are locked meanwhile, as where they are moved on after an email

// The states are written out, so that SQLite uses the partial indices
const hasPeople = sql`(exists (select 1 from ${sequencePeople} where ${sequencePeople.stepRow} = ${sequenceSteps.row} and state = 0)
  or exists (select 1 from ${sequencePeople} where ${sequencePeople.stepRow} = ${sequenceSteps.row} and state = 2))`;

const stepsLeft = prepared((orm) =>
  orm
    .select({ row: sequenceSteps.row })
    .from(sequenceSteps)
    .innerJoin(sequences, eq(sequences.row, sequenceSteps.sequenceRow))
    .where(and(isCarriedOn, isStarted, hasPeople))
    .limit(1)
    .prepare(),
);

const isWaitingFor = (stepRow: number): SQL | undefined =>
  and(eq(sequencePeople.stepRow, stepRow), or(sql`${sequencePeople.state} = 0`, sql`${sequencePeople.state} = 2`));

/**
 * Lets some who wait in an earlier edition go on in the later one, after the last email that they had. No email of the
 * earlier one is claimed any more, so a crash in between loses and repeats nothing. Whoever is claimed follows once that
 * has an outcome. Cheap enough to call every second. Returns whether there were any.
 */
export async function carryOn(db: Db, now: Date): Promise<boolean> {
  const left = await db.read((orm) => stepsLeft(orm).get());
  if (!left) return false;
  await db.write(async (orm) => {
    const { row, subscriberRow } = sequencePeople;
    const some = await orm
      .select({ row, person: subscriberRow })
      .from(sequencePeople)
      .where(isWaitingFor(left.row))
      .limit(perCommit)
      .all();
    const people = some.map(({ person }) => person);
    await lockInOrder(orm, subscribers, inArray(subscribers.row, people)); // whoever leaves waits, and is stopped after this
    const places = some.map((each) => each.row);
    await carry(orm, left.row, await membersWhere(orm, and(inArray(row, [...places, 0]), isWaitingFor(left.row))), now);
  }, guarded);
  return true;
}

/** Guarded by the rows of the people and of their places, which it locks (docs/decisions/postgres.md). */
const guarded = { guarded: true } as const;

async function carry(orm: Orm, stepRow: number, members: Member[], now: Date): Promise<void> {
  const sequence = await orm
    .select({ carriesTo: sequences.carriesTo })
    .from(sequenceSteps)
    .innerJoin(sequences, and(eq(sequences.row, sequenceSteps.sequenceRow), isCarriedOn))
    .where(eq(sequenceSteps.row, stepRow))
    .get();
  const steps = await stepsBeside(orm, [stepRow]);
  const step = steps.find(({ row }) => row === stepRow);
  if (!sequence || !step) return;
  const { zone } = await termsOf(orm, now);
  const last = await lastSendings(orm, steps, members);
  for (const member of members) {
    const { place, person } = member;
    const next = nextStep(place, { step, steps, edition: sequence.carriesTo });
    const from = last.get(place.subscriberRow) ?? (place.sent ? now : place.enteredAt);
    const set = next
      ? { stepRow: next.row, dueAt: dueIn({ place, step, next, from, zone: knownZone(person.timeZone) ?? zone }, now) }
      : atTheEnd(now);
    await move(orm, place, set);
  }
}

type Carried = { place: Member["place"]; step: Step; next: Step; from: Date; zone: string };

/** The same email after the same wait is due when it was; another one as if it had been the next all along. */
function dueIn({ place, step, next, from, zone }: Carried, now: Date): Date | null {
  const isSame = next.number === step.number && next.waitHours === step.waitHours && next.atMinute === step.atMinute;
  return isSame ? place.dueAt : nextTime(dueAfter(from, next, zone), now, next, zone);
}

/** Returns when the provider accepted the last email to these people since they last began, as far as that is known. */
async function lastSendings(orm: Orm, steps: Step[], members: Member[]): Promise<Map<number, Date>> {
  const { broadcastRow, subscriberRow, run, acceptedAt } = broadcastRecipients;
  const runs = new Map(members.map(({ place }) => [place.subscriberRow, place.run]));
  const emails = steps.map((step) => step.broadcastRow);
  const sendings = await orm
    .select({ row: subscriberRow, run, at: max(acceptedAt) })
    .from(broadcastRecipients)
    .where(and(inArray(subscriberRow, [...runs.keys(), 0]), inArray(broadcastRow, emails)))
    .groupBy(subscriberRow, run)
    .orderBy(asc(subscriberRow))
    .all();
  return new Map(
    sendings.flatMap(({ row, run, at }) =>
      row !== null && at && runs.get(row) === run ? [[row, new Date(at)] as const] : [],
    ),
  );
}
