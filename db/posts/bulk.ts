import { and, eq, inArray, not, type SQL, sql } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import { lockTopic } from "../engine/versions";
import * as audit from "../audit";
import { auditTarget, type Changed, changeInCommits, rowsPerCommit, type UndoableSelection } from "../lib/bulk";
import { fold } from "../lib/fold";
import { hasId } from "../lib/rows";
import { announceAll, seenColumns } from "./announce";
import { countAll, isDraft, isNotTrashed, isTagged, isTrashed, type PostFilter, statusIs } from "./list";
import * as postSearch from "./search/search";
import { posts, postTags, tags, isPublishedOrScheduled } from "../schema/posts";
import { resolveNames, type Tag } from "./tags";

export type PostSelection = UndoableSelection<PostFilter>;
export type PostAction = "publish" | "unpublish" | "tag" | "untag" | "trash" | "restore" | "delete";
export type ChangedPosts = Changed<{ id: string; title: string }>;

/** For each action: which posts it applies to. Posts that no longer qualify are skipped. */
const appliesTo: Record<PostAction, (tag: string) => SQL | undefined> = {
  publish: () => isDraft,
  unpublish: () => isPublishedOrScheduled,
  tag: (tag) => and(isNotTrashed, not(isTagged(tag))),
  untag: (tag) => and(isNotTrashed, isTagged(tag)),
  trash: () => isNotTrashed,
  restore: () => isTrashed,
  delete: () => isTrashed,
};

/** What to do with which posts. `tagName` is the tag that is put on them or taken off. */
type BulkChange = { action: PostAction; selection: PostSelection; tagName?: string | undefined };

/**
 * Applies an action to the selected posts and records it in the audit log, in commits of a thousand. `delete` is
 * permanent and applies only to posts in the trash; every other action can be undone.
 *
 * @param tagName the tag that `tag` adds and `untag` removes
 */
export const applyAction = (
  db: Db,
  { action, selection, tagName = "" }: BulkChange,
  by: audit.Actor,
  now: Date,
): Promise<ChangedPosts> => changeInCommits(db, (orm) => step(orm, { action, selection, tagName }, by, now));

/** Counts the posts the action would change now. */
export const countAffected = (db: Db, { action, selection, tagName = "" }: BulkChange, now: Date) =>
  db.read(async (orm) =>
    countAll(orm, and(isSelected(orm, selection, now), appliesTo[action]((await tagOf(orm, tagName)).slug))),
  );

const tagOf = async (orm: Orm, name: string): Promise<Tag> =>
  (await resolveNames(orm, [name]))[0] ?? { slug: "", name: "" };

async function step(orm: Orm, { action, selection, tagName = "" }: BulkChange, by: audit.Actor, now: Date) {
  await lockTopic(orm, "posts");
  const tag = await tagOf(orm, tagName);
  const batch = await orm
    .select(seenColumns)
    .from(posts)
    .where(and(isSelected(orm, selection, now), appliesTo[action](tag.slug)))
    .limit(rowsPerCommit)
    .all();
  if (!batch.length) return batch;
  const ids = batch.map(({ id }) => id);
  const these = hasId(posts.id, ids);
  if (action === "delete") await orm.delete(posts).where(these).run();
  else await orm.update(posts).set(changes(action, now)).where(these).run();
  if (action === "tag") await addTag(orm, tag, these);
  if (action === "untag")
    await orm
      .delete(postTags)
      .where(and(eq(postTags.tagSlug, tag.slug), hasId(postTags.postId, ids)))
      .run();
  await announceAll(orm, batch, now);
  const details = tag.name ? { tag: tag.name } : {};
  const target = auditTarget(batch[0], batch.length, ({ title }) => title, details);
  await audit.record(orm, { ...by, action: `post.${action}`, ...target }, now);
  return batch;
}

/**
 * Publishing and tagging increment the version, so that anyone editing the post at the time is notified of the
 * conflict.
 */
function changes(action: Exclude<PostAction, "delete">, now: Date) {
  const edited = { version: sql`${posts.version} + 1`, updatedAt: now };
  switch (action) {
    case "publish":
      return { ...edited, published: true, publishedAt: sql`coalesce(${posts.publishedAt}, ${now.getTime()})` };
    case "unpublish":
      return { ...edited, published: false };
    case "trash":
      return { deletedAt: now, updatedAt: posts.updatedAt };
    case "restore":
      return { deletedAt: null, updatedAt: posts.updatedAt };
    default:
      return edited;
  }
}

/** Adds the tag after the ones each post already has. */
async function addTag(orm: Orm, tag: Tag, these: SQL): Promise<void> {
  await orm.insert(tags).values(tag).onConflictDoNothing().run();
  await orm.run(sql`insert into ${postTags} (post_id, tag_slug, position)
    select id, ${tag.slug}, (select coalesce(max(position) + 1, 0) from ${postTags} where post_id = ${posts.id})
    from ${posts} where ${these}`);
}

function isSelected(orm: Orm, selection: PostSelection, now: Date): SQL | undefined {
  if ("ids" in selection) return inArray(posts.id, selection.ids);
  if ("changedAt" in selection) return eq(posts.deletedAt, selection.changedAt); // only moves to the trash can be undone
  const { q, status, tag } = selection.matching;
  return and(
    status ? statusIs[status](now) : isNotTrashed,
    q ? sql`${posts.row} in (${postSearch.matchingRows(orm, fold(q))})` : undefined,
    tag ? isTagged(tag) : undefined,
  );
}
