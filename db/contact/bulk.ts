import { and, desc, eq, inArray, isNotNull, isNull, or, type SQL, sql } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import * as audit from "../audit";
import { auditTarget, type Changed, changeInCommits, rowsPerCommit, type UndoableSelection } from "../lib/bulk";
import { countRows } from "../lib/page";
import { lyingIn, matching, type Message, type MessageFilter } from "./messages";
import { messages } from "../schema/contact";

export type Chosen = UndoableSelection<MessageFilter>;
export type Move = keyof typeof moves | "delete";
export type Moved = Changed<Pick<Message, "id" | "name" | "email">>;

type Change = Partial<Pick<Message, "readAt" | "archivedAt" | "spamReason" | "quarantined" | "deletedAt">>;

/** What each move takes, and what it makes of it. Whoever is too late finds nothing to take. */
const moves = {
  read: { takes: isNull(messages.readAt), sets: (now) => ({ readAt: now }) },
  unread: { takes: isNotNull(messages.readAt), sets: () => ({ readAt: null }) },
  archive: { takes: lyingIn.inbox, sets: (now) => ({ archivedAt: now }) },
  unarchive: { takes: lyingIn.archived, sets: () => ({ archivedAt: null }) },
  spam: {
    takes: and(isNull(messages.deletedAt), isNull(messages.spamReason)),
    sets: (_, by) => ({ spamReason: `Marked by ${by}` }),
  },
  "not-spam": { takes: lyingIn.spam, sets: () => ({ spamReason: null, quarantined: false }) },
  release: { takes: lyingIn.quarantine, sets: () => ({ quarantined: false }) },
  trash: { takes: isNull(messages.deletedAt), sets: (now) => ({ deletedAt: now }) },
  restore: { takes: lyingIn.trash, sets: () => ({ deletedAt: null }) },
} satisfies Record<string, { takes: SQL | undefined; sets: (now: Date, by: string) => Change }>;

/**
 * Moves the chosen messages and notes it in the audit log, in commits of a thousand. `delete` is for good and takes
 * only what lies in the trash; everything else can be taken back.
 */
export const move = (db: Db, move: Move, chosen: Chosen, by: audit.Actor, now: Date): Promise<Moved> =>
  changeInCommits(db, (orm) => step(orm, move, chosen, by, now));

function step(orm: Orm, move: Move, chosen: Chosen, by: audit.Actor, now: Date) {
  const next = orm.select({ id: messages.id }).from(messages).where(taken(move, chosen)).limit(rowsPerCommit);
  const who = { id: messages.id, name: messages.name, email: messages.email };
  const these = inArray(messages.id, next);
  const batch =
    move === "delete"
      ? orm.delete(messages).where(these).returning(who).all()
      : orm.update(messages).set(moves[move].sets(now, by.actor)).where(these).returning(who).all();
  const target = auditTarget(batch[0], batch.length, ({ name, email }) => `${name} <${email}>`);
  if (batch.length) audit.record(orm, { ...by, action: `message.${move}`, ...target }, now);
  return batch;
}

/** How many the move would take now. */
export const countTaken = (db: Db, move: Move, chosen: Chosen) =>
  db.read((orm) => countRows(orm, messages, taken(move, chosen)));

const taken = (move: Move, chosen: Chosen) => and(among(chosen), move === "delete" ? lyingIn.trash : moves[move].takes);

function among(chosen: Chosen): SQL | undefined {
  if ("ids" in chosen) return inArray(messages.id, chosen.ids);
  if ("matching" in chosen) return matching(chosen.matching);
  return or(eq(messages.deletedAt, chosen.changedAt), eq(messages.archivedAt, chosen.changedAt));
}

/** All that match, the newest first, so many at a time: a list of any size takes little memory. */
export async function* batches(db: Db, filter: MessageFilter, most = 1_000): AsyncGenerator<Message[]> {
  let last: Message | undefined;
  do {
    const batch: Message[] = await db.read((orm) => {
      const order = [desc(messages.createdAt), desc(messages.id)];
      const next = orm
        .select({ id: messages.id })
        .from(messages)
        .where(and(matching(filter), last && olderThan(last)))
        .orderBy(...order)
        .limit(most);
      return orm
        .select()
        .from(messages)
        .where(inArray(messages.id, next))
        .orderBy(...order)
        .all();
    });
    if (batch.length) yield batch;
    last = batch.length < most ? undefined : batch.at(-1);
  } while (last);
}

const olderThan = ({ createdAt, id }: Message) =>
  sql`(${messages.createdAt}, ${messages.id}) < (${createdAt.getTime()}, ${id})`;
