import { and, eq, exists, isNull, lte, notExists, or, sql } from "drizzle-orm";
import { type Db, type Orm, prepared } from ".";
import { postFiles, posts, projectFiles, projects, uploads } from "./schema";

/*
 * Which posts and projects use a file, by its address `/media/<id>/…` in a cover image, an image URL or a text. The
 * tables are kept by triggers (migration 0001), so every way to save a post counts, and every check is one lookup.
 */

/** A post or a project that uses a file. Those in the trash count: they may come back. */
export type FileUse = { kind: "post" | "project"; id: string; title: string };

const postsUsing = prepared((orm) =>
  orm
    .select({ id: posts.id, title: posts.title })
    .from(postFiles)
    .innerJoin(posts, eq(posts.id, postFiles.postId))
    .where(eq(postFiles.fileId, sql.placeholder("file")))
    .orderBy(posts.title)
    .limit(100)
    .prepare(),
);
const projectsUsing = prepared((orm) =>
  orm
    .select({ id: projects.id, title: projects.title })
    .from(projectFiles)
    .innerJoin(projects, eq(projects.id, projectFiles.projectId))
    .where(eq(projectFiles.fileId, sql.placeholder("file")))
    .orderBy(projects.title)
    .limit(100)
    .prepare(),
);

/** What uses the file; a hundred of each kind at most. */
export const usesOf = (db: Db, file: string): Promise<FileUse[]> =>
  db.read((orm) => [
    ...postsUsing(orm)
      .all({ file })
      .map((post) => ({ kind: "post" as const, ...post })),
    ...projectsUsing(orm)
      .all({ file })
      .map((project) => ({ kind: "project" as const, ...project })),
  ]);

/** Whether any post or project uses the file: then it is not deleted. */
export const inUse = (orm: Orm, file: string): boolean =>
  postsUsing(orm).get({ file }) !== undefined || projectsUsing(orm).get({ file }) !== undefined;

/** The same as a condition on rows of `uploads`. */
export const isUsed = (orm: Orm) =>
  or(
    exists(orm.select().from(postFiles).where(eq(postFiles.fileId, uploads.id))),
    exists(orm.select().from(projectFiles).where(eq(projectFiles.fileId, uploads.id))),
  );
export const isUnused = (orm: Orm) =>
  and(
    notExists(orm.select().from(postFiles).where(eq(postFiles.fileId, uploads.id))),
    notExists(orm.select().from(projectFiles).where(eq(projectFiles.fileId, uploads.id))),
  );

const publicPost = prepared((orm) =>
  orm
    .select({ id: posts.id })
    .from(postFiles)
    .innerJoin(posts, eq(posts.id, postFiles.postId))
    .where(
      and(
        eq(postFiles.fileId, sql.placeholder("file")),
        eq(posts.published, true),
        isNull(posts.deletedAt),
        lte(posts.publishedAt, sql.placeholder("now")),
      ),
    )
    .limit(1)
    .prepare(),
);
const publicProject = prepared((orm) =>
  orm
    .select({ id: projects.id })
    .from(projectFiles)
    .innerJoin(projects, eq(projects.id, projectFiles.projectId))
    .where(
      and(
        eq(projectFiles.fileId, sql.placeholder("file")),
        eq(projects.status, "PUBLISHED"),
        isNull(projects.deletedAt),
      ),
    )
    .limit(1)
    .prepare(),
);

/** Whether something that everybody may read uses the file (D22): then everybody may see the file. */
export const isPublic = (db: Db, file: string, now: Date): Promise<boolean> =>
  db.read(
    (orm) =>
      publicPost(orm).get({ file, now: now.getTime() }) !== undefined || publicProject(orm).get({ file }) !== undefined,
  );
