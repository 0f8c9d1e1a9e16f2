import { and, eq, ne, sql } from "drizzle-orm";
import { type Db, type Orm, prepared } from "./engine/open";
import { countRows } from "./lib/rows";
import { savedViews } from "./schema/access";

export type SavedView = Pick<typeof savedViews.$inferSelect, "id" | "path" | "name" | "query">;
type NewView = Omit<SavedView, "id"> & { managerId: string };
type Own = Pick<typeof savedViews.$inferSelect, "id" | "managerId">;

/** The views of a list are one row of links, which stays short. Single broadcasts and endpoints have lists of their own, so managers have a limit too. */
const maxViews = { ofList: 20, ofManager: 200 };

const ofManager = prepared((orm) =>
  orm
    .select({ id: savedViews.id, path: savedViews.path, name: savedViews.name, query: savedViews.query })
    .from(savedViews)
    .where(eq(savedViews.managerId, sql.placeholder("managerId")))
    .orderBy(savedViews.path, savedViews.name)
    .prepare(),
);

/** Returns all views of a manager, by list and name. */
export const list = (db: Db, managerId: string): Promise<SavedView[]> =>
  db.read((orm) => ofManager(orm).all({ managerId }));

export const byId = (db: Db, own: Own): Promise<SavedView | undefined> =>
  db.read((orm) => orm.select().from(savedViews).where(isOwn(own)).get());

/**
 * Saves a view. Its name must be new for this manager and list. A list has at most twenty views; a manager has at most
 * two hundred, because there is a list for every broadcast and endpoint.
 */
export const save = (db: Db, view: NewView, now: Date): Promise<"saved" | "taken" | "full" | "too-many"> =>
  db.write(async (orm) => {
    if (await isTaken(orm, view)) return "taken";
    const ofManager = eq(savedViews.managerId, view.managerId);
    if ((await countRows(orm, savedViews, and(ofManager, eq(savedViews.path, view.path)))) >= maxViews.ofList)
      return "full";
    if ((await countRows(orm, savedViews, ofManager)) >= maxViews.ofManager) return "too-many";
    await orm
      .insert(savedViews)
      .values({ ...view, createdAt: now })
      .run();
    return "saved";
  });

export const rename = (db: Db, own: Own, name: string): Promise<SavedView | "taken" | undefined> =>
  db.write(async (orm) => {
    const view = await orm.select().from(savedViews).where(isOwn(own)).get();
    if (!view) return undefined;
    if (await isTaken(orm, { ...view, name })) return "taken";
    return orm.update(savedViews).set({ name }).where(isOwn(own)).returning().get();
  });

/** Deletes a view and returns it, for undoing. */
export const remove = (db: Db, own: Own): Promise<SavedView | undefined> =>
  db.write((orm) => orm.delete(savedViews).where(isOwn(own)).returning().get());

const isOwn = ({ id, managerId }: Own) => and(eq(savedViews.id, id), eq(savedViews.managerId, managerId));

async function isTaken(orm: Orm, { id, managerId, path, name }: NewView & { id?: string }): Promise<boolean> {
  const isSame = and(eq(savedViews.managerId, managerId), eq(savedViews.path, path), eq(savedViews.name, name));
  const other = and(isSame, id === undefined ? undefined : ne(savedViews.id, id));
  return (await orm.select({ id: savedViews.id }).from(savedViews).where(other).get()) !== undefined;
}
