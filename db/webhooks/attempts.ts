import { and, eq, gt, isNotNull, sql } from "drizzle-orm";
import { type Db, type Orm, prepared } from "../engine/open";
import { countRows } from "../lib/rows";
import { dayMs, hourMs } from "../lib/time";
import * as outbox from "../mail/outbox";
import { webhookDeliveries as deliveries, webhookEndpoints } from "../schema/webhooks";
import { applyVerdict, type Verdict } from "../storage/verification";
import type { Delivery } from "./deliveries";
import { change, type Endpoint } from "./endpoints";
import { isVerify, maxVerifySeconds, verdictWithoutAnswer, verifies } from "./verify";

/**
 * The result of an attempt. A question about an upload is answered only if there is a `verdict`. `text` is the
 * beginning of a response that was no success.
 */
export type Attempt = { ms: number } & (
  | {
      status: number;
      retryAfterMs?: number | undefined;
      verdict?: Verdict | undefined;
      error?: string | undefined;
      text?: string | undefined;
    }
  | { error: string }
);
export type Claimed = { delivery: Delivery; endpoint: Endpoint };

const [second, minute, hour, day] = [1_000, 60_000, hourMs, dayMs];

/** How long to wait after each failure: three days in total, as Standard Webhooks suggests. */
const retryDelaysMs = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];
/** The same where an upload waits for the answer: a quarter of an hour in total. */
const verifyDelaysMs = [5, 15, 30, 60, 120, 240, 420].map((seconds) => seconds * second);
const maxInFlight = 4; // for all processes together
/**
 * How long a claim lasts, beyond the time that an endpoint has to decide about an upload. After that the sender is
 * presumed dead.
 */
const leaseMs = minute;
export const longestLeaseMs = maxVerifySeconds * second + leaseMs;
const brokenAfterMs = 5 * day;
const gone = 410;
const system = { actor: "system" };

const { placeholder } = sql;
const isQueued = sql`state = 'queued'`; // written out, so that SQLite uses the partial index

const inFlight = prepared((orm) =>
  orm
    .select({ endpointId: deliveries.endpointId })
    .from(deliveries)
    .where(and(isNotNull(deliveries.leaseUntil), gt(deliveries.leaseUntil, placeholder("now"))))
    .prepare(),
);
const enabled = prepared((orm) =>
  orm
    .select()
    .from(webhookEndpoints)
    .where(sql`state = 'on'`)
    .orderBy(sql`coalesce(attempted_at, 0)`, webhookEndpoints.id)
    .prepare(),
);
/** The index is named explicitly, because SQLite might walk through all deliveries in the order of their IDs. */
const oldestDue = prepared((orm) =>
  orm
    .select({ id: sql<string>`id`, type: sql<string>`type` })
    .from(sql`${deliveries} indexed by deliveries_due`)
    .where(sql`${isQueued} and endpoint_id = ${placeholder("endpointId")} and next_attempt_at <= ${placeholder("now")}`)
    .orderBy(sql`id`)
    .limit(1)
    .prepare(),
);

type Candidate = { id: string; type: string; endpoint: Endpoint };

/**
 * Returns the oldest due delivery of each endpoint that has none in flight; the endpoint that has waited longest comes
 * first.
 */
async function candidates(orm: Orm, now: Date): Promise<Candidate[]> {
  const busy = await inFlight(orm).all({ now: now.getTime() });
  const free = maxInFlight - busy.length;
  const startable: Candidate[] = [];
  for (const endpoint of free > 0 ? await enabled(orm).all() : []) {
    if (startable.length === free) break;
    if (busy.some(({ endpointId }) => endpointId === endpoint.id)) continue;
    const due = await oldestDue(orm).get({ endpointId: endpoint.id, now: now.getTime() });
    if (due) startable.push({ ...due, endpoint });
  }
  return startable;
}

/** Whether anything can be sent now. Cheap enough to call every second. */
export const isDue = (db: Db, now: Date) => db.read(async (orm) => (await candidates(orm, now)).length > 0);

/**
 * Claims what can be sent now, and counts the attempt: one delivery per endpoint, four in total. After a crash before
 * `settle`, they are released when the claim ends, to be sent again with the same ID.
 */
export const claim = (db: Db, now: Date): Promise<Claimed[]> =>
  db.write(async (orm) => {
    const claimed: Claimed[] = [];
    for (const { id, type, endpoint } of await candidates(orm, now)) {
      const maxMs = isVerify({ type }) ? endpoint.verifySeconds * second : 0;
      const leaseUntil = new Date(now.getTime() + maxMs + leaseMs);
      const set = { leaseUntil, attemptedAt: now, attempts: sql`${deliveries.attempts} + 1` };
      const delivery = await orm.update(deliveries).set(set).where(eq(deliveries.id, id)).returning().get();
      await orm.update(webhookEndpoints).set({ attemptedAt: now }).where(eq(webhookEndpoints.id, endpoint.id)).run();
      claimed.push({ delivery, endpoint });
    }
    return claimed;
  });

/** Counts the queued deliveries of an endpoint, from the index alone. */
export const countQueued = (orm: Orm) => countRows(orm, deliveries, isQueued);

/** Releases the claims of a sender that died. Only for a process that knows it is the only one. */
export const releaseLeases = (db: Db) =>
  db.write(
    async (orm) =>
      void (await orm.update(deliveries).set({ leaseUntil: null }).where(isNotNull(deliveries.leaseUntil)).run()),
  );

type Circumstances = {
  /** Who is emailed if the endpoint is turned off. */
  notify: string | undefined;
  /** Between 0 and 1. */
  random: number;
  now: Date;
};

type Settled = {
  state: Delivery["state"];
  /** The upload that has become a file. */
  file?: { id: string; size: number } | undefined;
};

/**
 * Records an attempt, and its consequences for the endpoint and for an upload that it decides about. Only a response of
 * 2xx in time (`usualMs` in `src/webhooks/post.ts`) is a success; everything else is tried again until the waits are
 * used up. A 410 ends it at once, unless it asks about an upload. Returns undefined if another sender has claimed the delivery.
 */
export const settle = (db: Db, { delivery }: Pick<Claimed, "delivery">, attempt: Attempt, of: Circumstances) =>
  db.write(async (orm): Promise<Settled | undefined> => {
    const status = "status" in attempt ? attempt.status : null;
    const verdict = "status" in attempt ? attempt.verdict : undefined;
    const isSuccess = status !== null && status >= 200 && status < 300;
    const isDelivered = isVerify(delivery) ? verdict !== undefined : isSuccess;
    const isLast = delivery.attempts > delaysOf(delivery).length || (status === gone && !isVerify(delivery));
    const state = isDelivered ? "delivered" : isLast ? "dead" : "queued";
    const nextAttemptAt = new Date(of.now.getTime() + delayOf(delivery, attempt, of.random));
    const error = attempt.error ?? ("status" in attempt ? attempt.text : undefined) ?? null;
    const isOurs = and(eq(deliveries.id, delivery.id), isQueued, eq(deliveries.attempts, delivery.attempts)); // unless another sender has claimed it
    const set = { state, status, error, ms: attempt.ms, leaseUntil: null, nextAttemptAt } as const;
    const settled = await orm.update(deliveries).set(set).where(isOurs).returning({ id: deliveries.id }).get();
    if (!settled) return;
    const endpoint = await orm
      .select()
      .from(webhookEndpoints)
      .where(eq(webhookEndpoints.id, delivery.endpointId))
      .get();
    if (!endpoint) return { state };
    await recordHealth(orm, endpoint, { isDelivered, isGone: status === gone }, of);
    const decision = verdict ?? (state === "dead" ? verdictWithoutAnswer(endpoint) : undefined);
    if (!isVerify(delivery) || !decision) return { state };
    return { state, file: await applyVerdict(orm, delivery.subjectId ?? "", decision, of.now) };
  });

const delaysOf = (delivery: Delivery) => (isVerify(delivery) ? verifyDelaysMs : retryDelaysMs);

/** An endpoint may ask for a longer delay, up to a day, but not for a shorter one, nor where an upload waits for it. */
function delayOf(delivery: Delivery, attempt: Attempt, random: number): number {
  const usual = (delaysOf(delivery)[delivery.attempts - 1] ?? 0) * (0.9 + 0.2 * random);
  const asked = "status" in attempt && !isVerify(delivery) ? Math.min(attempt.retryAfterMs ?? 0, day) : 0;
  return Math.round(Math.max(usual, asked));
}

/**
 * A success clears all failures. An endpoint that responds with 410 is turned `off`, or is `broken` if it decides about
 * uploads; one that fails for five days is `broken`. Neither is called or gets new events; what is queued waits until it is
 * on again, for 30 days at most. Uploads still wait for one that is broken, a quarter of an hour each (`verify.ts`), until
 * a manager turns it on or off.
 */
async function recordHealth(
  orm: Orm,
  endpoint: Endpoint,
  { isDelivered, isGone }: { isDelivered: boolean; isGone: boolean },
  { notify, now }: Circumstances,
): Promise<void> {
  const { id } = endpoint;
  const since = isDelivered ? null : (endpoint.failingSince ?? now);
  const isBroken = since !== null && now.getTime() - since.getTime() >= brokenAfterMs;
  if (since?.getTime() !== endpoint.failingSince?.getTime())
    await orm.update(webhookEndpoints).set({ failingSince: since }).where(eq(webhookEndpoints.id, id)).run();
  if (endpoint.state !== "on" || !(isGone || isBroken)) return;
  await change(
    orm,
    {
      seen: endpoint,
      set: { state: isGone && !verifies(endpoint) ? "off" : "broken" },
      verb: isGone ? "gone" : "break",
    },
    system,
    now,
  );
  const payload = { about: "webhook", ...(isGone && verifies(endpoint) && { reason: "gone" }) };
  if (notify) await outbox.enqueue(orm, { kind: "notice", recipient: notify, subjectId: id, payload }, now);
}
