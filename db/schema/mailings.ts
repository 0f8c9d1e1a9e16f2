import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { topics } from "./audience";
import { broadcasts } from "./broadcasts";
import { at, createdAt, publicId } from "./columns";
import { posts } from "./posts";

/** What a published post becomes besides: nothing, a draft, a newsletter, or a part of a weekly digest. */
const outcomes = ["none", "draft", "send", "digest"] as const;

/** What becomes of posts when they are published for the first time: the first rule that fits decides. */
export const postRules = sqliteTable(
  "post_rules",
  {
    row: integer().primaryKey(),
    id: publicId(),
    position: integer().notNull(),
    tagSlug: text(), // of which posts; null is all. No foreign key: without its tag, a rule fits nothing instead of everything
    becomes: text({ enum: outcomes }).notNull(),
    topicRow: integer().references(() => topics.row), // to those who chose this topic; null is everyone
    offReason: text(), // null while it is on
    createdBy: text().notNull(),
    createdAt: createdAt(),
    updatedAt: at().notNull(),
    // When a digest goes out: null in rules that send none
    weekday: integer(), // 1 is Monday
    minute: integer(), // of the day
    zone: text(),
    nextAt: at(), // when the next one goes out; posts are gathered for it a little earlier
  },
  () => [check("post_rules_known_outcome", sql`becomes in ('none', 'draft', 'send', 'digest')`)],
);

/** Whether the letter of a broadcast that a rule made is still to be written, or the post waits for a digest. */
const mailingStates = ["due", "waiting", "done"] as const;

/**
 * What became of a post, once in its life: written in the commit that makes it public for the first time, whether or not
 * a rule fits, and deleted only if it is taken back before anything is sent. Posts from before migration 0034 have one.
 */
export const postMailings = sqliteTable(
  "post_mailings",
  {
    postId: text()
      .primaryKey()
      .references(() => posts.id, { onDelete: "cascade" }),
    ruleRow: integer().references(() => postRules.row, { onDelete: "set null" }),
    becomes: text({ enum: outcomes }).notNull(),
    state: text({ enum: mailingStates }).notNull(),
    broadcastRow: integer().references(() => broadcasts.row, { onDelete: "set null" }),
    dueAt: at(), // when the broadcast starts
    createdAt: createdAt(),
  },
  (t) => [
    index("post_mailings_due")
      .on(t.dueAt)
      .where(sql`state = 'due'`),
    index("post_mailings_waiting")
      .on(t.ruleRow)
      .where(sql`state = 'waiting'`),
    index("post_mailings_broadcast")
      .on(t.broadcastRow)
      .where(sql`broadcast_row is not null`),
    check("post_mailings_known_state", sql`state in ('due', 'waiting', 'done')`),
  ],
);

/** The digests of a rule: at most one a week, whatever processes and clocks do. None is stored when there were no posts. */
export const digests = sqliteTable(
  "digests",
  {
    row: integer().primaryKey(),
    ruleRow: integer().references(() => postRules.row, { onDelete: "set null" }),
    week: text().notNull(), // the day it goes out in the rule's zone
    state: text({ enum: ["due", "done"] }).notNull(), // due: its letter is still to be written
    broadcastRow: integer().references(() => broadcasts.row, { onDelete: "set null" }),
    version: integer().notNull(), // the broadcast's when it was last written; any other is a manager's
    dueAt: at().notNull(), // when the broadcast starts
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex("digests_once").on(t.ruleRow, t.week),
    index("digests_due")
      .on(t.dueAt)
      .where(sql`state = 'due'`),
    index("digests_broadcast").on(t.broadcastRow),
    check("digests_known_state", sql`state in ('due', 'done')`),
  ],
);
