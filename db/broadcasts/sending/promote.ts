import { and, eq, inArray, isNull, lte, notExists, type SQL, sql } from "drizzle-orm";
import * as audit from "../../audit";
import { type Db, type Orm, prepared } from "../../engine/open";
import { emit } from "../../events/webhook-events";
import * as outbox from "../../mail/outbox";
import { lastRow } from "../../newsletter/segments/people";
import {
  broadcastBatches,
  broadcastRecipients,
  broadcasts,
  isTroubled,
  isUnderWay,
  recipientStates,
} from "../../schema/broadcasts";
import { isPublished, posts } from "../../schema/posts";
import { apply, type Broadcast, type ChangeResult, type Versioned } from "../broadcasts";
import { maxLatenessMs, type PauseReason } from "../rules";
import { isNoStep, lockBeside, pauseSequenceOf } from "../steps";
import { insertBatch, isOpen } from "./batches";

type Notice = { about: "paused" | "sent"; broadcast: Pick<Broadcast, "id">; recipient: string | undefined };

/** Queues an email to the owner about a broadcast, in the transaction of its cause. */
async function enqueueNotice(orm: Orm, { about, broadcast, recipient }: Notice, now: Date): Promise<void> {
  const payload = { about };
  if (recipient) await outbox.enqueue(orm, { kind: "notice", recipient, subjectId: broadcast.id, payload }, now);
}

/* The transitions that the service makes automatically. */

/** Broadcasts sent at the same time; further ones wait. */
const maxSending = 5;

const system = { actor: "system" };
const isIn = (...states: Broadcast["state"][]) => and(inArray(broadcasts.state, states), isNull(broadcasts.deletedAt));

/** What every pause sets besides the reason. */
export const pauseState = { state: "paused", pausedUntil: null, pausedFor: null } as const;

type Problem = {
  reason: PauseReason;
  /** In the provider's words, without secrets. */
  detail?: string | undefined;
  /** Who is emailed about it. */
  notify: string | undefined;
};

/** Pauses a sending or scheduled broadcast. The owner gets an email. */
export const pauseAutomatically = (db: Db, id: string, problem: Problem, now: Date) =>
  db.write((orm) => pauseIn(orm, id, problem, now));

/** The same, inside the caller's transaction. */
export async function pauseIn(orm: Orm, id: string, { reason, detail, notify }: Problem, now: Date) {
  const words = detail?.slice(0, 300) ?? null;
  await lockBeside(orm, id);
  const set = { ...pauseState, stateReason: reason, stateDetail: words };
  const details = { reason, ...(words && { detail: words }) };
  const result = await apply(
    orm,
    { id, where: isIn("sending", "scheduled"), set, verb: "pause", details },
    system,
    now,
  );
  if (result.outcome !== "changed") return result;
  if (result.broadcast.kind === "step") await pauseSequenceOf(orm, result.broadcast.row, reason, now);
  await enqueueNotice(orm, { about: "paused", broadcast: result.broadcast, recipient: notify }, now);
  return result;
}

/** What starts a broadcast, including one that was missed or restored before it started. */
export const startState = async (orm: Orm, now: Date) => ({
  state: "sending" as const,
  stateReason: null,
  stateDetail: null,
  settledAt: now,
  startedAt: sql`coalesce(${broadcasts.startedAt}, ${now.getTime()})`,
  ceiling: sql`coalesce(${broadcasts.ceiling}, ${await lastRow(orm)})`,
});

const dueBroadcasts = (orm: Orm, now: Date) =>
  orm
    .select({
      id: broadcasts.id,
      scheduledAt: broadcasts.scheduledAt,
      withPost: broadcasts.withPost,
      postId: broadcasts.postId,
    })
    .from(broadcasts)
    .where(and(sql`${broadcasts.state} = 'scheduled'`, lte(broadcasts.scheduledAt, now), isNull(broadcasts.deletedAt)))
    .orderBy(broadcasts.scheduledAt)
    .limit(10);

/**
 * Starts the broadcasts that are due, and pauses those that should have started hours ago. Cheap enough to call every
 * second.
 */
export async function promote(db: Db, notify: string | undefined, now: Date): Promise<ChangeResult[]> {
  if (!(await db.read((orm) => dueBroadcasts(orm, now).get()))) return [];
  return db.write(async (orm) => {
    const changed: ChangeResult[] = [];
    for (const { id, scheduledAt, ...its } of await dueBroadcasts(orm, now).all()) {
      const lateMs = now.getTime() - (scheduledAt?.getTime() ?? 0);
      if (lateMs > maxLatenessMs) changed.push(await pauseIn(orm, id, { reason: "missed", notify }, now));
      else if (await lacksItsPost(orm, its, now)) changed.push(await pauseIn(orm, id, { reason: "post", notify }, now));
      else if (await mayStart(orm)) changed.push(await start(orm, id, now));
    }
    return changed;
  });
}

/** Whether a broadcast that is due has to wait for its post, which the public cannot read. */
async function lacksItsPost(orm: Orm, { withPost, postId }: Pick<Broadcast, "withPost" | "postId">, now: Date) {
  if (!withPost) return false;
  const post = await orm
    .select({ id: posts.id })
    .from(posts)
    .where(and(eq(posts.id, postId ?? ""), isPublished(now.getTime())))
    .get();
  return !post;
}

const mayStart = async (orm: Orm) =>
  (
    await orm
      .select()
      .from(broadcasts)
      .where(and(isUnderWay, isIn("sending"), isNoStep))
      .limit(maxSending)
      .all()
  ).length < maxSending;

async function start(orm: Orm, id: string, now: Date): Promise<ChangeResult> {
  const waits = sql`(select max(b.rest_until) from ${broadcasts} b where b.state = 'sending')`; // like all others
  const set = { ...(await startState(orm, now)), pausedUntil: waits };
  return apply(orm, { id, where: isIn("scheduled"), set, verb: "start" }, system, now);
}

/** Condition: everyone has been claimed, and every batch is settled. */
const isFinished = (orm: Orm): SQL | undefined =>
  and(
    isUnderWay,
    isIn("sending"),
    sql`${broadcasts.cursor} >= ${broadcasts.ceiling}`,
    notExists(
      orm
        .select({ one: sql`1` })
        .from(broadcastBatches)
        .where(and(eq(broadcastBatches.broadcastRow, broadcasts.row), isOpen)),
    ),
  );

const finished = prepared((orm) => orm.select({ id: broadcasts.id }).from(broadcasts).where(isFinished(orm)).prepare());

/**
 * Ends the broadcasts that have nothing left to send. The owner gets an email. @param publicLine returns a subject
 * without merge fields, for webhooks
 */
export async function finish(
  db: Db,
  notify: string | undefined,
  publicLine: (subject: string) => string,
  now: Date,
): Promise<ChangeResult[]> {
  if (!(await db.read((orm) => finished(orm).all())).length) return [];
  return db.write(async (orm) => {
    const set = { state: "sent" as const, finishedAt: now, pausedUntil: null, pausedFor: null };
    const changed: ChangeResult[] = [];
    for (const { id } of await finished(orm).all()) {
      const result = await apply(orm, { id, where: isFinished(orm), set, verb: "finish" }, system, now);
      if (result.outcome === "changed") await tellSent(orm, result.broadcast, { notify, publicLine }, now);
      changed.push(result);
    }
    return changed;
  });
}

/** The slug of a broadcast that is not listed is a secret, so webhooks do not get it. */
async function tellSent(
  orm: Orm,
  broadcast: Broadcast,
  { notify, publicLine }: { notify: string | undefined; publicLine: (subject: string) => string },
  now: Date,
): Promise<void> {
  const { id, archive, slug, accepted } = broadcast;
  const subject = publicLine(broadcast.subject);
  await enqueueNotice(orm, { about: "sent", broadcast, recipient: notify }, now);
  await emit(
    orm,
    { type: "broadcast.sent", data: { id, slug: archive === "listed" ? slug : null, subject, accepted } },
    now,
  );
}

/* A manager's decisions about recipients whom a broadcast may not have reached. */

const perBatch = 100;
const mayBeResent: Broadcast["state"][] = ["sending", "paused", "sent"];

/**
 * Sends again to the recipients that are uncertain or failed, if they are still in the audience. A sent broadcast
 * counts as sending until that is done.
 */
export async function sendAgain(
  db: Db,
  { seen, to }: { seen: Versioned; to: "uncertain" | "failed" },
  by: audit.Actor,
  now: Date,
): Promise<ChangeResult> {
  const result = await db.write(async (orm) => {
    const where = and(
      eq(broadcasts.version, seen.version),
      inArray(broadcasts.state, mayBeResent),
      isNull(broadcasts.deletedAt),
    );
    const changed = await apply(
      orm,
      { id: seen.id, where, set: { refusals: 0 }, verb: "resend", details: { to } },
      by,
      now,
    );
    if (changed.outcome !== "changed" || !(await requeue(orm, changed.broadcast, to, now))) return changed;
    const { row, state } = changed.broadcast;
    if (state === "sent")
      await orm
        .update(broadcasts)
        .set({ ...(await startState(orm, now)), finishedAt: null })
        .where(eq(broadcasts.row, row))
        .run();
    return changed;
  });
  if (result.outcome === "changed") while (await db.write((orm) => requeue(orm, result.broadcast, to, now)));
  return result;
}

/** Puts the next recipients into a batch. Returns whether there were any. */
async function requeue(orm: Orm, { row }: Broadcast, to: "uncertain" | "failed", now: Date): Promise<boolean> {
  const waiting = await orm
    .select({ row: broadcastRecipients.row })
    .from(broadcastRecipients)
    .where(
      and(eq(broadcastRecipients.broadcastRow, row), isTroubled, eq(broadcastRecipients.state, recipientStates[to])),
    )
    .orderBy(broadcastRecipients.row)
    .limit(perBatch)
    .all();
  const batch = { broadcastRow: row, createdAt: now, admittedAt: null };
  if (waiting.length)
    await insertBatch(
      orm,
      batch,
      waiting.map((recipient) => recipient.row),
      now,
    );
  return waiting.length > 0;
}

/** Records the decision to leave the uncertain recipients as they are. */
export const leaveUncertain = (db: Db, seen: Versioned, by: audit.Actor, now: Date) =>
  db.write((orm) => {
    const where = and(eq(broadcasts.version, seen.version), isNull(broadcasts.deletedAt));
    return apply(orm, { id: seen.id, where, set: { uncertainReviewedAt: now }, verb: "leave" }, by, now);
  });
