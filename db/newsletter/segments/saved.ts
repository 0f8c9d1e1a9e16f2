import { and, asc, count, eq, inArray, ne, or, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import * as audit from "../../audit";
import { type Db, type Orm, prepared } from "../../engine/open";
import { contains, fold } from "../../lib/fold";
import { countRows } from "../../lib/rows";
import { broadcasts } from "../../schema/broadcasts";
import { segments } from "../../schema/audience";
import { sequences } from "../../schema/sequences";
import { languageKey, settings, timeZoneKey } from "../../schema/settings";
import type { Segment, Terms } from "./definition";

/* Segments under a name, for lists, broadcasts and programs. */

export type SavedSegment = typeof segments.$inferSelect;

/** How many a site may have, and characters of a name. */
export const maxSaved = { segments: 50, name: 60 };

/** Returns all, by name. */
export const listSegments = (db: Db): Promise<SavedSegment[]> =>
  db.read((orm) => orm.select().from(segments).orderBy(asc(segments.folded)).all());

export const segmentById = (db: Db, id: string): Promise<SavedSegment | undefined> =>
  db.read((orm) => orm.select().from(segments).where(eq(segments.id, id)).get());

type Refusal = "taken" | "full";
type Saved = { outcome: "saved"; segment: SavedSegment };

/** Saves a segment under a name that no other has. */
export const saveSegment = (
  db: Db,
  { name, definition }: { name: string; definition: Segment },
  by: audit.Actor,
  now: Date,
) =>
  db.write(async (orm): Promise<Saved | { outcome: Refusal }> => {
    if (await isTaken(orm, name)) return { outcome: "taken" };
    if ((await countRows(orm, segments, undefined)) >= maxSaved.segments) return { outcome: "full" };
    const values = { name, folded: fold(name), definition: JSON.stringify(definition) };
    const times = { createdBy: by.actor, createdAt: now, updatedAt: now };
    const segment = await orm
      .insert(segments)
      .values({ ...values, ...times })
      .returning()
      .get();
    await audit.record(orm, { ...by, action: "segment.create", targetId: segment.id, target: name }, now);
    return { outcome: "saved", segment };
  });

/**
 * Changes the name or the conditions of a segment that was seen at `version`. Drafts follow it; what is scheduled, or
 * sent, keeps what was confirmed.
 */
export const changeSegment = (
  db: Db,
  { id, version }: Pick<SavedSegment, "id" | "version">,
  { name, definition }: { name?: string; definition?: Segment },
  by: audit.Actor,
  now: Date,
) =>
  db.write(async (orm): Promise<Saved | { outcome: "taken" | "gone" | "conflict" }> => {
    const current = await orm.select().from(segments).where(eq(segments.id, id)).get();
    if (!current) return { outcome: "gone" };
    if (current.version !== version) return { outcome: "conflict" };
    if (name !== undefined && (await isTaken(orm, name, id))) return { outcome: "taken" };
    const set = {
      ...(name !== undefined && { name, folded: fold(name) }),
      ...(definition && { definition: JSON.stringify(definition) }),
    };
    const segment = await orm
      .update(segments)
      .set({ ...set, version: version + 1, updatedAt: now })
      .where(eq(segments.id, id))
      .returning()
      .get();
    if (definition) await follow(orm, segment);
    await audit.record(orm, { ...by, action: "segment.change", targetId: id, target: segment.name }, now);
    return { outcome: "saved", segment };
  });

const follow = (orm: Orm, { row, definition }: SavedSegment) =>
  orm
    .update(broadcasts)
    .set({ segment: definition })
    .where(and(eq(broadcasts.segmentRow, row), eq(broadcasts.state, "draft")))
    .run();

/** Deletes a segment, unless broadcasts that are not sent yet use it: then it returns their number. */
export const removeSegment = (db: Db, id: string, by: audit.Actor, now: Date) =>
  db.write(async (orm): Promise<{ outcome: "removed" | "gone" } | { outcome: "used"; broadcasts: number }> => {
    const segment = await orm.select().from(segments).where(eq(segments.id, id)).get();
    if (!segment) return { outcome: "gone" };
    const isUsed = and(eq(broadcasts.segmentRow, segment.row), inArray(broadcasts.state, ["draft", "scheduled"]));
    const users = (await orm.select({ n: count() }).from(broadcasts).where(isUsed).get())?.n ?? 0;
    if (users) return { outcome: "used", broadcasts: users };
    await orm.delete(segments).where(eq(segments.id, id)).run();
    await audit.record(orm, { ...by, action: "segment.delete", targetId: id, target: segment.name }, now);
    return { outcome: "removed" };
  });

const unsent = ["draft", "scheduled", "sending", "paused"] as const;

/** Whether a segment that is saved, or of a broadcast or sequence that is not over, names this field. */
export async function isFieldNamed(orm: Orm, key: string): Promise<boolean> {
  const naming = (json: SQLiteColumn) => sql`${json} like ${contains(`"fields.${key}"`)} escape '\\'`;
  const isInBroadcast = and(
    inArray(broadcasts.state, unsent),
    or(naming(broadcasts.segment), naming(broadcasts.frozenSegment)),
  );
  const saved = await countRows(orm, segments, naming(segments.definition));
  const isOpen = ne(sequences.state, "off");
  const inSequence = and(isOpen, or(naming(sequences.segment), naming(sequences.frozenSegment)));
  if ((await countRows(orm, sequences, inSequence)) > 0) return true;
  return saved > 0 || (await countRows(orm, broadcasts, isInBroadcast)) > 0;
}

async function isTaken(orm: Orm, name: string, but?: string): Promise<boolean> {
  const isSame = and(eq(segments.folded, fold(name)), but === undefined ? undefined : ne(segments.id, but));
  return (await countRows(orm, segments, isSame)) > 0;
}

/** Returns how segments are understood now: days in the site's time zone, and no language as the site's. */
export async function termsOf(orm: Orm, now: Date): Promise<Terms> {
  const rows = await siteTerms(orm).all();
  const values = new Map(rows.map(({ key, value }) => [key, value]));
  return { now, zone: values.get(timeZoneKey) || "UTC", language: values.get(languageKey) || "en" };
}

const siteTerms = prepared((orm) =>
  orm
    .select({ key: settings.key, value: settings.value })
    .from(settings)
    .where(inArray(settings.key, [languageKey, timeZoneKey]))
    .prepare(),
);
