import { and, count, eq } from "drizzle-orm";
import { dayMs } from "../lib/time";
import type { Db, Orm } from "../engine/open";
import * as audit from "../audit";
import type { AuditVerb } from "../audit";
import { deleteInCommits } from "../lib/bulk";
import { webhookDeliveries, webhookEndpoints } from "../schema/webhooks";
import { insertDelivery } from "../events/webhook-events";
import { endQuestionsTo } from "./verify";

export type Endpoint = typeof webhookEndpoints.$inferSelect;
/** What a manager enters. Without events, the endpoint gets all of them. */
export type EndpointFields = Pick<Endpoint, "name" | "url" | "events" | "withPeople"> &
  Partial<Pick<Endpoint, "verifySeconds" | "acceptsUnanswered">>;
type Seen = Pick<Endpoint, "id" | "version">;
type ChangeResult =
  | { outcome: "changed"; endpoint: Endpoint }
  /** Someone else changed it in the meantime. */
  | { outcome: "conflict"; endpoint: Endpoint }
  | { outcome: "gone" };

export const maxEndpoints = 20;
export const rotationMs = dayMs; // for which both secrets sign

export const list = (db: Db) =>
  db.read((orm) => orm.select().from(webhookEndpoints).orderBy(webhookEndpoints.createdAt, webhookEndpoints.id).all());

export const byId = (db: Db, id: string) => db.read((orm) => find(orm, id));

const find = (orm: Orm, id: string): Promise<Endpoint | undefined> =>
  orm.select().from(webhookEndpoints).where(eq(webhookEndpoints.id, id)).get();

/** Adds an endpoint. Returns undefined if there are already twenty. @param secret encrypted */
export const add = (
  db: Db,
  { fields, secret }: { fields: EndpointFields; secret: string },
  by: audit.Actor,
  now: Date,
) => db.write((orm) => addIn(orm, { fields, secret }, by, now));

/** The same, inside the caller's transaction. */
export async function addIn(
  orm: Orm,
  { fields, secret }: { fields: EndpointFields; secret: string },
  by: audit.Actor,
  now: Date,
): Promise<Endpoint | undefined> {
  const existing = await orm.select({ n: count() }).from(webhookEndpoints).get();
  if ((existing?.n ?? 0) >= maxEndpoints) return;
  const values = { ...fields, secret, createdBy: by.actor, createdAt: now };
  const endpoint = await orm.insert(webhookEndpoints).values(values).returning().get();
  await recordEvent(orm, { verb: "add", endpoint }, by, now);
  return endpoint;
}

export const edit = (db: Db, { seen, fields }: { seen: Seen; fields: EndpointFields }, by: audit.Actor, now: Date) =>
  db.write((orm) => change(orm, { seen, set: fields, verb: "change" }, by, now));

/** Replaces the secret. For a day, the previous one signs as well. @param secret encrypted */
export const rotate = (db: Db, { seen, secret }: { seen: Seen; secret: string }, by: audit.Actor, now: Date) =>
  db.write(async (orm) => {
    const oldSecret = (await find(orm, seen.id))?.secret ?? null;
    const set = { secret, oldSecret, oldUntil: new Date(now.getTime() + rotationMs) };
    return change(orm, { seen, set, verb: "rotate" }, by, now);
  });

/** Turns an endpoint on or off. Queued deliveries are kept, and sent when it is on. */
export const turn = (db: Db, { id, state }: { id: string; state: "on" | "off" }, by: audit.Actor, now: Date) =>
  db.write(async (orm): Promise<ChangeResult> => {
    const endpoint = await find(orm, id);
    if (!endpoint) return { outcome: "gone" };
    if (endpoint.state === state) return { outcome: "changed", endpoint };
    return change(orm, { seen: endpoint, set: { state, failingSince: null }, verb: `turn-${state}` }, by, now);
  });

/**
 * Removes it. Its deliveries are deleted first, because there may be many; uploads that waited for it do so no longer.
 * Returns undefined if it does not exist.
 */
export async function remove(db: Db, id: string, by: audit.Actor, now: Date) {
  await endQuestionsTo(db, id, now);
  const isTheirs = eq(webhookDeliveries.endpointId, id);
  await deleteInCommits(db, { table: webhookDeliveries, key: [webhookDeliveries.id], where: isTheirs });
  return db.write(async (orm) => {
    const endpoint = await orm.delete(webhookEndpoints).where(eq(webhookEndpoints.id, id)).returning().get();
    if (endpoint) await recordEvent(orm, { verb: "remove", endpoint }, by, now);
    return endpoint;
  });
}

/** Queues a ping. Returns undefined if the endpoint does not exist or is not on. */
export const ping = (db: Db, id: string, by: audit.Actor, now: Date) =>
  db.write(async (orm) => {
    const endpoint = await find(orm, id);
    if (endpoint?.state !== "on") return;
    await recordEvent(orm, { verb: "ping", endpoint }, by, now);
    return { endpoint, delivery: await insertDelivery(orm, { endpointId: id, type: "ping", data: { id } }, now) };
  });

/** Counts the endpoints in each state; one that is on and has failed since its last success is failing. */
export async function countEndpoints(orm: Orm) {
  const all = await orm.select().from(webhookEndpoints).all();
  const stateOf = ({ state, failingSince }: Endpoint) => (state === "on" && failingSince ? "failing" : state);
  const byState = Map.groupBy(all, stateOf);
  return (["on", "failing", "off", "broken"] as const).map((state) => ({
    state,
    count: byState.get(state)?.length ?? 0,
  }));
}

/** Changes an endpoint as it was shown, and records it in the audit log. */
export async function change(
  orm: Orm,
  { seen: { id, version }, set, verb }: { seen: Seen; set: Partial<Endpoint>; verb: AuditVerb<"webhook"> },
  by: audit.ActorWithDetails,
  now: Date,
): Promise<ChangeResult> {
  const endpoint = await orm
    .update(webhookEndpoints)
    .set({ ...set, version: version + 1 })
    .where(and(eq(webhookEndpoints.id, id), eq(webhookEndpoints.version, version)))
    .returning()
    .get();
  if (endpoint) {
    await recordEvent(orm, { verb, endpoint }, by, now);
    return { outcome: "changed", endpoint };
  }
  const current = await find(orm, id);
  return current ? { outcome: "conflict", endpoint: current } : { outcome: "gone" };
}

export const recordEvent = (
  orm: Orm,
  { verb, endpoint: { id, name } }: { verb: AuditVerb<"webhook">; endpoint: Pick<Endpoint, "id" | "name"> },
  by: audit.ActorWithDetails,
  now: Date,
) => audit.record(orm, { ...by, action: `webhook.${verb}`, targetId: id, target: name }, now);
