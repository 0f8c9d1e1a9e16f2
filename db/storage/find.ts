import { and, desc, eq, sql } from "drizzle-orm";
import type { Db } from "../engine/open";
import { countUpTo } from "../lib/count-up-to";
import { contains } from "../lib/fold";
import { type FoundRows, newestSearched } from "../lib/newest";
import { folders, uploads } from "../schema/storage";
import { isStored } from "./files";

type FoundFile = { id: string; filename: string; mimeType: string; folder: string };

/** Finds part of a name among the newest uploads, newest first: their IDs are in order of time. */
export const find = (db: Db, q: string, limit: number) =>
  db.read(async (orm): Promise<FoundRows<FoundFile>> => {
    const newest = orm
      .select({ id: uploads.id })
      .from(uploads)
      .orderBy(desc(uploads.id))
      .limit(newestSearched)
      .as("newest");
    const named = sql`${uploads.folded} like ${contains(q)} escape '\\'`;
    const where = and(sql`${uploads.id} in (select id from ${newest})`, isStored, named);
    const rows = await orm
      .select({ id: uploads.id, filename: uploads.filename, mimeType: uploads.mimeType, folder: folders.path })
      .from(uploads)
      .innerJoin(folders, eq(folders.id, uploads.folderId))
      .where(where)
      .orderBy(desc(uploads.id))
      .limit(limit)
      .all();
    const total = await countUpTo(orm, newestSearched, uploads, where);
    return { rows, total, isMore: (await countUpTo(orm, newestSearched, uploads, undefined)) > newestSearched };
  });
