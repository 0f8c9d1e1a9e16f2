import { and, desc, eq, inArray, sql } from "drizzle-orm";
import { isWithin, type Period } from "../lib/period";
import type { Db } from "../engine/open";
import { contains } from "../lib/fold";
import { countRows, pageOf, type PageRequest } from "../lib/page";
import { messages } from "../schema/contact";
import { type Box, boxConditions } from "./messages";

export type MessageFilter = Period & {
  box: Box;
  /** Found anywhere in name, email or message, ignoring case. */
  q?: string | undefined;
  source?: string | undefined;
};

export const matching = ({ box, q, source, ...period }: MessageFilter) =>
  and(
    boxConditions[box],
    q ? sql`${messages.folded} like ${contains(q)} escape '\\'` : undefined,
    source ? eq(messages.source, source) : undefined,
    isWithin(messages.createdAt, period),
  );

/** Returns one page of a box, newest first. A page past the end is the last page. */
export const list = (db: Db, filter: MessageFilter, request: PageRequest) =>
  db.read(async (orm) => {
    const where = matching(filter);
    const order = [desc(messages.createdAt), desc(messages.id)];
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
      archived: await lying("archived"),
      quarantine: await lying("quarantine"),
      spam: await lying("spam"),
      trash: await lying("trash"),
    };
  });
