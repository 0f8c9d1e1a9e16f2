import { dayOf } from "../../../db/lib/time";
import { callsByDay } from "../../../db/webhooks/log";
import type { CallDay } from "../../../views/dashboard/webhooks/week";
import type { Deps } from "../deps";

const daysShown = 7;

type Weeks = {
  of: (endpointId: string) => CallDay[];
  /** The largest day of all of them, because they share a scale. */
  max: number;
};

/** The last seven days of all endpoints, or of one; days without calls are included. */
export async function weeksOf({ db, now }: Deps, endpointId?: string): Promise<Weeks> {
  const from = dayOf(now()) - daysShown + 1;
  const calls = await callsByDay(db, from, endpointId);
  const none = (day: number) => ({ day, delivered: 0, failed: 0 });
  const of = (id: string) =>
    Array.from({ length: daysShown }, (_, i) => {
      const found = calls.find((call) => call.endpointId === id && call.day === from + i);
      return found ? { day: found.day, delivered: found.delivered, failed: found.failed } : none(from + i);
    });
  return { of, max: Math.max(0, ...calls.map(({ delivered, failed }) => delivered + failed)) };
}
