import { and, eq, exists, not, or, type SQL, sql } from "drizzle-orm";
import { type Db, type Orm, prepared } from "../engine/open";
import { posts, isPublished } from "../schema/posts";
import { projects, isPublishedProject } from "../schema/projects";
import { postFiles, projectFiles, uploads } from "../schema/storage";

/*
 * Which posts and projects use a file, by its URL `/media/<id>/…` in a cover image, an image URL or a text. Triggers
 * maintain the tables (migration 0001), so every way of saving a post counts, and every check is a single lookup.
 */

/** A post or project that uses a file, including those in the trash, which may be restored. */
export type FileUse = { kind: "post" | "project"; id: string; title: string };

const byPosts = { files: postFiles, owner: postFiles.postId, owners: posts };
const byProjects = { files: projectFiles, owner: projectFiles.projectId, owners: projects };
type By = typeof byPosts | typeof byProjects;

/** The posts or projects that use a file, optionally limited by `such`. */
const using = (orm: Orm, { files, owner, owners }: By, such?: SQL) =>
  orm
    .select({ id: owners.id, title: owners.title })
    .from(files)
    .innerJoin(owners, eq(owners.id, owner))
    .where(and(eq(files.fileId, sql.placeholder("file")), such));

const byTitle = (by: By) => prepared((orm) => using(orm, by).orderBy(by.owners.title).limit(100).prepare());
const postsUsing = byTitle(byPosts);
const projectsUsing = byTitle(byProjects);

/** Returns what uses the file; at most a hundred of each kind. */
export const usesOf = (db: Db, file: string): Promise<FileUse[]> =>
  db.read(async (orm) => [
    ...(await postsUsing(orm).all({ file })).map((post) => ({ kind: "post" as const, ...post })),
    ...(await projectsUsing(orm).all({ file })).map((project) => ({ kind: "project" as const, ...project })),
  ]);

/** Whether any post or project uses the file, which then cannot be deleted. */
export const inUse = async (orm: Orm, file: string): Promise<boolean> =>
  (await postsUsing(orm).get({ file })) !== undefined || (await projectsUsing(orm).get({ file })) !== undefined;

/** The same as a condition on rows of `uploads`. */
export const isUsed = (orm: Orm) =>
  or(
    ...[postFiles, projectFiles].map((files) => exists(orm.select().from(files).where(eq(files.fileId, uploads.id)))),
  ) as SQL;
export const isUnused = (orm: Orm) => not(isUsed(orm));

const publicPost = prepared((orm) => {
  return using(orm, byPosts, isPublished(sql.placeholder("now")))
    .limit(1)
    .prepare();
});
const publicProject = prepared((orm) => using(orm, byProjects, isPublishedProject).limit(1).prepare());

/** Whether something public uses the file (D22); then the file is public too. */
export const isPublic = (db: Db, file: string, now: Date): Promise<boolean> =>
  db.read(
    async (orm) =>
      (await publicPost(orm).get({ file, now: now.getTime() })) !== undefined ||
      (await publicProject(orm).get({ file })) !== undefined,
  );
