import { and, desc, eq, inArray, sql } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import {
  countUpTo,
  type FoundRows,
  newestSearched,
  countRows,
  pageOf,
  type PageRequest,
  isWithin,
  type Period,
} from "../lib/rows";
import { contains } from "../lib/fold";
import { messageEntries, messages } from "../schema/contact";
import { type Box, boxConditions, type Message } from "./messages";

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

export const matching = ({ box, q, source, assignee, key, ...period }: MessageFilter) =>
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
