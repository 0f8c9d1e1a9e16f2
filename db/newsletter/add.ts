import * as audit from "../audit";
import type { Db } from "../engine/open";
import { emailKey } from "../lib/email-key";
import { isForgotten } from "../suppressions/suppressions";
import { guarded, type NewSubscriber, subscribeIn, withKey } from "./subscribers";

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
