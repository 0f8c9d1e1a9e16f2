import { and, eq, not, type SQL, sql } from "drizzle-orm";
import { type Db, type Orm, prepared, textParameter } from "../engine/open";
import { broadcastFiles, broadcasts } from "../schema/broadcasts";
import { posts, isPublished } from "../schema/posts";
import { projects, isPublishedProject } from "../schema/projects";
import { settings } from "../schema/settings";
import { postFiles, projectFiles, settingFiles, uploads } from "../schema/storage";
import { isReadable, looksSecret, welcomeKeys } from "../settings/rules";

/*
 * Which posts, projects, broadcasts and settings use a file, by its URL `/media/<id>/…` in a cover image, an image URL
 * or a text. Triggers maintain the tables (`db/migrations/snapshot.sql`), so every way of saving one of them counts, and
 * every check is a single lookup.
 */

/** What uses a file, including what is in the trash, which may be restored. The ID and title of a setting are its key. */
export type FileUse = { kind: "post" | "project" | "broadcast" | "setting"; id: string; title: string };

const uses = {
  post: {
    files: postFiles,
    owners: posts,
    isOwner: eq(posts.id, postFiles.postId),
    id: posts.id,
    title: posts.title,
  },
  project: {
    files: projectFiles,
    owners: projects,
    isOwner: eq(projects.id, projectFiles.projectId),
    id: projects.id,
    title: projects.title,
  },
  broadcast: {
    files: broadcastFiles,
    owners: broadcasts,
    isOwner: eq(broadcasts.row, broadcastFiles.broadcastRow),
    id: broadcasts.id,
    title: broadcasts.subject,
  },
  setting: {
    files: settingFiles,
    owners: settings,
    isOwner: eq(settings.key, settingFiles.settingKey),
    id: settings.key,
    title: settings.key,
  },
} as const;
type By = (typeof uses)[FileUse["kind"]];

/** What uses a file, optionally limited by `such`. */
const using = (orm: Orm, { files, owners, isOwner, id, title }: By, such?: SQL) =>
  orm
    .select({ id, title })
    .from(files)
    .innerJoin(owners, isOwner)
    .where(and(eq(files.fileId, textParameter("file")), such));

const byTitle = (by: By) => prepared((orm) => using(orm, by).orderBy(by.title).limit(100).prepare());
const owners = [
  { kind: "post", owning: byTitle(uses.post) },
  { kind: "project", owning: byTitle(uses.project) },
  { kind: "broadcast", owning: byTitle(uses.broadcast) },
  { kind: "setting", owning: byTitle(uses.setting) },
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
export const isUsed = sql`(${sql.join(
  Object.values(uses).map(({ files }) => sql`exists (select 1 from ${files} where ${files.fileId} = ${uploads.id})`),
  sql` or `,
)})`;
export const isUnused = not(isUsed);

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

const settingsUsing = prepared((orm) =>
  orm
    .select({ key: settings.key, isPublic: settings.isPublic })
    .from(settingFiles)
    .innerJoin(settings, uses.setting.isOwner)
    .where(eq(settingFiles.fileId, textParameter("file")))
    .prepare(),
);

/** The welcome email is read by others, and so are the settings that the API shows. */
const isReadByOthers = ({ key, isPublic }: Pick<typeof settings.$inferSelect, "key" | "isPublic">) =>
  key === welcomeKeys.text || (isReadable(key, isPublic) && !looksSecret(key));

/** Whether something public uses the file (D22); then the file is public too. */
export const isPublic = (db: Db, file: string, now: Date): Promise<boolean> =>
  db.read(async (orm) => {
    for (const use of publicUses) if (await use(orm).get({ file, now: now.getTime() })) return true;
    return (await settingsUsing(orm).all({ file })).some(isReadByOthers);
  });
