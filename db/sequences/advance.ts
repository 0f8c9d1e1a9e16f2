import { and, asc, eq, inArray, isNull, ne, or, sql } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import { lockInOrder } from "../lib/rows";
import { knownZone } from "../lib/time";
import { termsOf } from "../newsletter/segments/saved";
import { broadcastRecipients, recipientStates } from "../schema/broadcasts";
import { subscribers } from "../schema/newsletter";
import { sequencePeople, sequences, sequenceSteps, sequenceStates } from "../schema/sequences";
import {
  goOn,
  type Member,
  membersWhere,
  move,
  obstacleOf,
  type Step,
  stepsBeside,
  stop,
  withoutSent,
} from "./members";

const perCommit = 50; // they are locked meanwhile: whoever leaves waits for as many round trips

/** What became of the email to a member; without a recipient, its details were deleted, so it was sent. */
const { state, acceptedAt, bouncedAt } = broadcastRecipients;

const settled = (orm: Orm) =>
  orm
    .select({
      place: sequencePeople.row,
      person: sequencePeople.subscriberRow,
      step: sequenceSteps,
      sequence: { state: sequences.state, carriesTo: sequences.carriesTo },
      outcome: { state, acceptedAt, bouncedAt },
    })
    .from(sequencePeople)
    .innerJoin(sequenceSteps, eq(sequenceSteps.row, sequencePeople.stepRow))
    .innerJoin(sequences, eq(sequences.row, sequencePeople.sequenceRow))
    .leftJoin(
      broadcastRecipients,
      and(
        eq(broadcastRecipients.broadcastRow, sequenceSteps.broadcastRow),
        eq(broadcastRecipients.subscriberRow, sequencePeople.subscriberRow),
        eq(broadcastRecipients.run, sequencePeople.run),
      ),
    );

// The state is written out, so that SQLite uses the partial index
const isSettled = and(sql`${sequencePeople.state} = 1`, or(isNull(state), ne(state, recipientStates.claimed)));

type Settled = Awaited<ReturnType<ReturnType<typeof settled>["all"]>>[number];

/**
 * Moves on the members whose email has an outcome. Until then they stay claimed, so a crash in between loses and repeats
 * nothing: the recipients' rows decide. Cheap enough to call every second. Returns whether there were any.
 */
export async function advance(db: Db, now: Date): Promise<boolean> {
  const some = await db.read((orm) =>
    settled(orm).where(isSettled).orderBy(asc(sequencePeople.row)).limit(perCommit).all(),
  );
  if (!some.length) return false;
  await db.write(async (orm) => {
    const rows = some.map(({ person }) => person);
    await lockInOrder(orm, subscribers, inArray(subscribers.row, rows)); // whoever leaves waits, and is stopped after this
    const places = some.map(({ place }) => place);
    const still = await settled(orm)
      .where(and(isSettled, inArray(sequencePeople.row, places)))
      .all();
    const { zone } = await termsOf(orm, now);
    const steps = await stepsBeside(orm, [...new Set(still.map(({ step }) => step.row))]);
    const byPlace = new Map(still.map((each) => [each.place, each]));
    for (const member of await membersWhere(orm, inArray(sequencePeople.row, [...byPlace.keys(), 0]))) {
      const its = byPlace.get(member.place.row);
      if (its) await advanceOne(orm, member, { ...its, steps, siteZone: zone }, now);
    }
  }, guarded);
  return true;
}

/** Guarded by the rows of the people and of their places, which it locks (docs/decisions/postgres.md). */
const guarded = { guarded: true } as const;

type Outcome = Settled & { steps: Step[]; siteZone: string };

async function advanceOne(orm: Orm, member: Member, { step, steps, sequence, outcome, siteZone }: Outcome, now: Date) {
  const { place, person } = member;
  const obstacle = place.reason ?? (sequence.state === "off" ? "ended" : obstacleOf(member));
  if (outcome?.state === recipientStates.failed)
    return stop(orm, place, outcome.bouncedAt ? "suppressed" : (place.reason ?? "refused"), now);
  const isSkipped = outcome?.state === recipientStates.skipped;
  const sent = isSkipped ? withoutSent(place.sent, step.number) : place.sent;
  if (obstacle && obstacle !== "held") return move(orm, place, { ...ended(obstacle, now), sent });
  const zone = knownZone(person.timeZone) ?? siteZone;
  const edition = Math.max(step.edition, sequence.carriesTo);
  if (!isSkipped) return goOn(orm, member, { step, steps, edition, sent, from: outcome?.acceptedAt ?? now, zone }, now);
  const again = obstacle === "held" ? sequenceStates.held : sequenceStates.waiting;
  return move(orm, place, { state: again, sent, dueAt: now });
}

const ended = (reason: string, now: Date) => ({ state: sequenceStates.stopped, reason, dueAt: null, endedAt: now });
