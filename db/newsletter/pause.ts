import { and, isNotNull, lte } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import { type Origin, recordEvents } from "../events/subscriber-events";
import { changeInCommits, rowsPerCommit } from "../lib/bulk";
import { hasId } from "../lib/rows";
import { dayMs } from "../lib/time";
import { subscribers } from "../schema/newsletter";
import { releaseHeld } from "./sequence-entry";

/* Who pauses gets no email until a day. Counters know no clock, so pauses are ended by `endPauses`. */

/** The longest pause. */
export const maxPauseMs = 92 * dayMs;

const { id, pausedUntil } = subscribers;

/** Pauses a subscription, or changes until when. Returns whether anything changed. */
export async function pause(
  orm: Orm,
  { person, until }: { person: string; until: Date },
  origin: Origin,
  now: Date,
): Promise<boolean> {
  const latest = new Date(Math.min(until.getTime(), now.getTime() + maxPauseMs));
  const changes = { pausedUntil: latest, updatedAt: now };
  const paused = await orm
    .update(subscribers)
    .set(changes)
    .where(hasId(id, [person]))
    .returning({ id })
    .all();
  const note = `until ${latest.toJSON().slice(0, 10)}`;
  await recordEvents(orm, { ids: paused.map((row) => row.id), kind: "paused" }, { ...origin, note }, now);
  return paused.length > 0;
}

/** Ends the pauses of these people. Returns whose there were. */
export async function resume(orm: Orm, ids: string[], origin: Origin, now: Date): Promise<string[]> {
  const isPaused = and(hasId(id, ids), isNotNull(pausedUntil));
  const changes = { pausedUntil: null, updatedAt: now };
  const resumed = await orm.update(subscribers).set(changes).where(isPaused).returning({ id }).all();
  const people = resumed.map((row) => row.id);
  await recordEvents(orm, { ids: people, kind: "resumed" }, origin, now);
  if (people.length) await releaseHeld(orm, people, now);
  return people;
}

/** Ends the pauses that are over, also of people who left meanwhile. */
export const endPauses = (db: Db, now: Date) =>
  changeInCommits(db, async (orm) => {
    const isOver = and(isNotNull(pausedUntil), lte(pausedUntil, now));
    const people = await orm.select({ id }).from(subscribers).where(isOver).limit(rowsPerCommit).all();
    return resume(
      orm,
      people.map((row) => row.id),
      { via: "clock" },
      now,
    );
  });
