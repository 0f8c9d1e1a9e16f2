import { and, desc, eq, inArray, isNull, or } from "drizzle-orm";
import type { Db } from "../../engine/open";
import { broadcasts } from "../../schema/broadcasts";
import { startedStates } from "../rules";

/** Returns the subjects of these broadcasts by ID, for segments that name one. */
export async function subjectsOf(db: Db, ids: string[]): Promise<Map<string, string>> {
  if (!ids.length) return new Map();
  const subjects = await db.read((orm) =>
    orm
      .select({ id: broadcasts.id, subject: broadcasts.subject })
      .from(broadcasts)
      .where(inArray(broadcasts.id, ids))
      .all(),
  );
  return new Map(subjects.map(({ id, subject }) => [id, subject]));
}

const maxOffered = 30;

/** Returns the sent broadcasts, newest first: a segment can leave out those who received one of them. */
export const received = (db: Db, chosen = "") =>
  db.read((orm) =>
    orm
      .select({ id: broadcasts.id, subject: broadcasts.subject })
      .from(broadcasts)
      .where(or(eq(broadcasts.id, chosen), and(inArray(broadcasts.state, startedStates), isNull(broadcasts.deletedAt))))
      .orderBy(desc(broadcasts.createdAt), desc(broadcasts.id))
      .limit(maxOffered)
      .all(),
  );
