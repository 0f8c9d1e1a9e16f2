import { inArray, sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { topics } from "./audience";
import { broadcasts } from "./broadcasts";
import { at, createdAt, publicId } from "./columns";
import { audienceTags, subscribers } from "./newsletter";

/** What begins a sequence for someone who gets emails. */
const sequenceTriggers = ["subscribed", "confirmed", "tag", "topic"] as const;

/** Emails that everyone gets one after the other, each so long after the one before. */
export const sequences = sqliteTable(
  "sequences",
  {
    row: integer().primaryKey(),
    id: publicId(),
    name: text().notNull(),
    folded: text().notNull().unique(),
    trigger: text({ enum: sequenceTriggers }).notNull(),
    tagRow: integer().references(() => audienceTags.row, { onDelete: "set null" }), // of the trigger "tag"; without it, no one begins
    topicRow: integer().references(() => topics.row), // of the trigger "topic"
    segment: text().notNull().default("{}"), // who may begin; JSON, read by db/newsletter/segments/definition.ts alone
    frozenSegment: text(), // as it was started: moments instead of days
    state: text({ enum: ["draft", "on", "paused", "off"] })
      .notNull()
      .default("draft"),
    reason: text(), // why it is paused
    againDays: integer(), // so long after its end, what began it begins it again; null: nobody begins it twice
    edition: integer().notNull().default(0), // of the emails that whoever begins now gets; 0: it was never started
    carriesTo: integer().notNull().default(0), // people in editions before this one go on in it; the others keep theirs
    version: integer().notNull().default(1), // incremented on every change, to detect concurrent ones
    reviewedAt: at(), // when it was last started: what was due before may be sent, however late
    createdBy: text().notNull(),
    createdAt: createdAt(),
    updatedAt: at().notNull(),
  },
  () => [check("sequences_known_state", sql`state in ('draft', 'on', 'paused', 'off')`)],
);

/** Condition: it was started and has not ended, so people are in it or begin it. */
export const isStarted = inArray(sequences.state, ["on", "paused"]);

/**
 * An email of a sequence: a broadcast of the kind "step", which has its text, batches, recipients and figures. Who is in
 * an edition stays in it. An email keeps its number from edition to edition, and no other email ever gets it.
 */
export const sequenceSteps = sqliteTable(
  "sequence_steps",
  {
    row: integer().primaryKey(),
    sequenceRow: integer()
      .notNull()
      .references(() => sequences.row, { onDelete: "cascade" }),
    edition: integer().notNull(), // one more than that of the sequence: a draft
    position: integer().notNull(),
    number: integer().notNull(), // 0 to 49: a bit of sequence_people.sent
    waitHours: integer().notNull(), // after the email before, or the beginning
    atMinute: integer(), // of the person's day; null is whenever the hours are over
    broadcastRow: integer()
      .notNull()
      .references(() => broadcasts.row, { onDelete: "cascade" }),
  },
  (t) => [
    uniqueIndex("sequence_steps_broadcast").on(t.broadcastRow),
    uniqueIndex("sequence_steps_order").on(t.sequenceRow, t.edition, t.position),
    uniqueIndex("sequence_steps_number").on(t.sequenceRow, t.edition, t.number),
  ],
);

/** sequence_people.state, as numbers: there may be millions of rows. Held: the person pauses their emails. */
export const sequenceStates = { waiting: 0, claimed: 1, held: 2, done: 3, stopped: 4 } as const;

/**
 * Who is in a sequence, or was. Whoever begins it again (`run` says how often before) is as new in it. Triggers stop
 * whoever leaves, is suppressed or leaves the topic, and hold whoever pauses (migration 0031). Someone who is claimed
 * keeps that state until the outcome is recorded; `reason` then says that nothing follows.
 */
export const sequencePeople = sqliteTable(
  "sequence_people",
  {
    row: integer().primaryKey(),
    sequenceRow: integer()
      .notNull()
      .references(() => sequences.row, { onDelete: "cascade" }),
    subscriberRow: integer()
      .notNull()
      .references(() => subscribers.row, { onDelete: "cascade" }),
    run: integer().notNull().default(0), // how often they had begun it before
    stepRow: integer().references(() => sequenceSteps.row), // the next one; null at the end
    state: integer().notNull().default(sequenceStates.waiting),
    reason: text(), // why it was stopped: left, suppressed, topic, refused, late or ended
    dueAt: at(), // while waiting or held
    enteredAt: at().notNull(),
    sent: integer().notNull().default(0), // a bit for each number that was sent, or perhaps: never again
    lastDay: integer(), // of the last email, since 1970, where the person lives
    endedAt: at(),
    isEndTold: integer().notNull().default(0), // 1 once webhooks were told that it is done or stopped
  },
  (t) => [
    uniqueIndex("sequence_people_once").on(t.sequenceRow, t.subscriberRow),
    index("sequence_people_person").on(t.subscriberRow),
    index("sequence_people_due")
      .on(t.stepRow, t.dueAt)
      .where(sql`state = 0`),
    index("sequence_people_held")
      .on(t.stepRow)
      .where(sql`state = 2`),
    index("sequence_people_claimed")
      .on(t.row)
      .where(sql`state = 1`),
    index("sequence_people_ended")
      .on(t.row)
      .where(sql`state >= 3 and is_end_told = 0`),
    check("sequence_people_known_state", sql`state between 0 and 4`),
  ],
);
