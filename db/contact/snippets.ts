import { asc, eq } from "drizzle-orm";
import * as audit from "../audit";
import type { Db } from "../engine/open";
import { countRows } from "../lib/rows";
import { snippets } from "../schema/contact";

export type Snippet = typeof snippets.$inferSelect;
export type SnippetText = Pick<Snippet, "name" | "text">;

/** All of them are offered beside every reply. */
export const maxSnippets = 100;

/** Returns all snippets, by name. */
export const list = (db: Db) =>
  db.read((orm) => orm.select().from(snippets).orderBy(asc(snippets.name), asc(snippets.id)).all());

export const byId = (db: Db, id: string) =>
  db.read((orm) => orm.select().from(snippets).where(eq(snippets.id, id)).get());

/** Adds a snippet; undefined if there are as many as there may be. */
export const add = (db: Db, snippet: SnippetText, by: audit.Actor, now: Date) =>
  db.write(async (orm) => {
    if ((await countRows(orm, snippets, undefined)) >= maxSnippets) return;
    const row = await orm
      .insert(snippets)
      .values({ ...snippet, createdAt: now, updatedAt: now })
      .returning()
      .get();
    await audit.record(orm, { ...by, action: "snippet.add", targetId: row.id, target: row.name }, now);
    return row;
  });

/** Changes a snippet; undefined if it was deleted. */
export const change = (db: Db, { id, ...snippet }: SnippetText & { id: string }, by: audit.Actor, now: Date) =>
  db.write(async (orm) => {
    const set = { ...snippet, updatedAt: now };
    const [row] = await orm.update(snippets).set(set).where(eq(snippets.id, id)).returning().all();
    if (row) await audit.record(orm, { ...by, action: "snippet.change", targetId: id, target: row.name }, now);
    return row;
  });

/** Deletes a snippet, and returns it; undefined if it was deleted before. */
export const remove = (db: Db, id: string, by: audit.Actor, now: Date) =>
  db.write(async (orm) => {
    const [row] = await orm.delete(snippets).where(eq(snippets.id, id)).returning().all();
    if (row) await audit.record(orm, { ...by, action: "snippet.delete", targetId: id, target: row.name }, now);
    return row;
  });
