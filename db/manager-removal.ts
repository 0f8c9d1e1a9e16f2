import { and, asc, eq, inArray, or } from "drizzle-orm";
import * as apiKeys from "./access/keys/api-keys";
import { changeRoleIn, creatorRemoved, type Manager, deleteManagerIn, type Role } from "./access/managers";
import * as audit from "./audit";
import type { AuditAction } from "./audit";
import { rulesOf, takeOverIn, turnOffIn } from "./broadcasts/from-posts/rules";
import { scheduledBy, unscheduleIn } from "./broadcasts/states";
import { ownerAddress } from "./contact/owner";
import type { Db, Orm } from "./engine/open";
import { emailKey } from "./lib/email-key";
import { apiKeys as apiKeyTable } from "./schema/access";
import { auditEvents } from "./schema/audit";
import { broadcasts as broadcastTable } from "./schema/broadcasts";
import { isStarted, sequences } from "./schema/sequences";
import { storageNodes } from "./schema/storage";
import { webhookEndpoints } from "./schema/webhooks";
import { change } from "./webhooks/endpoints";

/*
 * What a manager set up does not outlive them, or their role: it is withdrawn with them, or an owner takes it over
 * (docs/decisions/accounts-and-sign-in.md).
 */

/** Returns what a manager set up that would go on without them. */
export const setUpBy = (db: Db, manager: Pick<Manager, "email">, now: Date) =>
  db.read(async (orm) => ({
    ...(await find(orm, manager, now)),
    /** Whether the messages of visitors are sent to their address, unless the configuration says otherwise. */
    getsNotifications: emailKey((await ownerAddress(orm)) ?? "") === emailKey(manager.email),
  }));

async function find(orm: Orm, { email }: Pick<Manager, "email">, now: Date) {
  const endpoints = await endpointsOf(orm, email);
  return {
    keys: await apiKeys.createdBy(orm, email, now),
    endpoints: endpoints.filter(({ withPeople, state }) => withPeople && state !== "off"),
    /** Their calls contain IDs only, or they are off. */
    otherEndpoints: endpoints.filter(({ withPeople, state }) => !withPeople || state === "off"),
    broadcasts: await scheduledBy(orm, email),
    rules: await rulesOf(orm, email),
    /** These go on, because people are in the middle of them. */
    sequences: await sequencesOf(orm, email),
    /** The storage nodes whose credentials they may know. They stay in use: their files would be out of reach. */
    nodes: await nodesOf(orm, email),
  };
}

/** The endpoints that they added, or changed: any of these may be a server of theirs. */
function endpointsOf(orm: Orm, email: string) {
  const changed = targetsOf(orm, email, ["webhook.add", "webhook.change"]);
  return orm
    .select()
    .from(webhookEndpoints)
    .where(or(eq(webhookEndpoints.createdBy, email), inArray(webhookEndpoints.id, changed)))
    .orderBy(asc(webhookEndpoints.createdAt), asc(webhookEndpoints.id))
    .all();
}

/** The sequences that they made, or started, and that have not ended. */
const sequencesOf = (orm: Orm, email: string) =>
  orm
    .select({ id: sequences.id, name: sequences.name })
    .from(sequences)
    .where(
      and(
        isStarted,
        or(
          eq(sequences.createdBy, email),
          inArray(sequences.id, targetsOf(orm, email, ["sequence.start", "sequence.publish", "sequence.resume"])),
        ),
      ),
    )
    .orderBy(asc(sequences.folded))
    .all();

/** The nodes that they added, or changed. */
const nodesOf = (orm: Orm, email: string) =>
  orm
    .select({ id: storageNodes.id, name: storageNodes.name })
    .from(storageNodes)
    .where(inArray(storageNodes.id, targetsOf(orm, email, ["storage-node.add", "storage-node.edit"])))
    .orderBy(asc(storageNodes.name))
    .all();

const targetsOf = (orm: Orm, email: string, actions: AuditAction[]) =>
  orm
    .select({ id: auditEvents.targetId })
    .from(auditEvents)
    .where(and(eq(auditEvents.actor, email), inArray(auditEvents.action, actions)));

/**
 * Removes a manager. In the same transaction, their API keys are deactivated, their webhooks with personal data and
 * their rules for posts turned off, and the broadcasts they scheduled are drafts again.
 *
 * @param keep the IDs of what the acting owner takes over instead
 */
export const removeManager = (
  db: Db,
  { actingManager, id, keep }: { actingManager: Manager; id: string; keep: ReadonlySet<string> },
  by: audit.Actor,
  now: Date,
) =>
  db.write(async (orm) => {
    const manager = await deleteManagerIn(orm, { actingManager, id }, by, now);
    if (typeof manager !== "string") await withdraw(orm, { manager, keep, because: creatorRemoved }, by, now);
    return manager;
  });

/** Whether someone with this role sees people, and sends to them. */
export const seesPeople = (role: Role): boolean => role === "owner" || role === "manager";

/**
 * Changes a manager's role. Of whoever sees people no longer, the same is withdrawn as of one who is removed.
 *
 * @param keep the IDs of what the acting owner takes over instead
 */
export const changeRole = (
  db: Db,
  { keep, ...wanted }: { actingManager: Manager; id: string; role: Role; keep: ReadonlySet<string> },
  by: audit.Actor,
  now: Date,
) =>
  db.write(async (orm) => {
    const manager = await changeRoleIn(orm, wanted, by, now);
    if (typeof manager !== "string" && seesPeople(manager.role) && !seesPeople(wanted.role))
      await withdraw(orm, { manager, keep, because: "its creator is no longer a manager" }, by, now);
    return manager;
  });

type Withdrawal = { manager: Manager; keep: ReadonlySet<string>; because: string };

/** Withdraws what a manager set up, or has the acting owner take it over. */
async function withdraw(orm: Orm, { manager, keep, because }: Withdrawal, by: audit.Actor, now: Date) {
  const { keys, endpoints, broadcasts, rules } = await find(orm, manager, now);
  const withdrawn = { ...by, details: { because } };
  const creator = { createdBy: by.actor };
  const takeOver = (action: "api-key" | "webhook" | "broadcast", targetId: string, target: string) => {
    const details = { from: manager.email };
    return audit.record(orm, { ...by, action: `${action}.take-over`, targetId, target, details }, now);
  };
  const off = { state: "off" as const, failingSince: null };
  for (const key of keys)
    if (keep.has(key.id)) {
      await orm.update(apiKeyTable).set(creator).where(eq(apiKeyTable.id, key.id)).run();
      await takeOver("api-key", key.id, key.name);
    } else await apiKeys.deactivateIn(orm, key.id, withdrawn, now);
  for (const endpoint of endpoints)
    if (keep.has(endpoint.id)) {
      await orm.update(webhookEndpoints).set(creator).where(eq(webhookEndpoints.id, endpoint.id)).run();
      await takeOver("webhook", endpoint.id, endpoint.name);
    } else await change(orm, { seen: endpoint, set: off, verb: "turn-off" }, withdrawn, now);
  for (const broadcast of broadcasts)
    if (keep.has(broadcast.id)) {
      await orm.update(broadcastTable).set({ confirmedBy: by.actor }).where(eq(broadcastTable.id, broadcast.id)).run();
      await takeOver("broadcast", broadcast.id, broadcast.subject || "Untitled");
    } else await unscheduleIn(orm, { seen: broadcast, because }, by, now);
  for (const rule of rules)
    if (keep.has(rule.id)) await takeOverIn(orm, rule, by, now);
    else await turnOffIn(orm, rule, withdrawn, now);
}
