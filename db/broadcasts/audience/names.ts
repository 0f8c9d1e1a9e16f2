import { and, desc, inArray, isNull, or, sql } from "drizzle-orm";
import type { Db } from "../../engine/open";
import { broadcasts } from "../../schema/broadcasts";
import { startedStates } from "../rules";
import { isNoStep } from "../steps";

/**
 * Returns the subjects of these broadcasts by ID, quoted, for segments that name one. If others have the same, it ends
 * with the end of the ID.
 */
export async function subjectsOf(db: Db, ids: string[]): Promise<Map<string, string>> {
  if (!ids.length) return new Map();
  const others = sql<number>`(select count(*) from broadcasts b where b.subject = ${broadcasts.subject})`;
  const subjects = await db.read((orm) =>
    orm
      .select({ id: broadcasts.id, subject: broadcasts.subject, namesakes: others })
      .from(broadcasts)
      .where(inArray(broadcasts.id, ids))
      .all(),
  );
  const nameOf = ({ id, subject, namesakes }: (typeof subjects)[number]) =>
    Number(namesakes) > 1 ? `“${subject}” (…${id.slice(-6)})` : `“${subject}”`;
  return new Map(subjects.map((broadcast) => [broadcast.id, nameOf(broadcast)]));
}

const maxOffered = 30;

/** Returns the sent broadcasts, newest first, and those that are chosen already. */
export const received = (db: Db, chosen: string[] = []) =>
  db.read((orm) =>
    orm
      .select({ id: broadcasts.id, subject: broadcasts.subject })
      .from(broadcasts)
      .where(
        or(
          inArray(broadcasts.id, chosen),
          and(
            isNoStep,
            inArray(broadcasts.state, startedStates),
            isNull(broadcasts.deletedAt),
            isNull(broadcasts.detailGoneAt),
          ),
        ),
      )
      .orderBy(desc(broadcasts.createdAt), desc(broadcasts.id))
      .limit(maxOffered)
      .all(),
  );
