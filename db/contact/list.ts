import { and, desc, eq, inArray, isNotNull, isNull, or, sql, type SQL } from "drizzle-orm";
import * as audit from "../audit";
import type { Db, Orm } from "../engine/open";
import { auditTarget, type Changed, changeInCommits, rowsPerCommit, type UndoableSelection } from "../lib/bulk";
import { contains } from "../lib/fold";
import {
  countRows,
  countUpTo,
  type FoundRows,
  hasId,
  isWithin,
  newestSearched,
  pageOf,
  type PageRequest,
  type Period,
} from "../lib/rows";
import { messageEntries, messages } from "../schema/contact";
import { type Box, boxConditions, type Message, spamReasons } from "./messages";
import { emitReceived } from "./submissions";

export type MessageFilter = Period & {
  box: Box;
  /** Found anywhere in name, email, message, or what followed it, ignoring case. */
  q?: string | undefined;
  source?: string | undefined;
  /** The ID of the manager who answers. */
  assignee?: string | undefined;
  /** The ID of the API key by which a site sent it on behalf of a visitor. */
  key?: string | undefined;
};

const matching = ({ box, q, source, assignee, key, ...period }: MessageFilter) =>
  and(
    boxConditions[box],
    q ? containsText(q) : undefined,
    source ? eq(messages.source, source) : undefined,
    assignee ? eq(messages.assigneeId, assignee) : undefined,
    key ? eq(messages.apiKeyId, key) : undefined,
    isWithin(messages.createdAt, period),
  );

/**
 * Condition: the message, or a reply, an answer or a note that followed it, contains a text. The index of conversations
 * finds what followed, so no more is read than belongs to the messages that are searched.
 */
const containsText = (q: string) => sql`(${messages.folded} like ${contains(q)} escape '\\' or exists (
  select 1 from ${messageEntries} where ${messageEntries.messageId} = ${messages.id}
    and ${messageEntries.folded} like ${contains(q)} escape '\\'))`;

/** Returns one page of a box, those first who wrote last. A page past the end is the last page. */
export const list = (db: Db, filter: MessageFilter, request: PageRequest) =>
  db.read(async (orm) => {
    const where = matching(filter);
    const order = [desc(messages.surfacedAt), desc(messages.id)];
    const inOrder = orm
      .select({ id: messages.id }) // from the index alone, so that only these rows are read
      .from(messages)
      .where(where)
      .orderBy(...order);
    return pageOf(await countRows(orm, messages, where), request, (limit, offset) =>
      orm
        .select()
        .from(messages)
        .where(inArray(messages.id, inOrder.limit(limit).offset(offset)))
        .orderBy(...order)
        .all(),
    );
  });

/** Counts the messages in each box. */
export const counts = (db: Db): Promise<Record<Box, number>> =>
  db.read(async (orm) => {
    const lying = (box: Box) => countRows(orm, messages, boxConditions[box]);
    return {
      inbox: await lying("inbox"),
      snoozed: await lying("snoozed"),
      archived: await lying("archived"),
      quarantine: await lying("quarantine"),
      spam: await lying("spam"),
      trash: await lying("trash"),
    };
  });

/** Finds a text in the newest conversations of the inbox and the archive, and in those snoozed. */
export const find = (db: Db, q: string, limit: number) =>
  db.read(async (orm): Promise<FoundRows<Message>> => {
    const where = sql`${messages.id} in (select id from ${newest(orm, "inbox")} union all select id from ${newest(orm, "snoozed")}
        union all select id from ${newest(orm, "archived")})
      and ${containsText(q)}`;
    const order = [desc(messages.surfacedAt), desc(messages.id)];
    const matches = await orm
      .select({ id: messages.id })
      .from(messages)
      .where(where)
      .orderBy(...order)
      .all(); // read once, also for counting: reading the texts is what costs
    const first = matches.slice(0, limit).map(({ id }) => id);
    const rows = await orm
      .select()
      .from(messages)
      .where(inArray(messages.id, first))
      .orderBy(...order)
      .all();
    return { rows, total: matches.length, isMore: (await isLong(orm, "inbox")) || (await isLong(orm, "archived")) };
  });

type Searched = "inbox" | "snoozed" | "archived";

/** In the order of the index `messages_box`. */
const newest = (orm: Orm, box: Searched) =>
  orm
    .select({ id: messages.id })
    .from(messages)
    .where(boxConditions[box])
    .orderBy(box === "archived" ? desc(messages.archivedAt) : desc(messages.surfacedAt))
    .limit(newestSearched)
    .as(box);

const isLong = async (orm: Orm, box: Searched) =>
  (await countUpTo(orm, newestSearched, messages, boxConditions[box])) > newestSearched;

type MessageSelection = UndoableSelection<MessageFilter>;
export type MessageAction = keyof typeof actions | "delete";
export type ChangedMessages = Changed<Pick<Message, "id" | "name" | "email">>;

type MessageChange = Partial<
  Pick<Message, "readAt" | "archivedAt" | "snoozedUntil" | "spamReason" | "quarantined" | "deletedAt">
>;

/** For each action: which messages it applies to and what it sets. Messages that no longer qualify are skipped. */
const actions = {
  read: { appliesTo: isNull(messages.readAt), changes: (now) => ({ readAt: now }) },
  unread: { appliesTo: isNotNull(messages.readAt), changes: () => ({ readAt: null }) },
  archive: {
    appliesTo: or(boxConditions.inbox, boxConditions.snoozed),
    changes: (now) => ({ archivedAt: now, snoozedUntil: null }),
  },
  wake: { appliesTo: boxConditions.snoozed, changes: () => ({ snoozedUntil: null }) },
  unarchive: { appliesTo: boxConditions.archived, changes: () => ({ archivedAt: null }) },
  spam: {
    appliesTo: and(isNull(messages.deletedAt), isNull(messages.spamReason)),
    changes: (_, by) => ({ spamReason: spamReasons.markedBy(by) }),
  },
  "not-spam": { appliesTo: boxConditions.spam, changes: () => ({ spamReason: null, quarantined: false }) },
  release: { appliesTo: boxConditions.quarantine, changes: () => ({ quarantined: false }) },
  trash: { appliesTo: isNull(messages.deletedAt), changes: (now) => ({ deletedAt: now }) },
  restore: { appliesTo: boxConditions.trash, changes: () => ({ deletedAt: null }) },
} satisfies Record<string, { appliesTo: SQL | undefined; changes: (now: Date, by: string) => MessageChange }>;

/**
 * Applies an action to the selected messages and records it in the audit log, in commits of a thousand. `delete` is
 * permanent and applies only to messages in the trash; every other action can be undone.
 */
export const applyAction = (
  db: Db,
  { action, selection }: { action: MessageAction; selection: MessageSelection },
  by: audit.Actor,
  now: Date,
): Promise<ChangedMessages> => changeInCommits(db, (orm) => step(orm, { action, selection }, by, now));

async function step(
  orm: Orm,
  { action, selection }: { action: MessageAction; selection: MessageSelection },
  by: audit.Actor,
  now: Date,
) {
  const next = orm.select({ id: messages.id }).from(messages).where(affected(action, selection)).limit(rowsPerCommit);
  const who = { id: messages.id, name: messages.name, email: messages.email };
  const these = inArray(messages.id, next);
  const batch =
    action === "delete"
      ? await orm.delete(messages).where(these).returning(who).all()
      : await orm.update(messages).set(actions[action].changes(now, by.actor)).where(these).returning(who).all();
  const target = auditTarget(batch[0], batch.length, ({ name, email }) => `${name} <${email}>`);
  if (batch.length) await audit.record(orm, { ...by, action: `message.${action}`, ...target }, now);
  if (action === "release") {
    const ids = batch.map(({ id }) => id);
    await emitReceived(orm, await orm.select().from(messages).where(hasId(messages.id, ids)).all(), now);
  }
  return batch;
}

/** Counts the messages the action would change now. */
export const countAffected = (db: Db, action: MessageAction, selection: MessageSelection) =>
  db.read((orm) => countRows(orm, messages, affected(action, selection)));

const affected = (action: MessageAction, selection: MessageSelection) =>
  and(isSelected(selection), action === "delete" ? boxConditions.trash : actions[action].appliesTo);

function isSelected(selection: MessageSelection): SQL | undefined {
  if ("ids" in selection) return inArray(messages.id, selection.ids);
  if ("matching" in selection) return matching(selection.matching);
  return or(eq(messages.deletedAt, selection.changedAt), eq(messages.archivedAt, selection.changedAt));
}

/** Yields all matching messages, newest first, in batches, so that memory use does not depend on their number. */
export async function* batches(db: Db, filter: MessageFilter, batchSize = 1_000): AsyncGenerator<Message[]> {
  let last: Message | undefined;
  do {
    const batch: Message[] = await db.read((orm) => {
      const order = [desc(messages.createdAt), desc(messages.id)];
      const next = orm
        .select({ id: messages.id })
        .from(messages)
        .where(and(matching(filter), last && olderThan(last)))
        .orderBy(...order)
        .limit(batchSize);
      return orm
        .select()
        .from(messages)
        .where(inArray(messages.id, next))
        .orderBy(...order)
        .all();
    });
    if (batch.length) yield batch;
    last = batch.length < batchSize ? undefined : batch.at(-1);
  } while (last);
}

const olderThan = ({ createdAt, id }: Message) =>
  sql`(${messages.createdAt}, ${messages.id}) < (${createdAt.getTime()}, ${id})`;
