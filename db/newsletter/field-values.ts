import { dayMs, looksLikeDay } from "../lib/time";
import type { subscriberFields } from "../schema/audience";
import { fold } from "../lib/fold";

export type Field = typeof subscriberFields.$inferSelect;
/** A value as the API has it: a date is `2026-11-20`, a choice the name of its option. */
export type FieldValue = string | number | boolean;
/** A value as it is stored (db/schema/audience.ts). */
export type StoredValue = { text: string | null; number: number | null };

export const maxFieldText = 200;
const maxNumber = 1e15; // beyond that, not every integer has a number of its own

/** Returns how a value is stored; undefined if it is none of the field. */
export function storedValue(field: Pick<Field, "type" | "options">, value: unknown): StoredValue | undefined {
  const number = (of: number | undefined) => (of === undefined ? undefined : { text: null, number: of });
  if (field.type === "number")
    return typeof value === "number" && Math.abs(value) <= maxNumber ? number(value) : undefined;
  if (field.type === "boolean") return typeof value === "boolean" ? number(Number(value)) : undefined;
  if (typeof value !== "string") return undefined;
  if (field.type === "date") return number(dayIn(value));
  const text = value.trim();
  if (field.type === "choice") return number(field.options?.find(({ name }) => fold(name) === fold(text))?.id);
  return text && text.length <= maxFieldText && !/\p{Cc}/u.test(text) ? { text, number: null } : undefined;
}

/** Days since 1970 of a day in the calendar. */
function dayIn(text: string): number | undefined {
  if (!looksLikeDay(text)) return undefined;
  const at = new Date(text);
  const isInCalendar = !Number.isNaN(at.getTime()) && at.toJSON().startsWith(text); // 30 February reads as 2 March
  return isInCalendar ? at.getTime() / dayMs : undefined;
}

/** Returns a stored value as the API has it; undefined if its option is gone. */
export function valueOf(
  { type, options }: Pick<Field, "type" | "options">,
  { text, number }: StoredValue,
): FieldValue | undefined {
  if (type === "text") return text ?? undefined;
  if (number === null) return undefined;
  if (type === "boolean") return number === 1;
  if (type === "date") return new Date(number * dayMs).toJSON().slice(0, 10);
  return type === "choice" ? options?.find(({ id }) => id === number)?.name : number;
}
