import { eq } from "drizzle-orm";
import * as audit from "../audit";
import type { Db } from "../engine/open";
import { foldAll } from "../lib/fold";
import { subscribers } from "../schema/newsletter";
import { detailsOf, type Details } from "./details";

/**
 * Changes what managers may correct: all but the address. Returns the address; undefined if the subscriber no longer
 * exists.
 */
export const edit = (db: Db, id: string, details: Details, by: audit.Actor, now: Date) =>
  db.write(async (orm) => {
    const known = await orm.select().from(subscribers).where(eq(subscribers.id, id)).get();
    if (!known) return undefined;
    const values = detailsOf(details);
    if (Bun.deepEquals(detailsOf(known), values)) return known.email;
    const folded = foldAll(known.email, known.emailKey, values.name);
    await orm
      .update(subscribers)
      .set({ ...values, folded, updatedAt: now })
      .where(eq(subscribers.id, id))
      .run();
    await audit.record(orm, { ...by, action: "subscriber.change", targetId: id, target: known.email }, now);
    return known.email;
  });
