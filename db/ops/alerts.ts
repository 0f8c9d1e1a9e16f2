import { and, asc, eq, isNotNull, sql } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import { emit } from "../events/webhook-events";
import { dayMs } from "../lib/time";
import * as outbox from "../mail/outbox";
import { alerts } from "../schema/alerts";
import { outbox as emails } from "../schema/mail";

export type OpenAlert = typeof alerts.$inferSelect;

/** What is wrong with a subject: a title without a full stop, and sentences about it. */
export type Fault = Pick<OpenAlert, "subject" | "title" | "detail">;

/** The result of a check. Of the unknown subjects it could not find out whether they are well. */
export type Checked = { name: string; faults: Fault[]; unknown: string[] };

/** How an alert is told. */
type Telling = {
  /** How long something must be wrong before it is told, and well before that is. */
  confirmMs: number;
  /** Who gets an email; undefined if no one does. */
  recipient: string | undefined;
};

/** What was told: that something is wrong, or that it no longer is. */
type Told = { change: "raised" | "cleared"; alert: OpenAlert };

const repeatMs = 7 * dayMs;

/** Returns what is wrong and has been told, the oldest first. */
export const openAlerts = (db: Db) =>
  db.read((orm) =>
    orm.select().from(alerts).where(isNotNull(alerts.toldAt)).orderBy(asc(alerts.since), asc(alerts.id)).all(),
  );

/** Returns the rows of one alert, also those that have not been told yet. */
export const rowsOf = (db: Db, name: string): Promise<OpenAlert[]> => db.read((orm) => select(orm, name));

const select = (orm: Orm, name: string) => orm.select().from(alerts).where(eq(alerts.name, name)).all();

/**
 * Records what a check saw. Something wrong is told once by a webhook event and an email, again after a week, and once
 * when it is well again, all in the commit that records it: of several processes one tells. Writes nothing if nothing
 * has changed.
 */
export async function record(db: Db, checked: Checked, telling: Telling, now: Date): Promise<Told[]> {
  if (!stepsFor(await rowsOf(db, checked.name), checked, telling.confirmMs, now).length) return [];
  return db.write(async (orm) => {
    const told: Told[] = [];
    for (const step of stepsFor(await select(orm, checked.name), checked, telling.confirmMs, now)) {
      const change = await take(orm, step, telling.recipient, now);
      if (change) told.push(change);
    }
    return told;
  });
}

type Step =
  | { do: "add"; row: Omit<OpenAlert, "id"> }
  | { do: "raise" | "clear" | "forget"; row: OpenAlert }
  | { do: "update"; row: OpenAlert };

/** Whether that time is so long ago; also if it is in the future, by a clock that was wrong. */
const isOver = (at: Date, milliseconds: number, now: Date) => Math.abs(now.getTime() - at.getTime()) >= milliseconds;

function stepsFor(rows: OpenAlert[], { name, faults, unknown }: Checked, confirmMs: number, now: Date): Step[] {
  const bySubject = new Map(rows.map((row) => [row.subject, row]));
  const wrong = faults.flatMap((fault): Step[] => {
    const row = bySubject.get(fault.subject);
    if (!row) return [{ do: "add", row: { name, ...fault, since: now, toldAt: null, quietSince: null } }];
    const current = { ...row, ...fault, quietSince: null };
    const isDue = row.toldAt ? isOver(row.toldAt, repeatMs, now) : isOver(row.since, confirmMs, now);
    if (isDue) return [{ do: "raise", row: { ...current, toldAt: now } }];
    const isSame = row.title === fault.title && row.detail === fault.detail && !row.quietSince;
    return isSame ? [] : [{ do: "update", row: current }];
  });
  const subjects = new Set([...faults.map(({ subject }) => subject), ...unknown]);
  const well = rows
    .filter(({ subject }) => !subjects.has(subject))
    .flatMap((row): Step[] => {
      if (!row.toldAt) return [{ do: "forget", row }];
      if (!row.quietSince) return [{ do: "update", row: { ...row, quietSince: now } }];
      return isOver(row.quietSince, confirmMs, now) ? [{ do: "clear", row }] : [];
    });
  return [...wrong, ...well];
}

async function take(orm: Orm, step: Step, recipient: string | undefined, now: Date): Promise<Told | undefined> {
  if (step.do === "add") return void (await orm.insert(alerts).values(step.row).onConflictDoNothing().run());
  const { row } = step;
  const isThis = eq(alerts.id, row.id);
  if (step.do === "raise" || step.do === "update") await orm.update(alerts).set(row).where(isThis).run();
  else await orm.delete(alerts).where(isThis).run();
  if (step.do === "update" || step.do === "forget") return;
  const told: Told = { change: step.do === "raise" ? "raised" : "cleared", alert: row };
  await tell(orm, told, recipient, now);
  return told;
}

async function tell(orm: Orm, { change, alert }: Told, recipient: string | undefined, now: Date): Promise<void> {
  const { id, name, subject, title, detail } = alert;
  const since = alert.since.toISOString();
  await emit(orm, { type: `alert.${change}`, data: { id, name, subject, title, detail, since } }, now);
  if (change === "cleared" && (await cancelWaiting(orm, id))) return; // no one was told by email that something is wrong
  const payload = { about: "alert", change, name, title, detail, since };
  if (recipient) await outbox.enqueue(orm, { kind: "notice", recipient, subjectId: id, payload }, now);
}

/** Cancels the email about an alert that no attempt was made to send. Returns whether there was one. */
async function cancelWaiting(orm: Orm, id: string): Promise<boolean> {
  const isWaiting = and(eq(emails.subjectId, id), sql`state = 'queued'`, eq(emails.attempts, 0));
  const cancelled = await orm
    .update(emails)
    .set({ state: "cancelled" })
    .where(isWaiting)
    .returning({ id: emails.id })
    .all();
  return cancelled.length > 0;
}
