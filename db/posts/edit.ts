import { and, eq } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import * as audit from "../audit";
import type { AuditAction } from "../audit";
import { type Confirming, confirmIn } from "../broadcasts/states";
import { splitNames } from "../lib/text";
import * as slugs from "./slugs";
import * as revisions from "./revisions";
import {
  changesOf,
  type Derived,
  derive,
  insert,
  type PostFields,
  tagged,
  taggedById,
  type TaggedPost,
  update,
} from "./rows";
import { postRevisions } from "../schema/posts";

type EditResult =
  | { outcome: "saved"; post: TaggedPost }
  | { outcome: "slug-taken"; owner: slugs.Owner }
  /** Someone saved something else after the version that was edited. The edit is kept as the manager's draft. */
  | { outcome: "conflict"; post: TaggedPost; last: { savedBy: string; savedAt: Date } | undefined }
  /** Deleted, or in the trash; in that case `post` is the post there. */
  | { outcome: "gone"; post: TaggedPost | undefined };

/** Returns the post with its tags in any state; undefined if it was permanently deleted. */
export const byId = (db: Db, id: string) => db.read((orm) => taggedById(orm, id));

/** Returns the post that owns this slug, if any. */
export const ownerOfSlug = (db: Db, slug: string) => db.read((orm) => slugs.ownerOf(orm, slug));

/** Creates a post. Without a slug it gets one from the title, with a number if that is taken. */
export async function create(db: Db, fields: PostFields, by: audit.Actor, now: Date) {
  const derived = await derive(fields);
  return db.write(async (orm): Promise<Extract<EditResult, { outcome: "saved" | "slug-taken" }>> => {
    const taken = fields.slug ? await slugs.ownerOf(orm, fields.slug) : undefined;
    if (taken) return { outcome: "slug-taken", owner: taken };
    return { outcome: "saved", post: await insertWithRevision(orm, { fields, derived }, by, now) };
  });
}

/** Creates an unpublished post when a manager starts typing, with the text so far as the manager's draft. */
export async function createDraft(db: Db, typed: revisions.DraftContent, by: audit.Actor, now: Date) {
  const title =
    [
      ...(typed.fields.title ?? "")
        .slice(0, 2_000) // enough for what is kept
        .toWellFormed()
        .replace(/(?<!\s)\s*\n\s*/g, " ")
        .trim(),
    ]
      .slice(0, 200)
      .join("") || "Untitled";
  const fields = { ...emptyFields, title };
  const derived = await derive(fields);
  return db.write(async (orm) => {
    const post = await insertWithRevision(orm, { fields, derived }, by, now);
    await revisions.saveDraft(orm, { postId: post.id, version: post.version, typed }, by, now);
    return post;
  });
}

/** Creates a draft with the content and tags of this post; undefined if the post does not exist. */
export async function duplicate(db: Db, id: string, by: audit.Actor, now: Date) {
  const post = await byId(db, id);
  if (!post) return;
  const names = post.tags.map(({ name }) => name);
  const title = `${[...post.title].slice(0, 193).join("")} (copy)`;
  const fields = { ...post, title, slug: "", tags: names, published: false, publishedAt: null };
  const derived = await derive(fields);
  return db.write((orm) => insertWithRevision(orm, { fields, derived }, by, now));
}

type Edit = {
  id: string;
  version: number;
  typed: revisions.DraftContent;
  keepsDraft?: boolean;
  fields: Omit<PostFields, "published">;
};

/**
 * Saves an edit based on `version`. Does not change whether the post is published: that is left to `publish` and the
 * bulk actions. Discards the manager's draft, unless `keepsDraft`.
 */
export async function edit(
  db: Db,
  { id, version, typed, keepsDraft, fields }: Edit,
  by: audit.Actor,
  now: Date,
): Promise<EditResult> {
  const derived = await derive(fields);
  return db.write(async (orm): Promise<EditResult> => {
    const post = await taggedById(orm, id);
    if (!post || post.deletedAt) return { outcome: "gone", post };
    const slug = fields.slug || (await slugs.freeSlug(orm, fields.title, id));
    const whole = { ...fields, slug, published: post.published };
    // Sent again, because its response was lost, it finds itself saved
    if (post.version !== version && changesOf(post, whole).length) {
      await revisions.saveDraft(orm, { postId: id, version, typed }, by, now);
      return { outcome: "conflict", post, last: await revisions.savedAs(orm, post) };
    }
    const taken = await slugs.ownerOf(orm, slug);
    if (taken && taken.id !== id) return { outcome: "slug-taken", owner: taken };
    if (!keepsDraft) await revisions.discard(orm, id, by);
    return { outcome: "saved", post: await change(orm, { post, fields: whole, derived }, by, now) };
  });
}

/**
 * Restores the content of this revision, which creates a new revision. Slug, date and published state do not change,
 * and unsaved drafts are kept. Returns undefined if either does not exist.
 */
export async function revert(
  db: Db,
  { id, revisionId }: { id: string; revisionId: string },
  by: audit.Actor,
  now: Date,
) {
  const mine = and(eq(postRevisions.id, revisionId), eq(postRevisions.postId, id), eq(postRevisions.kind, "saved"));
  const revision = await db.read((orm) => orm.select().from(postRevisions).where(mine).get());
  if (!revision) return;
  const { title = "", excerpt = "", coverImage = "", author = "", tags = "" } = revision.fields;
  const words = { title, excerpt, coverImage, author, content: revision.content, tags: splitNames(tags) };
  const derived = await derive(words);
  return db.write(async (orm) => {
    const post = await taggedById(orm, id);
    if (!post || post.deletedAt) return;
    return change(orm, { post, fields: { ...post, ...words }, derived, action: "post.revert" }, by, now);
  });
}

type Publication = {
  id: string;
  version: number;
  /** When it goes live. Without it: the date that it has, or else now. */
  at?: Date | undefined;
  /** The broadcast that goes out with it. */
  broadcast?: Confirming | undefined;
};
type PublishResult = Exclude<EditResult, { outcome: "slug-taken" }> | { outcome: "broadcast-changed" };

/**
 * Publishes the post, schedules it, or changes the date of one that is published or scheduled; with a broadcast, both
 * or neither.
 */
export const publish = (db: Db, { id, version, at, broadcast }: Publication, by: audit.Actor, now: Date) =>
  db.write(async (orm): Promise<PublishResult> => {
    const post = await taggedById(orm, id);
    if (!post || post.deletedAt) return { outcome: "gone", post };
    if (post.version !== version) return { outcome: "conflict", post, last: await revisions.savedAs(orm, post) };
    const publishedAt = at ?? post.publishedAt ?? now;
    const names = post.tags.map(({ name }) => name);
    const fields = { ...post, tags: names, published: true, publishedAt };
    if (broadcast) {
      const postVersion = post.version + (changesOf(post, fields).length ? 1 : 0);
      const to = { ...broadcast.to, postVersion, withPost: true };
      const confirmed = await confirmIn(orm, { ...broadcast, to }, by, now);
      if (confirmed.outcome !== "changed") return { outcome: "broadcast-changed" };
    }
    return { outcome: "saved", post: await change(orm, { post, fields, action: "post.publish" }, by, now) };
  });

// ── Inside a transaction ─────────────────────────────────────────────────────────────────────

const emptyFields = {
  slug: "",
  excerpt: "",
  content: "",
  coverImage: "",
  author: "",
  published: false,
  publishedAt: null,
  tags: [],
};

/** Inserts a new post with its first revision and audit log entry. */
async function insertWithRevision(
  orm: Orm,
  { fields, derived }: { fields: PostFields; derived: Derived },
  by: audit.Actor,
  now: Date,
): Promise<TaggedPost> {
  const slug = fields.slug || (await slugs.freeSlug(orm, fields.title));
  const post = await insert(orm, { ...fields, slug }, derived, now);
  await revisions.saveRevision(orm, post, by.actor, now);
  await audit.record(orm, { ...by, action: "post.create", targetId: post.id, target: post.title }, now);
  return tagged(orm, post);
}

type Change = { post: TaggedPost; fields: PostFields; derived?: Derived; action?: AuditAction };

/**
 * Updates a post, saves the revision, and reserves the previous slug if readers may know it. Recorded in the audit log
 * unless nothing changed.
 */
async function change(orm: Orm, { post, fields, derived, action = "post.change" }: Change, by: audit.Actor, now: Date) {
  const changed = changesOf(post, fields);
  if (!changed.length) return post;
  const next = await update(orm, post, { fields, derived, actor: by.actor }, now);
  const details = {
    changed: changed.join(", "),
    ...(changed.includes("slug") && { slug: `${post.slug} → ${next.slug}` }),
  };
  await audit.record(orm, { ...by, action, targetId: post.id, target: next.title, details }, now);
  return tagged(orm, next);
}
