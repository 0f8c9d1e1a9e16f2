import { and, eq, isNotNull, isNull, or } from "drizzle-orm";
import { broadcastRecipients, recipientStates } from "../../schema/broadcasts";

/*
 * The result of each recipient, as conditions. The counters of broadcasts (migration 0018) use the same ones, so a figure
 * and the list behind it agree. An accepted email has one reported result: who complained had it delivered, and a later
 * bounce outranks a delivery.
 */

const r = broadcastRecipients;
export const isIn = (state: keyof typeof recipientStates) => eq(r.state, recipientStates[state]);

export const isDelivered = and(
  isIn("accepted"),
  or(isNotNull(r.complainedAt), and(isNull(r.bouncedAt), isNotNull(r.deliveredAt))),
);
export const isBounced = and(isIn("accepted"), isNotNull(r.bouncedAt), isNull(r.complainedAt));
const isUndecided = and(isIn("accepted"), isNull(r.deliveredAt), isNull(r.bouncedAt), isNull(r.complainedAt));
export const isSoftBounced = and(isUndecided, isNotNull(r.softAt));
export const isUnreported = and(isUndecided, isNull(r.softAt));
