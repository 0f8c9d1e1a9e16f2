import { eq } from "drizzle-orm";
import * as audit from "../audit";
import type { Db } from "../engine/open";
import { foldAll } from "../lib/fold";
import { subscribers } from "../schema/newsletter";

type Details = { name?: string | undefined; source?: string | undefined };

/**
 * Changes what managers may correct: name and source. Returns the address; undefined if the subscriber no longer
 * exists.
 */
export const edit = (db: Db, id: string, { name = "", source = "" }: Details, by: audit.Actor, now: Date) =>
  db.write(async (orm) => {
    const known = await orm.select().from(subscribers).where(eq(subscribers.id, id)).get();
    if (!known) return undefined;
    const values = { name: name || null, source: source || null };
    if (known.name === values.name && known.source === values.source) return known.email;
    const folded = foldAll(known.email, known.emailKey, name);
    await orm
      .update(subscribers)
      .set({ ...values, folded, updatedAt: now })
      .where(eq(subscribers.id, id))
      .run();
    await audit.record(orm, { ...by, action: "subscriber.change", targetId: id, target: known.email }, now);
    return known.email;
  });
