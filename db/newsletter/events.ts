import { type Orm, prepared } from "../engine/open";
import { countDistinct, and, eq, sql, gt } from "drizzle-orm";
import { subscriberEvents, subscribers } from "../schema/newsletter";
import { emit, type WebhookType } from "../webhooks/events";

export type SubscriberEvent = typeof subscriberEvents.$inferSelect;
/** Who did it and from where; stored with the event as proof of consent. */
export type Origin = Pick<typeof subscriberEvents.$inferInsert, "via"> &
  Partial<Pick<typeof subscriberEvents.$inferInsert, "network" | "userAgent" | "actor">>;

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
      note: placeholder("note"),
      createdAt: placeholder("now"),
    })
    .prepare(),
);

/** What webhooks report. Imports are left out, because the people themselves decided nothing (P180). */
const webhookTypes: Partial<Record<SubscriberEvent["kind"], WebhookType>> = {
  subscribed: "subscriber.subscribed",
  confirmed: "subscriber.confirmed",
  unsubscribed: "subscriber.unsubscribed",
  reactivated: "subscriber.reactivated",
  restored: "subscriber.reactivated",
  suppressed: "subscriber.suppressed",
  deleted: "subscriber.deleted",
  erased: "subscriber.deleted",
};

/** Records an event, in the same transaction. Call it before the subscriber is deleted. */
export async function note(
  orm: Orm,
  subscriberId: string,
  kind: SubscriberEvent["kind"],
  origin: Origin & { source?: string | null | undefined; note?: string | null | undefined },
  now: Date,
): Promise<void> {
  const absent = { network: null, userAgent: null, actor: null };
  const texts = { source: origin.source ?? null, note: origin.note?.slice(0, 300) ?? null };
  await event(orm).run({ ...absent, ...origin, ...texts, id: Bun.randomUUIDv7(), subscriberId, kind, now });
  const type = webhookTypes[kind];
  const data = { id: subscriberId, via: origin.via, source: texts.source };
  const people = kind === "erased" ? undefined : () => person(orm, subscriberId); // after an erasure, no one learns who it was
  if (type) await emit(orm, type, data, now, people);
}

const person = (orm: Orm, id: string) =>
  orm
    .select({ email: subscribers.email, name: subscribers.name })
    .from(subscribers)
    .where(eq(subscribers.id, id))
    .get();

/** A network that opens the links of three people within five minutes is most likely a mail scanner (D15). */
export async function markScanner(orm: Orm, network: string | null | undefined, now: Date): Promise<void> {
  if (!network) return;
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
