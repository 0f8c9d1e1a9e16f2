import { and, eq, exists, not, or, type SQL, sql } from "drizzle-orm";
import { type Db, type Orm, prepared, textParameter } from "../engine/open";
import { broadcastFiles, broadcasts } from "../schema/broadcasts";
import { posts, isPublished } from "../schema/posts";
import { projects, isPublishedProject } from "../schema/projects";
import { postFiles, projectFiles, uploads } from "../schema/storage";

/*
 * Which posts, projects and broadcasts use a file, by its URL `/media/<id>/…` in a cover image, an image URL or a text.
 * Triggers maintain the tables (migrations 0001 and 0008), so every way of saving a post counts, and every check is a
 * single lookup.
 */

/** What uses a file, including what is in the trash, which may be restored. */
export type FileUse = { kind: "post" | "project" | "broadcast"; id: string; title: string };

const uses = {
  post: { files: postFiles, owners: posts, isOwner: eq(posts.id, postFiles.postId), title: posts.title },
  project: {
    files: projectFiles,
    owners: projects,
    isOwner: eq(projects.id, projectFiles.projectId),
    title: projects.title,
  },
  broadcast: {
    files: broadcastFiles,
    owners: broadcasts,
    isOwner: eq(broadcasts.row, broadcastFiles.broadcastRow),
    title: broadcasts.subject,
  },
} as const;
type By = (typeof uses)[FileUse["kind"]];

/** What uses a file, optionally limited by `such`. */
const using = (orm: Orm, { files, owners, isOwner, title }: By, such?: SQL) =>
  orm
    .select({ id: owners.id, title })
    .from(files)
    .innerJoin(owners, isOwner)
    .where(and(eq(files.fileId, textParameter("file")), such));

const byTitle = (by: By) => prepared((orm) => using(orm, by).orderBy(by.title).limit(100).prepare());
const owners = [
  { kind: "post", owning: byTitle(uses.post) },
  { kind: "project", owning: byTitle(uses.project) },
  { kind: "broadcast", owning: byTitle(uses.broadcast) },
] as const;

/** Returns what uses the file; at most a hundred of each kind. */
export const usesOf = (db: Db, file: string): Promise<FileUse[]> =>
  db.read(async (orm) => {
    const fileUses: FileUse[] = [];
    for (const { kind, owning } of owners)
      fileUses.push(...(await owning(orm).all({ file })).map((owner) => ({ kind, ...owner })));
    return fileUses;
  });

/** Whether anything uses the file, which then cannot be deleted. */
export async function inUse(orm: Orm, file: string): Promise<boolean> {
  for (const { owning } of owners) if (await owning(orm).get({ file })) return true;
  return false;
}

/** The same as a condition on rows of `uploads`. */
export const isUsed = (orm: Orm) =>
  or(
    ...Object.values(uses).map(({ files }) => exists(orm.select().from(files).where(eq(files.fileId, uploads.id)))),
  ) as SQL;
export const isUnused = (orm: Orm) => not(isUsed(orm));

const publicUses = [
  prepared((orm) =>
    using(orm, uses.post, isPublished(sql.placeholder("now")))
      .limit(1)
      .prepare(),
  ),
  prepared((orm) => using(orm, uses.project, isPublishedProject).limit(1).prepare()),
  prepared((orm) =>
    using(orm, uses.broadcast, sql`${broadcasts.state} <> 'draft'`)
      .limit(1)
      .prepare(),
  ), // confirmed: in emails
];

/** Whether something public uses the file (D22); then the file is public too. */
export const isPublic = (db: Db, file: string, now: Date): Promise<boolean> =>
  db.read(async (orm) => {
    for (const use of publicUses) if (await use(orm).get({ file, now: now.getTime() })) return true;
    return false;
  });
