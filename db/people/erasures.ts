import { and, eq, inArray, isNotNull, isNull } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import { ensureAddressKey } from "../installation";
import { broadcastBatches, broadcastRecipients } from "../schema/broadcasts";
import { erasures } from "../schema/suppressions";
import { hashWith } from "../suppressions/suppressions";
import { erase, type Eraser, type Erasing, type Erasure } from "./erase";
import { appendErasure } from "./erasure-log";

/**
 * Erases a person, after recording outside the database that it was begun.
 *
 * @param logFile the log of erasures next to the database
 */
export async function erasePerson(
  db: Db,
  logFile: string,
  what: Omit<Erasing, "id" | "at">,
  by: Eraser,
  now: Date,
): Promise<Erasure> {
  const id = Bun.randomUUIDv7();
  const key = await db.write(ensureAddressKey);
  appendErasure(logFile, key, { id, at: now, hash: hashWith(key, what.email), scope: what.scope });
  return erase(db, { ...what, id }, by, now);
}

/** Returns an erasure; `isWaiting` while an email with an unknown outcome may have to be repeated unchanged. */
export const byId = (db: Db, id: string) =>
  db.read(async (orm) => {
    const erasure = await orm.select().from(erasures).where(eq(erasures.id, id)).get();
    return erasure && { ...erasure, isWaiting: (await stillFrozen(orm, erasure)) > 0 };
  });

/** Records how often the address was found in the database file after the erasure. */
export const checked = (db: Db, id: string, remnants: number | undefined, now: Date) =>
  db.write((orm) =>
    orm
      .update(erasures)
      .set({ checkedAt: now, remnants: remnants ?? null })
      .where(eq(erasures.id, id))
      .run(),
  );

/** Returns the finished erasures after which the database file was not searched, the oldest first. */
export const unchecked = (db: Db) =>
  db.read((orm) =>
    orm
      .select({ id: erasures.id, scope: erasures.scope })
      .from(erasures)
      .where(and(isNotNull(erasures.finishedAt), isNull(erasures.checkedAt)))
      .orderBy(erasures.id)
      .all(),
  );

async function stillFrozen(orm: Orm, { waitsFor }: Erasure): Promise<number> {
  if (!waitsFor) return 0;
  const where = and(inArray(broadcastBatches.row, waitsFor), isNotNull(broadcastBatches.frozen));
  return (await orm.select({ row: broadcastBatches.row }).from(broadcastBatches).where(where).all()).length;
}

/**
 * Ends the erasures whose last emails are settled, and deletes the errors of these emails, which may name the person.
 * The number of remnants that was found included these emails, and the search cannot be repeated.
 */
export const endWaiting = (db: Db) =>
  db.write(async (orm) => {
    for (const erasure of await orm.select().from(erasures).where(isNotNull(erasures.waitsFor)).limit(100).all()) {
      if ((await stillFrozen(orm, erasure)) > 0) continue;
      const batches = erasure.waitsFor ?? [];
      const { batchRow, subscriberRow } = broadcastRecipients;
      const unknown = and(inArray(batchRow, batches), isNull(subscriberRow));
      await orm.update(broadcastRecipients).set({ error: null, providerId: null }).where(unknown).run();
      await orm.update(broadcastBatches).set({ lastError: null }).where(inArray(broadcastBatches.row, batches)).run();
      await orm.update(erasures).set({ waitsFor: null, remnants: null }).where(eq(erasures.id, erasure.id)).run();
    }
  });
