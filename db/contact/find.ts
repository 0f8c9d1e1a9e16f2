import { desc, inArray, sql } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import { countUpTo } from "../lib/count-up-to";
import { contains } from "../lib/fold";
import { type FoundRows, newestSearched } from "../lib/newest";
import { messages } from "../schema/contact";
import { boxConditions, type Message } from "./messages";

/** Finds a text in the newest messages of the inbox and the archive, newest first. */
export const find = (db: Db, q: string, limit: number) =>
  db.read(async (orm): Promise<FoundRows<Message>> => {
    const where = sql`${messages.id} in (select id from ${newest(orm, "inbox")} union all select id from ${newest(orm, "archived")})
      and ${messages.folded} like ${contains(q)} escape '\\'`;
    const order = [desc(messages.createdAt), desc(messages.id)];
    const found = await orm
      .select({ id: messages.id })
      .from(messages)
      .where(where)
      .orderBy(...order)
      .all(); // read once, also for counting: reading the texts is what costs
    const first = found.slice(0, limit).map(({ id }) => id);
    const rows = await orm
      .select()
      .from(messages)
      .where(inArray(messages.id, first))
      .orderBy(...order)
      .all();
    return { rows, total: found.length, isMore: (await isLong(orm, "inbox")) || (await isLong(orm, "archived")) };
  });

type Searched = "inbox" | "archived";

/** In the order of the index `messages_box`. */
const newest = (orm: Orm, box: Searched) =>
  orm
    .select({ id: messages.id })
    .from(messages)
    .where(boxConditions[box])
    .orderBy(box === "inbox" ? desc(messages.createdAt) : desc(messages.archivedAt))
    .limit(newestSearched)
    .as(box);

const isLong = async (orm: Orm, box: Searched) =>
  (await countUpTo(orm, newestSearched, messages, boxConditions[box])) > newestSearched;
