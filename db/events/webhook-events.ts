import { ne, sql } from "drizzle-orm";
import { type Orm, prepared } from "../engine/open";
import { webhookDeliveries, webhookEndpoints } from "../schema/webhooks";

/**
 * The events that endpoints can request, and what each says. A ping is sent on request only; `upload.verify` only to
 * endpoints that name it, because their answer decides.
 */
export const webhookEvents = {
  "subscriber.subscribed": "Someone subscribed",
  "subscriber.confirmed": "Someone confirmed a subscription",
  "subscriber.unsubscribed": "Someone unsubscribed",
  "subscriber.reactivated": "Someone subscribed again, or was restored",
  "subscriber.suppressed": "An address was suppressed: it gets no more email",
  "subscriber.deleted": "A subscriber was deleted",
  "subscriber.updated": "What is known of a subscriber changed: details such as the name, tags, topics or fields",
  "subscriber.paused": "Someone paused their subscription until a date",
  "subscriber.resumed": "Someone’s pause ended",
  "audience.changed": "A manager changed many subscribers in one step",
  "sequence.entered": "Someone entered a sequence",
  "sequence.finished": "Someone got the last email of a sequence",
  "sequence.stopped": "Someone left a sequence before its end",
  "message.received": "A message reached the inbox",
  "post.published": "Readers see a post for the first time",
  "post.updated": "Readers see a post changed",
  "post.unpublished": "Readers no longer see a post",
  "project.updated": "A project changed, whatever its status",
  "broadcast.sent": "A broadcast is finished",
  "upload.completed": "An upload is complete",
  "upload.refused": "An endpoint refused an upload",
  "upload.verify": "An upload waits for a decision",
  "alert.raised": "Something is wrong with the service; again every week until it is cleared",
  "alert.cleared": "What was wrong is well again",
} as const;
export type WebhookType = keyof typeof webhookEvents;
export const webhookTypes = Object.keys(webhookEvents) as WebhookType[];

type Fact = string | number | null;
type Data = { id: string } & Record<string, Fact>;
/** Personal data, read only if an endpoint may have it. */
const peopleFields = ["email", "name", "message"] as const;
type PeopleFacts = { [Field in (typeof peopleFields)[number]]?: Fact };
type People = () => Promise<PeopleFacts | undefined> | PeopleFacts;
type Event = { type: WebhookType; data: Data; people?: People | undefined };

const maxTextLength = 2_000; // characters: a body stays below 20 KB, even if every character must be escaped

const { placeholder } = sql;
const listeners = prepared((orm) =>
  orm
    .select({ id: webhookEndpoints.id, events: webhookEndpoints.events, withPeople: webhookEndpoints.withPeople })
    .from(webhookEndpoints)
    .where(sql`state = 'on'`)
    .prepare(),
);
const insertRow = prepared((orm) =>
  orm
    .insert(webhookDeliveries)
    .values({
      id: placeholder("id"),
      endpointId: placeholder("endpointId"),
      type: placeholder("type"),
      subjectId: placeholder("subjectId"),
      body: placeholder("body"),
      nextAttemptAt: placeholder("now"),
      createdAt: placeholder("now"),
    })
    .prepare(),
);

/**
 * Queues an event for every endpoint that wants it, in the transaction of its cause (docs/decisions/webhooks.md). A
 * sender delivers it.
 */
export const emit = (orm: Orm, event: Event, now: Date): Promise<void> => emitAll(orm, [event], now);

/** The same for the events of a bulk action, which asks only once who listens. */
export async function emitAll(orm: Orm, all: Event[], now: Date): Promise<void> {
  const endpoints = all.length ? await listeners(orm).all() : [];
  for (const { type, data, people } of all) {
    let added: PeopleFacts | undefined;
    for (const { id, events, withPeople } of endpoints) {
      if (events.length && !events.includes(type)) continue;
      if (withPeople) added ??= (await people?.()) ?? {};
      await insertDelivery(orm, { endpointId: id, type, data: { ...data, ...(withPeople && added) } }, now);
    }
  }
}

/** Returns the IDs of the endpoints that decide about uploads. One that is broken still does. */
export async function verifiersOf(orm: Orm): Promise<string[]> {
  const { id, events, state } = webhookEndpoints;
  const all = await orm.select({ id, events }).from(webhookEndpoints).where(ne(state, "off")).all();
  return all.filter((endpoint) => endpoint.events.includes("upload.verify")).map((endpoint) => endpoint.id);
}

/** The body as an endpoint gets it. Personal data is removed if the endpoint may no longer have it. */
export function bodyFor({ withPeople }: { withPeople: boolean }, body: string): string {
  if (withPeople) return body;
  const { data, ...rest } = JSON.parse(body) as { data: Record<string, Fact> };
  const facts = Object.entries(data).filter(([name]) => !peopleFields.some((field) => field === name));
  return JSON.stringify({ ...rest, data: Object.fromEntries(facts) });
}

/** Adds a delivery to one endpoint. Returns its ID. */
export async function insertDelivery(
  orm: Orm,
  { endpointId, type, data }: { endpointId: string; type: WebhookType | "ping"; data: Data },
  now: Date,
): Promise<string> {
  const id = Bun.randomUUIDv7(); // IDs are in order of creation
  const body = JSON.stringify({ type, timestamp: now.toISOString(), data: shortened(data) });
  await insertRow(orm).run({ id, endpointId, type, subjectId: data.id, body, now });
  return id;
}

/** Cuts long texts; the dashboard has all of them. */
function shortened(data: Data) {
  const cut = (fact: Fact) => (typeof fact === "string" ? fact.slice(0, maxTextLength).toWellFormed() : fact);
  const isCut = Object.values(data).some((fact) => typeof fact === "string" && fact.length > maxTextLength);
  const facts = Object.fromEntries(Object.entries(data).map(([name, fact]) => [name, cut(fact)]));
  return isCut ? { ...facts, truncated: true } : facts;
}
