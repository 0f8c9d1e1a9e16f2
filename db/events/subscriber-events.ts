import { type Orm, prepared } from "../engine/open";
import { countDistinct, and, eq, sql, gt } from "drizzle-orm";
import { lockUntilCommit } from "../engine/dialects";
import { hasId } from "../lib/rows";
import { subscriberEvents, subscribers } from "../schema/newsletter";
import { emitAll, type WebhookType } from "./webhook-events";

export type SubscriberEvent = typeof subscriberEvents.$inferSelect;
/** Who did it and from where; stored with the event as proof of consent. */
export type Origin = Pick<typeof subscriberEvents.$inferInsert, "via"> &
  Partial<Pick<typeof subscriberEvents.$inferInsert, "network" | "userAgent" | "actor" | "apiKeyId">>;

const { placeholder } = sql;

const event = prepared((orm) =>
  orm
    .insert(subscriberEvents)
    .values({
      id: placeholder("id"),
      subscriberId: placeholder("subscriberId"),
      kind: placeholder("kind"),
      via: placeholder("via"),
      source: placeholder("source"),
      network: placeholder("network"),
      userAgent: placeholder("userAgent"),
      actor: placeholder("actor"),
      apiKeyId: placeholder("apiKeyId"),
      note: placeholder("note"),
      createdAt: placeholder("now"),
    })
    .prepare(),
);

/** What webhooks report. Whom an import adds is left out, because the people themselves decided nothing. */
const webhookTypes: Partial<Record<SubscriberEvent["kind"], WebhookType>> = {
  subscribed: "subscriber.subscribed",
  confirmed: "subscriber.confirmed",
  unsubscribed: "subscriber.unsubscribed",
  reactivated: "subscriber.reactivated",
  restored: "subscriber.reactivated",
  suppressed: "subscriber.suppressed",
  deleted: "subscriber.deleted",
  erased: "subscriber.deleted",
  changed: "subscriber.updated",
  paused: "subscriber.paused",
  resumed: "subscriber.resumed",
};

/**
 * `isReported`: false if webhooks do not report each person, because there are many. `reportedAs`: what they are told of
 * an event that has no name there.
 */
export type ReportedOrigin = Origin & { isReported?: boolean; reportedAs?: WebhookType };
type OriginWithTexts = ReportedOrigin & { source?: string | null | undefined; note?: string | null | undefined };

/** Records an event, in the same transaction. Call it before the subscriber is deleted. */
export const recordEvent = (
  orm: Orm,
  { subscriberId, kind }: { subscriberId: string; kind: SubscriberEvent["kind"] },
  origin: OriginWithTexts,
  now: Date,
): Promise<void> => recordEvents(orm, { ids: [subscriberId], kind }, origin, now);

/** Records the same event of several subscribers. */
export async function recordEvents(
  orm: Orm,
  { ids, kind }: { ids: string[]; kind: SubscriberEvent["kind"] },
  { isReported = true, reportedAs, ...origin }: OriginWithTexts,
  now: Date,
): Promise<void> {
  const absent = { network: null, userAgent: null, actor: null, apiKeyId: null };
  const texts = { source: origin.source ?? null, note: origin.note?.slice(0, 300) ?? null };
  for (const subscriberId of ids)
    await event(orm).run({ ...absent, ...origin, ...texts, id: Bun.randomUUIDv7(), subscriberId, kind, now });
  const type = reportedAs ?? webhookTypes[kind];
  if (!type || !isReported || (kind === "changed" && origin.via === "import")) return;
  let factsById: Promise<Map<string, PersonFacts>> | undefined;
  const person = async (id: string) => (await (factsById ??= people(orm, ids))).get(id);
  const isTold = kind !== "erased"; // after an erasure, no one learns who it was
  const events = ids.map((id) => ({
    type,
    data: { id, via: origin.via, source: texts.source },
    people: isTold ? () => person(id) : undefined,
  }));
  await emitAll(orm, events, now);
}

type PersonFacts = Pick<typeof subscribers.$inferSelect, "email" | "name">;

async function people(orm: Orm, ids: string[]): Promise<Map<string, PersonFacts>> {
  const { id, email, name } = subscribers;
  const rows = await orm.select({ id, email, name }).from(subscribers).where(hasId(id, ids)).all();
  return new Map(rows.map(({ id: of, ...facts }) => [of, facts]));
}

/** A network that opens the links of three people within five minutes is most likely a mail scanner (D15). */
export async function markScanner(orm: Orm, network: string | null | undefined, now: Date): Promise<void> {
  if (!network) return;
  await lockUntilCommit(orm)(orm, "network", network); // of three who leave simultaneously, one has to see them all
  const lately = and(
    eq(subscriberEvents.network, network),
    sql`kind = 'unsubscribed'`, // written out, so that SQLite uses the partial index
    eq(subscriberEvents.via, "link"),
    gt(subscriberEvents.createdAt, new Date(now.getTime() - 5 * 60_000)),
  );
  const people = await orm
    .select({ n: countDistinct(subscriberEvents.subscriberId) })
    .from(subscriberEvents)
    .where(lately)
    .get();
  if ((people?.n ?? 0) >= 3) await orm.update(subscriberEvents).set({ probableScanner: true }).where(lately).run();
}
