import { hourMs } from "../../../db/lib/time";
import type { Frame } from "../../components/frame";

type Named = { name: string; label: string; at: Date };

/** When a message may come back, in the reader's time zone. */
export function snoozeTimes({ now, preferences: { timeZone } }: Pick<Frame, "now" | "preferences">): Named[] {
  const today = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timeZone);
  const morning = (days: number) => new Date(today.add({ days }).startOfDay().with({ hour: 9 }).epochMilliseconds);
  const untilMonday = 8 - today.dayOfWeek;
  const monday = { name: "monday", label: "On Monday", at: morning(untilMonday) };
  const isApart = untilMonday > 1 && untilMonday < 7; // from tomorrow, and from a week from now
  return [
    { name: "later", label: "In three hours", at: new Date(now.getTime() + 3 * hourMs) },
    { name: "tomorrow", label: "Tomorrow", at: morning(1) },
    ...(isApart ? [monday] : []),
    { name: "week", label: "In a week", at: morning(7) },
  ];
}
