import { createHmac, randomBytes } from "node:crypto";
import { eq, lt } from "drizzle-orm";
import type { Db, Orm } from "./engine/open";
import { deleteInCommits } from "./lib/bulk";
import { visitSalts, visits } from "./schema/counts";

/** A visit: the ID of what was seen, and what distinguishes visitors within a day. */
export type Visit = {
  kind: "view" | "click" | "page";
  id: string;
  visitor: string;
  /** The host that a reader came from. */
  host?: string | undefined;
};

/**
 * Records the visits of a day. Returns those that no process recorded before. Earlier days lose their salt. Every
 * process writes in the same order, so that no two wait for each other.
 */
export async function record(orm: Orm, day: number, seen: Visit[]): Promise<Visit[]> {
  await orm.delete(visitSalts).where(lt(visitSalts.day, day)).run();
  const salt = await saltOf(orm, day);
  const first: Visit[] = [];
  for (const visit of seen.toSorted((a, b) => (personOf(a) < personOf(b) ? -1 : 1))) {
    const visitor = createHmac("sha256", salt).update(personOf(visit)).digest("base64url");
    const row = await orm.insert(visits).values({ day, visitor }).onConflictDoNothing().returning().get();
    if (row) first.push(visit);
  }
  return first;
}

/** The person, different for each thing seen. */
const personOf = ({ id, visitor }: Visit) => `${id} ${visitor}`;

/** Deletes the visits of earlier days, which can no longer be linked to anything. */
export const deleteBefore = (db: Db, day: number): Promise<number> =>
  deleteInCommits(db, { table: visits, key: [visits.day, visits.visitor], where: lt(visits.day, day) });

async function saltOf(orm: Orm, day: number): Promise<string> {
  const salt = randomBytes(32).toString("hex");
  await orm.insert(visitSalts).values({ day, salt }).onConflictDoNothing().run();
  return (await orm.select().from(visitSalts).where(eq(visitSalts.day, day)).get())?.salt ?? salt;
}
