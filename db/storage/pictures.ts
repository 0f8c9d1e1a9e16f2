import { and, desc, like, notLike, sql } from "drizzle-orm";
import type { Db } from "../engine/open";
import { contains } from "../lib/fold";
import { isStored } from "./files";
import { uploads } from "../schema/storage";

type Picture = { id: string; filename: string; size: number };

/**
 * Returns images in Storage that a page can show, from all folders, newest first. @param q part of the name, ignoring
 * case
 */
export const find = (db: Db, q: string, limit: number): Promise<Picture[]> =>
  db.read((orm) =>
    orm
      .select({ id: uploads.id, filename: uploads.filename, size: uploads.size })
      .from(uploads)
      .where(
        and(
          isStored,
          like(uploads.mimeType, "image/%"),
          notLike(uploads.mimeType, "image/svg%"), // can run scripts, so it is only ever downloaded
          q ? sql`${uploads.folded} like ${contains(q)} escape '\\'` : undefined,
        ),
      )
      .orderBy(desc(sql`coalesce(${uploads.completedAt}, ${uploads.createdAt})`), desc(uploads.id))
      .limit(limit)
      .all(),
  );
