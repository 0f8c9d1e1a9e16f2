import { and, desc, inArray, isNull, or, type SQL, sql } from "drizzle-orm";
import { type Db, type Orm, prepared } from "../engine/open";
import { isAmong } from "../lib/rows";
import { countActive } from "../newsletter/counts";
import { segmentCondition } from "../newsletter/segments/condition";
import {
  allOf,
  conditionsOf,
  freeze,
  type FrozenSegment,
  isEverybody,
  readSegment,
  type Segment,
} from "../newsletter/segments/definition";
import { countPeople, rowsIn, windowsOf } from "../newsletter/segments/people";
import { termsOf } from "../newsletter/segments/saved";
import { topicWithRow } from "../newsletter/topics";
import { broadcasts } from "../schema/broadcasts";
import { sequences } from "../schema/sequences";
import { isConfirmedByThem, isMailable, isOfName, subscribers, theirEvents } from "../schema/newsletter";
import { startedStates } from "./rules";
import { isNoStep } from "./steps";

/* The recipients of a broadcast: subscribers in the state `active`, neither suppressed nor taking a break (`isMailable` in
   `db/schema/newsletter.ts`), who had joined when it began, in its segment as it was confirmed. That is asked for each
   batch as it is claimed, and again before a batch that was refused is tried again (`sending/claim.ts`). */

/** `cursor`: the last row that was examined. `ceiling`: the last row there was when the broadcast began. */
type Progress = { cursor: number; ceiling: number };
/** Subscribers to claim, and the last row that was examined. */
export type Candidates = { rows: number[]; scannedTo: number };

/** Returns the next subscribers of the audience after the cursor, at most `size`, in order. */
export async function candidates(db: Db, at: Progress, segment: FrozenSegment, size: number): Promise<Candidates> {
  const rows: number[] = [];
  let scannedTo = at.cursor;
  for await (const window of windowsOf(db, segment, { after: at.cursor, upTo: at.ceiling })) {
    const limit = size - rows.length;
    const inWindow = await db.read((orm) => rowsIn(orm, window, { segment, where: isMailable }, limit));
    rows.push(...inWindow);
    scannedTo = rows.length < size ? window.upTo : (inWindow.at(-1) ?? window.upTo);
    if (rows.length >= size) break;
  }
  return { rows, scannedTo };
}

/**
 * Returns whom a broadcast is for, as it was confirmed; undefined if that cannot be read. Rows from before segments were
 * frozen have moments already.
 */
export function confirmedSegment({ frozenSegment, segment }: Confirmed): FrozenSegment | undefined {
  const confirmed = readSegment(frozenSegment ?? segment);
  return confirmed && freeze(confirmed, { now: new Date(0), zone: "UTC", language: "en" });
}
type Confirmed = Pick<typeof broadcasts.$inferSelect, "frozenSegment" | "segment">;

/** A draft's segment, and the row of the topic whose people it goes to. */
type Draft = { segment: string; topicRow: number | null };

/** Returns whom a draft would be sent to now; undefined if that cannot be known. */
export const draftAudience = (db: Db, draft: Draft, now: Date): Promise<FrozenSegment | undefined> =>
  db.read(async (orm) => {
    const segment = await segmentOf(orm, draft);
    const isKnown = segment && !(await unknownIn(orm, segment)).length;
    return isKnown ? freeze(segment, await termsOf(orm, now)) : undefined;
  });

/** Returns a draft's segment, limited to the people who have chosen its topic; undefined if it cannot be read. */
export async function segmentOf(orm: Orm, { segment: json, topicRow }: Draft): Promise<Segment | undefined> {
  const segment = readSegment(json);
  if (!segment || topicRow === null) return segment;
  const topic = await topicWithRow(orm, topicRow);
  return topic && allOf([{ field: "topic", is: "any", of: [topic.slug] }], segment);
}

/** Returns the broadcasts and sequences that a segment names and whose people are not known, or no longer. */
export async function unknownIn(orm: Orm, segment: Segment): Promise<string[]> {
  const ids = conditionsOf(segment).flatMap((each) =>
    each.field === "broadcast" || each.field === "sequence" ? each.of : [],
  );
  if (!ids.length) return [];
  const isKnown = and(inArray(broadcasts.id, ids), isNull(broadcasts.detailGoneAt));
  const sent = await orm.select({ id: broadcasts.id }).from(broadcasts).where(isKnown).all();
  const begun = await orm.select({ id: sequences.id }).from(sequences).where(inArray(sequences.id, ids)).all();
  return ids.filter((id) => ![...sent, ...begun].some((row) => row.id === id));
}

/** Where the archive has a new draft at first: a text for some people only is not listed. */
export const archiveFor = (segment: Segment): "listed" | "unlisted" => (isEverybody(segment) ? "listed" : "unlisted");

/** Counts the audience exactly. */
export const countAudience = (db: Db, segment: FrozenSegment): Promise<number> =>
  isEverybody(segment) ? db.read(countActive) : countPeople(db, { segment, where: isMailable });

/**
 * Returns those of the subscribers who are still in the audience, in order. A name is returned only if it is trusted.
 *
 * @param also what else must hold
 */
export async function stillInAudience(orm: Orm, rows: number[], segment: FrozenSegment, also?: SQL) {
  if (!rows.length) return [];
  const query = !also && isEverybody(segment) ? stillMailable(orm) : among(orm, and(segmentCondition(segment), also));
  return query.all({ rows: JSON.stringify(rows), most: rows.length });
}

/** Condition: an event that says how someone is called. */
const saysName = sql`(e.kind in ('imported', 'subscribed') or e.kind = 'changed' and ${isOfName})`;

/**
 * Condition: the name may be written. They confirmed the address, or an import, a manager or they themselves said it
 * last (D33): what a form or a program says, anyone may have typed.
 */
const isNameTrusted = sql`${isConfirmedByThem}
  or (select e.kind = 'imported' or e.via in ('manager', 'cli', 'preferences') ${theirEvents} and ${saysName}
    order by e.created_at desc, e.id desc limit 1)`;

/** Most broadcasts and emails of sequences are for everyone: making their statement takes longer than running it. */
const stillMailable = prepared((orm) => among(orm, undefined));

/** Those of the subscribers in the parameter `rows` who get emails. */
const among = (orm: Orm, where: SQL | undefined) => {
  const { row } = subscribers;
  const columns = {
    row: sql<number>`${row}`.mapWith(Number),
    email: sql<string>`${subscribers.email}`,
    name: sql<string | null>`case when ${isNameTrusted} then ${subscribers.name} end`,
    language: sql<string | null>`${subscribers.language}`,
  };
  const people = orm.select(columns).from(theseRows);
  return people.where(and(isMailable, where)).orderBy(row).prepare();
};

/** Subscribers by their rows, behind a limit for the same reason as in `peopleIn` (`segments/people.ts`). */
const theseRows = sql`(select * from ${subscribers} where ${isAmong(subscribers.row)} limit ${sql.placeholder("most")}) as ${subscribers}`;

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
