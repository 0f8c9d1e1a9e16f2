import { and, count, eq, ne, sql } from "drizzle-orm";
import { type Db, type Orm, prepared } from "./engine/open";
import { savedViews } from "./schema/access";

export type SavedView = Pick<typeof savedViews.$inferSelect, "id" | "path" | "name" | "query">;
type NewView = Omit<SavedView, "id"> & { managerId: string };
type Own = Pick<typeof savedViews.$inferSelect, "id" | "managerId">;

/** For each list. */
const maxViews = 20;

const ofManager = prepared((orm) =>
  orm
    .select({ id: savedViews.id, path: savedViews.path, name: savedViews.name, query: savedViews.query })
    .from(savedViews)
    .where(eq(savedViews.managerId, sql.placeholder("managerId")))
    .orderBy(savedViews.path, savedViews.name)
    .prepare(),
);

/** Returns all views of a manager, those of a list by their names. */
export const list = (db: Db, managerId: string): Promise<SavedView[]> =>
  db.read((orm) => ofManager(orm).all({ managerId }));

export const byId = (db: Db, own: Own): Promise<SavedView | undefined> =>
  db.read((orm) => orm.select().from(savedViews).where(isOwn(own)).get());

/** Keeps a view. Its name is new for this manager and list, and a list has at most twenty. */
export const save = (db: Db, view: NewView, now: Date): Promise<"saved" | "taken" | "full"> =>
  db.write(async (orm) => {
    if (await isTaken(orm, view)) return "taken";
    const ofList = and(eq(savedViews.managerId, view.managerId), eq(savedViews.path, view.path));
    const [{ n } = { n: 0 }] = await orm.select({ n: count() }).from(savedViews).where(ofList).all();
    if (n >= maxViews) return "full";
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

/** Deletes a view and returns it, so that it can be kept again. */
export const remove = (db: Db, own: Own): Promise<SavedView | undefined> =>
  db.write((orm) => orm.delete(savedViews).where(isOwn(own)).returning().get());

const isOwn = ({ id, managerId }: Own) => and(eq(savedViews.id, id), eq(savedViews.managerId, managerId));

async function isTaken(orm: Orm, { id, managerId, path, name }: NewView & { id?: string }): Promise<boolean> {
  const isSame = and(eq(savedViews.managerId, managerId), eq(savedViews.path, path), eq(savedViews.name, name));
  const other = and(isSame, id === undefined ? undefined : ne(savedViews.id, id));
  return (await orm.select({ id: savedViews.id }).from(savedViews).where(other).get()) !== undefined;
}
