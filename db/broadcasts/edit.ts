import { and, eq, isNull, sql, count, gt } from "drizzle-orm";
import { randomBytes } from "node:crypto";
import { hourMs } from "../lib/time";
import type { Db, Orm } from "../engine/open";
import * as audit from "../audit";
import { broadcastLetters, broadcasts } from "../schema/broadcasts";
import { maxTestsPerHour } from "./rules";
import { type Broadcast, type ChangeResult, find, letterOf, type Versioned } from "./broadcasts";
import type { Segment } from "../newsletter/segments/definition";
import * as outbox from "../mail/outbox";
import { outbox as mails } from "../schema/mail";

/** What the composer edits. */
type BroadcastFields = Pick<Broadcast, "subject" | "preheader" | "fromName" | "archive"> & {
  segment: Segment;
  /** The saved segment that the draft follows. */
  segmentRow?: number | null;
  /** The topic whose people it goes to; null is everyone. */
  topicRow?: number | null;
  content: string;
};
/** The broadcast's own text, or a post, with text of its own above it. A step is an email of a sequence. */
type Source = { kind: "own" | "step" } | { kind: "post"; postId: string };

/** Creates a draft. */
export const create = (
  db: Db,
  { source, fields }: { source: Source; fields: BroadcastFields },
  by: audit.Actor,
  now: Date,
) => db.write((orm) => createIn(orm, { source, fields }, by, now));

/** The same, inside the caller's transaction. */
export const createIn = (
  orm: Orm,
  { source, fields }: { source: Source; fields: BroadcastFields },
  by: audit.Actor,
  now: Date,
) => insert(orm, { source, fields: rowOf(fields), content: fields.content }, by, now);

/** Creates a draft with the fields and text of this broadcast; undefined if it does not exist. */
export const copy = (db: Db, id: string, by: audit.Actor, now: Date) =>
  db.write(async (orm) => {
    const broadcast = await find(orm, id);
    if (!broadcast) return;
    const { kind, postId, subject, preheader, fromName, segment, segmentRow, topicRow, archive } = broadcast;
    const source = kind === "post" && postId ? { kind, postId } : { kind: "own" as const };
    const content = (await letterOf(orm, broadcast.row))?.content ?? "";
    const title = `${[...subject].slice(0, 143).join("")} (copy)`;
    const fields = { subject: title, preheader, fromName, segment, segmentRow, topicRow, archive };
    return insert(orm, { source, fields, content }, by, now);
  });

/** Saves some fields of a draft that was edited at `version`. Any other state or version is a conflict. */
export const edit = (db: Db, seen: Versioned, fields: Partial<BroadcastFields>, now: Date) =>
  db.write((orm) => editIn(orm, seen, fields, now));

/** The same, inside the caller's transaction. */
export async function editIn(
  orm: Orm,
  { id, version }: Versioned,
  fields: Partial<BroadcastFields>,
  now: Date,
): Promise<ChangeResult> {
  const { content, segment, ...rest } = fields;
  const broadcast = await orm
    .update(broadcasts)
    .set({ ...rest, ...(segment && { segment: JSON.stringify(segment) }), version: version + 1, updatedAt: now })
    .where(
      and(
        eq(broadcasts.id, id),
        eq(broadcasts.version, version),
        eq(broadcasts.state, "draft"),
        isNull(broadcasts.deletedAt),
      ),
    )
    .returning()
    .get();
  if (!broadcast) {
    const current = await find(orm, id);
    return current ? { outcome: "conflict", broadcast: current } : { outcome: "gone" };
  }
  const letter = eq(broadcastLetters.broadcastRow, broadcast.row);
  if (content !== undefined) await orm.update(broadcastLetters).set({ content }).where(letter).run();
  return { outcome: "changed", broadcast };
}

const rowOf = ({
  subject,
  preheader,
  fromName,
  archive,
  segment,
  segmentRow = null,
  topicRow = null,
}: BroadcastFields) => ({
  subject,
  preheader,
  fromName,
  archive,
  segmentRow,
  topicRow,
  segment: JSON.stringify(segment),
});

async function insert(
  orm: Orm,
  { source, fields, content }: { source: Source; fields: ReturnType<typeof rowOf>; content: string },
  by: audit.Actor,
  now: Date,
): Promise<Broadcast> {
  const times = { createdBy: by.actor, createdAt: now, updatedAt: now };
  const broadcast = await orm
    .insert(broadcasts)
    .values({ ...source, ...fields, ...times, slug: secretSlug() })
    .returning()
    .get();
  await orm.insert(broadcastLetters).values({ broadcastRow: broadcast.row, content }).run();
  const target = { targetId: broadcast.id, target: broadcast.subject || "Untitled" };
  await audit.record(orm, { ...by, action: "broadcast.create", ...target }, now);
  return broadcast;
}

/** A slug that no one can guess: 128 random bits. */
export const secretSlug = () => randomBytes(16).toString("hex");
export const isSecretSlug = (slug: string) => /^[\da-f]{32}$/.test(slug);

/** Paths below the archive's that do not belong to a broadcast. */
const reserved = ["subscribe", "preferences", "record"];

/** Returns `base`, with a number if another broadcast or page has it. */
export async function freeSlug(orm: Orm, base: string, row: number): Promise<string> {
  const taken = await orm
    .select({ slug: broadcasts.slug })
    .from(broadcasts)
    .where(sql`${broadcasts.row} <> ${row} and ${broadcasts.slug} >= ${base} and ${broadcasts.slug} < ${`${base}.`}`)
    .all();
  const slugs = new Set([...reserved, ...taken.map(({ slug }) => slug)]);
  if (!slugs.has(base)) return base;
  for (let n = 2; ; n++) if (!slugs.has(`${base}-${n}`)) return `${base}-${n}`;
}

/** Queues test emails of the current version of a broadcast. At most `maxTestsPerHour`. */
export const sendTests = (db: Db, { id, addresses }: { id: string; addresses: string[] }, by: audit.Actor, now: Date) =>
  db.write(async (orm): Promise<"queued" | "gone" | "too-many"> => {
    const broadcast = await find(orm, id);
    if (!broadcast) return "gone";
    const lately = and(eq(mails.kind, "broadcast-test"), gt(mails.createdAt, new Date(now.getTime() - hourMs)));
    const sent = (await orm.select({ n: count() }).from(mails).where(lately).get())?.n ?? 0;
    if (sent + addresses.length > maxTestsPerHour) return "too-many";
    for (const recipient of addresses)
      await outbox.enqueue(orm, { kind: "broadcast-test", recipient, subjectId: id, payload: {} }, now);
    const { version, subject } = broadcast;
    await orm.update(broadcasts).set({ testedVersion: version }).where(eq(broadcasts.id, id)).run();
    const details = { to: addresses.join(", ") };
    await audit.record(
      orm,
      { ...by, action: "broadcast.test", targetId: id, target: subject || "Untitled", details },
      now,
    );
    return "queued";
  });
