import { and, eq, gt, inArray, isNull, sql } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import type * as audit from "../audit";
import { shortSlugOf } from "../lib/text";
import { freeze } from "../newsletter/segments/definition";
import { termsOf } from "../newsletter/segments/saved";
import { broadcastLetters, broadcasts } from "../schema/broadcasts";
import { segments } from "../schema/audience";
import { segmentOf } from "./audience";
import { closeOpenBatches } from "./sending/batches";
import { apply, type Broadcast, type BroadcastLetter, type ChangeResult, find, type Versioned } from "./broadcasts";
import { freeSlug, isSecretSlug, secretSlug } from "./edit";
import { openStates, timeToStopMs } from "./rules";
import { pauseState, startState } from "./sending/promote";
import { isNoStep } from "./steps";

/*
 * Every transition by a manager is a function here, for a broadcast as it was shown. A request that comes too late gets
 * the current state.
 */

const seenAs = ({ version }: Pick<Versioned, "version">, ...states: Broadcast["state"][]) =>
  and(eq(broadcasts.version, version), inArray(broadcasts.state, states), isNull(broadcasts.deletedAt), isNoStep);

/**
 * Assigns a draft its final slug, so that its letter can contain the URL of its page: readable if it is listed,
 * otherwise a secret. Call it before writing the letter that `confirm` freezes. Of two simultaneous calls, the second
 * changes nothing, because the first one's letter may already be written. @param publicLine returns a subject as its
 * page has it, without merge fields
 */
export const assignSlug = (db: Db, id: string, publicLine: (subject: string) => string): Promise<string | undefined> =>
  db.write(async (orm) => {
    const draft = await find(orm, id);
    if (!draft) return;
    const base = shortSlugOf(publicLine(draft.subject), 90) || "newsletter";
    const hidden = isSecretSlug(draft.slug) ? draft.slug : secretSlug();
    const slug = draft.archive === "listed" ? await freeSlug(orm, base, draft.row) : hidden;
    const isDraft = and(eq(broadcasts.row, draft.row), eq(broadcasts.state, "draft"));
    await orm.update(broadcasts).set({ slug }).where(isDraft).run();
    return slug;
  });

type Confirmation = {
  /** When it starts. */
  at: Date;
  /** The number of people in the audience now. */
  audience: number;
  frozen: Pick<BroadcastLetter, "letter" | "page" | "bytes">;
  /** The version of the post that was frozen. */
  postVersion?: number | undefined;
  /** Whether it goes out together with its post. */
  withPost?: boolean;
};
/** A draft as it was shown, and how it is confirmed. */
export type Confirming = { seen: Versioned; to: Confirmation };

/** Draft to scheduled: freezes what will be sent. */
export const confirm = (db: Db, confirming: Confirming, by: audit.Actor, now: Date) =>
  db.write((orm) => confirmIn(orm, confirming, by, now));

/** The same, inside the caller's transaction. */
export async function confirmIn(orm: Orm, { seen, to }: Confirming, by: audit.Actor, now: Date): Promise<ChangeResult> {
  const { at, audience, frozen, postVersion = null, withPost = false } = to;
  const times = { scheduledAt: at, confirmedAt: now, confirmedBy: by.actor };
  const draft = await find(orm, seen.id);
  const segment = draft && (await segmentOf(orm, draft));
  const frozenSegment = segment ? JSON.stringify(freeze(segment, await termsOf(orm, now))) : null;
  const details = { audience: String(audience), segment: frozenSegment ?? "", at: at.toISOString() };
  const set = { state: "scheduled" as const, audience, postVersion, frozenSegment, withPost, ...times };
  const result = await apply(
    orm,
    { id: seen.id, where: seenAs(seen, "draft"), set, verb: "confirm", details },
    by,
    now,
  );
  if (result.outcome === "changed") await setLetter(orm, result.broadcast, frozen);
  return result;
}

/** What a draft that follows a saved segment has: that segment, as it is now. */
const currentSegment = sql`coalesce(
  (select ${segments.definition} from ${segments} where ${segments.row} = ${broadcasts.segmentRow}), ${broadcasts.segment})`;

/** Scheduled back to draft, for editing. */
export const unschedule = (db: Db, seen: Versioned, by: audit.Actor, now: Date) =>
  db.write((orm) => unscheduleIn(orm, { seen }, by, now));

/** The same, inside the caller's transaction. @param because why, for the audit log */
export async function unscheduleIn(
  orm: Orm,
  { seen, because }: { seen: Versioned; because?: string | undefined },
  by: audit.Actor,
  now: Date,
): Promise<ChangeResult> {
  const { scheduledAt, withPost } = broadcasts;
  const isOwnTime = and(eq(withPost, false), gt(scheduledAt, new Date(now.getTime() + timeToStopMs))); // not “now”
  const cleared = {
    scheduledAt: sql`case when ${isOwnTime} then ${scheduledAt} end`,
    confirmedAt: null,
    confirmedBy: null,
    audience: null,
    postVersion: null,
    withPost: false,
  };
  const set = { state: "draft" as const, frozenSegment: null, segment: currentSegment, ...cleared };
  const change = { where: seenAs(seen, "scheduled"), set, ...(because && { details: { because } }) };
  const result = await apply(orm, { id: seen.id, ...change, verb: "unschedule" }, by, now);
  if (result.outcome === "changed") await setLetter(orm, result.broadcast, { letter: null, page: null, bytes: null });
  return result;
}

/** Moves a scheduled broadcast to another time. One that goes out with its post moves only with that. */
export const moveTo = (db: Db, { seen, at }: { seen: Versioned; at: Date }, by: audit.Actor, now: Date) =>
  db.write((orm) => {
    const where = and(seenAs(seen, "scheduled"), eq(broadcasts.withPost, false));
    const details = { at: at.toISOString() };
    return apply(orm, { id: seen.id, where, set: { scheduledAt: at }, verb: "move", details }, by, now);
  });

/** Returns the scheduled broadcasts that a manager confirmed. */
export const scheduledBy = (orm: Orm, email: string) =>
  orm
    .select()
    .from(broadcasts)
    .where(and(eq(broadcasts.state, "scheduled"), eq(broadcasts.confirmedBy, email), isNull(broadcasts.deletedAt)))
    .orderBy(broadcasts.scheduledAt, broadcasts.row)
    .all();

const setLetter = (orm: Orm, { row }: Broadcast, frozen: Confirmation["frozen"]) =>
  orm.update(broadcastLetters).set(frozen).where(eq(broadcastLetters.broadcastRow, row)).run();

/** Sending to paused. Batches in flight are settled; nothing else is sent. */
export const pause = (db: Db, seen: Versioned, by: audit.Actor, now: Date) =>
  db.write((orm) => {
    const set = { ...pauseState, stateReason: "manager", stateDetail: null };
    return apply(orm, { id: seen.id, where: seenAs(seen, "sending"), set, verb: "pause" }, by, now);
  });

/** What a manager has seen who resumes: bounces and complaints so far do not pause it again. */
export const reviewedState = {
  reviewedAnswered: sql`${broadcasts.accepted} + ${broadcasts.failed}`,
  reviewedDelivered: sql`${broadcasts.delivered}`,
  reviewedBounced: sql`${broadcasts.bounced} + ${broadcasts.refusedBounces}`,
  reviewedComplained: sql`${broadcasts.complained}`,
  refusals: 0,
};

/** Paused to sending. */
export const resume = (db: Db, seen: Versioned, by: audit.Actor, now: Date) =>
  db.write(async (orm) => {
    const set = { ...(await startState(orm, now)), ...reviewedState };
    return apply(orm, { id: seen.id, where: seenAs(seen, "paused"), set, verb: "resume" }, by, now);
  });

/** Ends a broadcast: those who have not got it get nothing. Batches in flight are settled by their response. */
export const cancel = (db: Db, seen: Versioned, by: audit.Actor, now: Date) =>
  db.write(async (orm): Promise<ChangeResult> => {
    const where = seenAs(seen, ...openStates);
    const set = { state: "cancelled" as const, stateReason: null, finishedAt: now, pausedUntil: null, pausedFor: null };
    const result = await apply(orm, { id: seen.id, where, set, verb: "cancel" }, by, now);
    if (result.outcome === "changed") await closeOpenBatches(orm, result.broadcast.row, now);
    return result;
  });

/** Changes whether the archive shows it, in any state. */
export const setArchive = (
  db: Db,
  { seen, archive }: { seen: Versioned; archive: Broadcast["archive"] },
  by: audit.Actor,
  now: Date,
) =>
  db.write((orm) => {
    const where = and(eq(broadcasts.version, seen.version), isNull(broadcasts.deletedAt), isNoStep);
    return apply(orm, { id: seen.id, where, set: { archive }, verb: "archive", details: { archive } }, by, now);
  });
