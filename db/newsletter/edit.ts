import { eq } from "drizzle-orm";
import * as audit from "../audit";
import type { Db } from "../engine/open";
import { emailKey } from "../lib/email-key";
import { foldAll } from "../lib/fold";
import { recordEvent } from "../events/subscriber-events";
import { subscribers } from "../schema/newsletter";
import { isForgotten } from "../suppressions/suppressions";
import { type Details, detailsOf } from "./details";
import { guarded, type NewSubscriber, subscribeIn, withKey } from "./subscribers";

/**
 * Changes what managers may correct: all but the address. Returns the address; undefined if the subscriber no longer
 * exists.
 */
export const edit = (db: Db, { id, details }: { id: string; details: Details }, by: audit.Actor, now: Date) =>
  db.write(async (orm) => {
    const subscriber = await orm.select().from(subscribers).where(eq(subscribers.id, id)).get();
    if (!subscriber) return undefined;
    const values = detailsOf(details);
    if (Bun.deepEquals(detailsOf(subscriber), values)) return subscriber.email;
    const folded = foldAll(subscriber.email, subscriber.emailKey, values.name);
    await orm
      .update(subscribers)
      .set({ ...values, folded, updatedAt: now })
      .where(eq(subscribers.id, id))
      .run();
    if (values.language !== subscriber.language) {
      const note = `language: ${values.language ?? "none"}`;
      await recordEvent(orm, { subscriberId: id, kind: "changed" }, { via: "manager", actor: by.actor, note }, now);
    }
    await audit.record(orm, { ...by, action: "subscriber.change", targetId: id, target: subscriber.email }, now);
    return subscriber.email;
  });

/** Why a manager cannot add an address: it is on the list, has left it, or was erased. */
export type Refusal = "active" | "unsubscribed" | "erased";

type Added = { refusal: Refusal } | { isSuppressed: boolean; refusal?: undefined };

/**
 * Adds one subscriber by hand, with its audit entry. Never reactivates anyone, not even who leaves at the same time.
 */
export const addByHand = (
  db: Db,
  input: NewSubscriber,
  { welcome, ...by }: audit.Actor & { welcome: boolean },
  now: Date,
) =>
  db.write(async (orm): Promise<Added> => {
    if (await isForgotten(orm, input.email)) return { refusal: "erased" };
    const origin = { via: "manager" as const, actor: by.actor };
    const added = await subscribeIn(orm, input, origin, now, { welcome, onlyNew: true });
    if (!added.changed) return { refusal: (await withKey(orm, emailKey(input.email)))?.state ?? "active" };
    const target = { targetId: added.subscriber.id, target: input.email };
    await audit.record(orm, { ...by, action: "subscriber.add", ...target }, now);
    return { isSuppressed: added.isSuppressed };
  }, guarded);
