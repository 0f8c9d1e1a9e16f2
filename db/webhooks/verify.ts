import { and, eq, sql } from "drizzle-orm";
import { type Db, type Orm, prepared } from "../engine/open";
import { webhookDeliveries as deliveries, webhookEndpoints } from "../schema/webhooks";
import { applyVerdict, isQuestion, type Verdict } from "../storage/verification";

/* Questions about uploads that no one answers (docs/webhooks.md). */

type Endpoint = typeof webhookEndpoints.$inferSelect;

/** How long an endpoint may take to decide; how often it is asked: `verifyDelaysMs` in `attempts.ts`. */
export const usualVerifySeconds = 30;
export const maxVerifySeconds = 300;
/** As long as an endpoint that is on would be asked. */
const waitLimitMs = 15 * 60_000;

export const isVerify = ({ type }: { type: string }): boolean => type === "upload.verify";
/** Whether uploads wait for this endpoint. */
export const verifies = ({ events }: Pick<Endpoint, "events">): boolean => events.includes("upload.verify");

/** What counts as the answer of an endpoint that gave none. */
export const verdictWithoutAnswer = ({
  acceptsUnanswered,
  name,
}: Pick<Endpoint, "acceptsUnanswered" | "name">): Verdict =>
  acceptsUnanswered ? { isAccepted: true } : { isAccepted: false, by: name, reason: "no answer" };

type Question = { id: string; subjectId: string; endpointId: string };

const { placeholder } = sql;
const uncalled = prepared((orm) =>
  orm
    .select({ id: sql<string>`id`, subjectId: sql<string>`subject_id`, endpointId: sql<string>`endpoint_id` })
    .from(sql`${deliveries} indexed by deliveries_verifying`)
    .where(
      sql`${isQuestion} and created_at <= ${placeholder("before")} and (lease_until is null or lease_until <= ${placeholder("now")})
        and endpoint_id in (select ${webhookEndpoints.id} from ${webhookEndpoints} where ${webhookEndpoints.state} <> 'on')`,
    )
    .limit(100)
    .prepare(),
);

/** Ends the questions to endpoints that have been off for too long to be asked. */
export async function endUncalled(db: Db, now: Date): Promise<void> {
  const before = now.getTime() - waitLimitMs;
  for (const question of await db.read((orm) => uncalled(orm).all({ before, now: now.getTime() })))
    await db.write((orm) => endUnanswered(orm, question, now));
}

/** Ends the questions that an endpoint has not answered, because it is being removed. */
export async function endQuestionsTo(db: Db, endpointId: string, now: Date): Promise<void> {
  const { id, subjectId } = deliveries;
  const open = and(eq(deliveries.endpointId, endpointId), isQuestion);
  const all = await db.read((orm) =>
    orm.select({ id, subjectId, endpointId: deliveries.endpointId }).from(deliveries).where(open).all(),
  );
  for (const { subjectId: uploadId, ...question } of all)
    await db.write((orm) => endUnanswered(orm, { ...question, subjectId: uploadId ?? "" }, now));
}

async function endUnanswered(orm: Orm, { id, subjectId, endpointId }: Question, now: Date): Promise<void> {
  const endpoint = await orm.select().from(webhookEndpoints).where(eq(webhookEndpoints.id, endpointId)).get();
  const set = { state: "dead", leaseUntil: null, error: "The endpoint was off or removed." } as const;
  const ended = orm
    .update(deliveries)
    .set(set)
    .where(and(eq(deliveries.id, id), isQuestion))
    .returning({ id: deliveries.id });
  if (endpoint && (await ended.get())) await applyVerdict(orm, subjectId, verdictWithoutAnswer(endpoint), now);
}
