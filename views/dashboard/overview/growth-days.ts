import type { SubscriberDay } from "../../../db/newsletter/growth";

/** A day, with the number of active subscribers at its end. */
export type GrowthDay = SubscriberDay & { total: number };

export const sumOf = (days: SubscriberDay[], of: Exclude<keyof SubscriberDay, "day">) =>
  days.reduce((sum, day) => sum + day[of], 0);
