const dateAndTime =
  /^(\d{4})([-/.])(\d\d)\2(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?(?: ?(?:Z|UTC|([+-])(\d\d):?(\d\d)?(?: UTC)?))?$/i;

const longest = 50; // characters

/**
 * Reads a date in the formats of other systems: `2025-01-01`, `2025-01-01 10:00:00` or ISO 8601, with or without an
 * offset. Without one it is UTC. Returns undefined for anything else, and for days that do not exist.
 */
export function readDate(text: string): Date | undefined {
  const [, year, , month, day, hour = "00", minute = "00", second = "00", fraction = "", sign, hours, minutes = "00"] =
    (text.length <= longest && dateAndTime.exec(text)) || [];
  if (!year) return undefined;
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, "0")}Z`;
  const date = new Date(local);
  if (Number.isNaN(date.getTime()) || date.toISOString() !== local) return undefined;
  if (!hours) return date;
  const offset = Number(hours) * 60 + Number(minutes);
  if (offset > 15 * 60) return undefined;
  return new Date(date.getTime() - (sign === "-" ? -offset : offset) * 60_000);
}
