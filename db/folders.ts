import { eq, sql } from "drizzle-orm";
import { type Db, type Orm, prepared } from ".";
import { folders } from "./schema";

export type Folder = typeof folders.$inferSelect;

const byPath = prepared((orm) =>
  orm
    .select({ id: folders.id })
    .from(folders)
    .where(eq(folders.path, sql.placeholder("path")))
    .prepare(),
);

/** The id of the folder at `path` ("" is the root), made with all folders above it when it is not there. */
export function ensure(orm: Orm, path: string, now: Date): string {
  const known = byPath(orm).get({ path });
  if (known) return known.id;
  if (path) ensure(orm, path.slice(0, Math.max(0, path.lastIndexOf("/"))), now);
  return orm.insert(folders).values({ path, createdAt: now }).returning({ id: folders.id }).get().id;
}

/** All folders, parents before their children. */
export const list = (db: Db): Promise<Folder[]> =>
  db.read((orm) => orm.select().from(folders).orderBy(folders.path).all());
