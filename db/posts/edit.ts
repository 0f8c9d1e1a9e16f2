import { and, eq } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import * as audit from "../audit";
import type { AuditAction } from "../audit-actions";
import { split } from "../lib/name-list";
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
  /** Somebody saved after the version that was edited. What was typed is kept as the manager's draft. */
  | { outcome: "conflict"; post: TaggedPost; last: { savedBy: string; savedAt: Date } | undefined }
  /** Not there, or in the trash: then `post` is what lies there. */
  | { outcome: "gone"; post: TaggedPost | undefined };

/** The post with its tags, whatever its state; undefined when it was deleted for good. */
export const byId = (db: Db, id: string) => db.read((orm) => taggedById(orm, id));

/** Who has this slug, if anybody. */
export const ownerOfSlug = (db: Db, slug: string) => db.read((orm) => slugs.ownerOf(orm, slug));

/** Makes a post. Without a slug of its own it gets the title's, with a number when that is taken. */
export async function create(db: Db, fields: PostFields, by: audit.Actor, now: Date) {
  const derived = await derive(fields);
  return db.write((orm): Extract<EditResult, { outcome: "saved" | "slug-taken" }> => {
    const taken = fields.slug ? slugs.ownerOf(orm, fields.slug) : undefined;
    if (taken) return { outcome: "slug-taken", owner: taken };
    return { outcome: "saved", post: insertWithRevision(orm, fields, derived, by, now) };
  });
}

/** A post that only exists because somebody began to type: an unpublished draft, with what was typed as his draft. */
export async function createDraft(db: Db, typed: revisions.DraftContent, by: audit.Actor, now: Date) {
  const title = [...(typed.fields.title ?? "").toWellFormed().trim()].slice(0, 200).join("") || "Untitled";
  const fields = { ...emptyFields, title };
  const derived = await derive(fields);
  return db.write((orm) => {
    const post = insertWithRevision(orm, fields, derived, by, now);
    revisions.saveDraft(orm, post.id, post.version, typed, by, now);
    return post;
  });
}

/** A draft with the content and tags of this post; undefined when that is gone. */
export async function duplicate(db: Db, id: string, by: audit.Actor, now: Date) {
  const post = await byId(db, id);
  if (!post) return;
  const names = post.tags.map(({ name }) => name);
  const title = `${[...post.title].slice(0, 193).join("")} (copy)`;
  const fields = { ...post, title, slug: "", tags: names, published: false, publishedAt: null };
  const derived = await derive(fields);
  return db.write((orm) => insertWithRevision(orm, fields, derived, by, now));
}

/**
 * Saves an edit that began with `version`. What is published stays so, and what is not too: `publish` and `unpublish`
 * of the desk decide that. The manager's draft has done its work and goes, unless `keepsDraft`.
 */
export async function edit(
  db: Db,
  {
    id,
    version,
    typed,
    keepsDraft,
  }: { id: string; version: number; typed: revisions.DraftContent; keepsDraft?: boolean },
  fields: Omit<PostFields, "published">,
  by: audit.Actor,
  now: Date,
): Promise<EditResult> {
  const derived = await derive(fields);
  return db.write((orm): EditResult => {
    const post = taggedById(orm, id);
    if (!post || post.deletedAt) return { outcome: "gone", post };
    if (post.version !== version) {
      revisions.saveDraft(orm, id, version, typed, by, now);
      return { outcome: "conflict", post, last: revisions.savedAs(orm, post) };
    }
    const slug = fields.slug || slugs.freeSlug(orm, fields.title, id);
    const taken = slugs.ownerOf(orm, slug);
    if (taken && taken.id !== id) return { outcome: "slug-taken", owner: taken };
    if (!keepsDraft) revisions.discard(orm, id, by);
    const whole = { ...fields, slug, published: post.published };
    return { outcome: "saved", post: change(orm, post, whole, derived, by, now) };
  });
}

/**
 * Makes the post read as it did in this revision, which is a new revision itself. Its address, its time and whether it
 * is published stay as they are (P21), and what was typed and not saved stays kept. Undefined when either is gone.
 */
export async function revert(db: Db, id: string, revisionId: string, by: audit.Actor, now: Date) {
  const mine = and(eq(postRevisions.id, revisionId), eq(postRevisions.postId, id), eq(postRevisions.kind, "saved"));
  const revision = await db.read((orm) => orm.select().from(postRevisions).where(mine).get());
  if (!revision) return;
  const { title = "", excerpt = "", coverImage = "", author = "", tags = "" } = revision.fields;
  const words = { title, excerpt, coverImage, author, content: revision.content, tags: split(tags) };
  const derived = await derive(words);
  return db.write((orm) => {
    const post = taggedById(orm, id);
    if (!post || post.deletedAt) return;
    return change(orm, post, { ...post, ...words }, derived, by, now, "post.revert");
  });
}

/** Puts the post where its time says: published now, scheduled, or as it was when it had been published before. */
export const publish = (db: Db, id: string, version: number, by: audit.Actor, now: Date) =>
  db.write((orm): EditResult => {
    const post = taggedById(orm, id);
    if (!post || post.deletedAt) return { outcome: "gone", post };
    if (post.version !== version) return { outcome: "conflict", post, last: revisions.savedAs(orm, post) };
    const publishedAt = post.publishedAt ?? now;
    const names = post.tags.map(({ name }) => name);
    const fields = { ...post, tags: names, published: true, publishedAt };
    return { outcome: "saved", post: change(orm, post, fields, undefined, by, now, "post.publish") };
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

/** A new post, noted, with its first revision. */
function insertWithRevision(orm: Orm, fields: PostFields, derived: Derived, by: audit.Actor, now: Date): TaggedPost {
  const slug = fields.slug || slugs.freeSlug(orm, fields.title);
  const post = insert(orm, { ...fields, slug }, derived, now);
  revisions.saveRevision(orm, post, by.actor, now);
  audit.record(orm, { ...by, action: "post.create", targetId: post.id, target: post.title }, now);
  return tagged(orm, post);
}

/** Changes a post, keeps the revision, and its old address when it may be known to somebody. Noted unless nothing changed. */
function change(
  orm: Orm,
  post: TaggedPost,
  fields: PostFields,
  derived: Derived | undefined,
  by: audit.Actor,
  now: Date,
  action: AuditAction = "post.change",
) {
  const changed = changesOf(post, fields);
  if (!changed.length) return post;
  const next = update(orm, post, fields, derived, by.actor, now);
  const details = {
    changed: changed.join(", "),
    ...(changed.includes("slug") && { slug: `${post.slug} → ${next.slug}` }),
  };
  audit.record(orm, { ...by, action, targetId: post.id, target: next.title, details }, now);
  return tagged(orm, next);
}
