import { eq, sql } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import { bounceMailbox } from "../schema/mailbox";

type MailboxState = typeof bounceMailbox.$inferSelect;

/** How far a mailbox has been read. Undefined if it never was. */
export const mailboxState = (db: Db, name: string): Promise<MailboxState | undefined> =>
  db.read((orm) => select(orm, name));

const select = (orm: Orm, name: string) => orm.select().from(bounceMailbox).where(eq(bounceMailbox.name, name)).get();

/**
 * Notes that the mailbox was opened, and returns the last UID that was read. If its UIDs have changed their meaning, it
 * is read from the beginning: each report has its effect once.
 */
export const beginReading = (db: Db, name: string, uidValidity: number, now: Date): Promise<number> =>
  db.write(async (orm) => {
    const before = await select(orm, name);
    const lastUid = before?.uidValidity === uidValidity ? before.lastUid : 0;
    const values = { uidValidity, lastUid };
    await orm
      .insert(bounceMailbox)
      .values({ name, ...values, createdAt: now })
      .onConflictDoUpdate({ target: bounceMailbox.name, set: values })
      .run();
    return lastUid;
  });

/** What was read of a mailbox. `isComplete`: everything that was there. */
type Progress = { lastUid: number; reports: number; answers: number; isComplete: boolean };

export const recordProgress = (db: Db, name: string, progress: Progress, now: Date) =>
  db.write(async (orm) => {
    const { lastUid, reports, answers, isComplete } = progress;
    await orm
      .update(bounceMailbox)
      .set({
        lastUid,
        reports: sql`${bounceMailbox.reports} + ${reports}`,
        answers: sql`${bounceMailbox.answers} + ${answers}`,
        ...(isComplete && { searchedAt: now, problem: null, problemAt: null }),
      })
      .where(eq(bounceMailbox.name, name))
      .run();
  });

/** Keeps why the mailbox cannot be read, and since when. */
export const recordProblem = (db: Db, name: string, problem: string, now: Date) =>
  db.write(async (orm) => {
    await orm
      .insert(bounceMailbox)
      .values({ name, problem, problemAt: now, createdAt: now })
      .onConflictDoUpdate({
        target: bounceMailbox.name,
        set: { problem, problemAt: sql`coalesce(${bounceMailbox.problemAt}, ${now.getTime()})` },
      })
      .run();
  });
