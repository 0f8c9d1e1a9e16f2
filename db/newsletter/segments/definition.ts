import { dayMs, looksLikeDay } from "../../lib/time";
import { type Status, statuses } from "../rules";

/*
 * Which people a list, a file, a broadcast or a program means: conditions, joined by all or any, and one level of
 * groups of the other kind. Stored as JSON, and read by this file alone (docs/newsletter.md has the fields).
 */

/** A day, in the site's time zone, or a time. Someone without the date has neither "from" nor "before". */
type DateCondition<When> =
  | { field: "joined" | "confirmed" | "left"; is: "from" | "before"; of: When }
  | { field: "joined" | "confirmed" | "left"; is: "known" | "unknown" };
/** In the last so many times 24 hours. */
type Within = { field: "joined" | "confirmed" | "left"; is: "within"; of: number };
type Named =
  | { field: "status"; is: "any" | "none"; of: Status[] }
  /** null is "none". */
  | { field: "source" | "language"; is: "any" | "none"; of: (string | null)[] }
  /** Tags by their names, topics by their slugs: chosen now. */
  | { field: "tag" | "topic"; is: "any" | "every" | "none"; of: string[] }
  /** API keys by their IDs: a site or program subscribed them with one. */
  | { field: "key"; is: "any" | "none"; of: string[] }
  /** A broadcast by its ID. Got: sent to them, or perhaps. */
  | { field: "broadcast"; is: "got" | "notGot"; of: string }
  /** A sequence by its ID. Finished: they were at its end, and have not begun again. Never: they never began it. */
  | { field: "sequence"; is: "in" | "finished" | "never"; of: string };

/**
 * A field of the site's own, `fields.<key>`. Texts are compared as folded, dates are days without a zone, and a choice is
 * the number of its option.
 */
export type FieldCondition =
  | { field: `fields.${string}`; is: "is" | "not"; of: string | number | boolean }
  | { field: `fields.${string}`; is: "contains" | "from" | "before"; of: string }
  | { field: `fields.${string}`; is: "least" | "most"; of: number }
  | { field: `fields.${string}`; is: "filled" | "empty" };

export type Condition = Named | DateCondition<string> | Within | FieldCondition;
/** A condition that does not depend on the time. */
export type FrozenCondition = Named | DateCondition<string> | FieldCondition;

type Nodes<One> = {
  all?: (One | { any: One[] })[];
  any?: (One | { all: One[] })[];
};
/** `{}` is everyone. `language`: the site's, when it was frozen. */
export type Segment = Nodes<Condition> & { v?: 2; language?: string };
/** A segment whose dates are moments, and which knows the language of those who have none. */
export type FrozenSegment = Nodes<FrozenCondition> & { v?: 2; language?: string };

export const maxSegment = { length: 8_192, conditions: 20, values: 50, days: 36_500 };

/** Whether the segment limits nothing: then a counter knows its size. */
export const isEverybody = ({ all, any }: Segment) => !all && !any;

/**
 * Parses a segment from a row, a URL or a person. Returns undefined if it is not valid: an unknown or broken condition
 * must never mean "everyone".
 */
export function readSegment(json: string): Segment | undefined {
  if (json.length > maxSegment.length) return;
  const value = parsed(json);
  if (!isRecord(value)) return;
  if (!("v" in value)) return readFirstShape(value);
  const { v, language, ...rest } = value;
  const isKnown = v === 2 && (language === undefined || isText(language));
  const nodes = isKnown ? nodesIn(rest, true) : undefined;
  if (!nodes || countConditions(nodes) > maxSegment.conditions) return;
  return { v: 2, ...(isText(language) && { language }), ...nodes };
}

/** Returns the segment in which all of these hold too. Groups of an "any" get them each: groups have no groups. */
export function allOf(conditions: Condition[], segment: Segment): Segment {
  const { all = [], any: either } = segment;
  if (!conditions.length) return segment;
  if (!either) return { ...segment, v: 2, all: [...conditions, ...all] };
  const { any: _, ...rest } = segment;
  const plain = either.flatMap((node) => ("all" in node ? [] : node));
  if (plain.length === either.length) return { ...rest, v: 2, all: [...conditions, { any: plain }] };
  return { ...segment, any: either.map((node) => ({ all: [...conditions, ...("all" in node ? node.all : [node])] })) };
}

export const isAboutField = (condition: Condition | FrozenCondition): condition is FieldCondition =>
  condition.field.startsWith("fields.");
/** The key of the field. */
export const fieldKeyOf = ({ field }: FieldCondition) => field.slice("fields.".length);

/** Returns every condition, of groups too. */
export const conditionsOf = ({ all = [], any = [] }: Segment): Condition[] => [
  ...all.flatMap((node) => ("any" in node ? node.any : node)),
  ...any.flatMap((node) => ("all" in node ? node.all : node)),
];

export const countConditions = (segment: Segment) => conditionsOf(segment).length;

/** When, where and in which language a segment is understood. */
export type Terms = { now: Date; zone: string; language: string };

/** Returns the same people as of now: days and "in the last 30 days" as moments, and the site's language. */
export function freeze({ all, any: either, language, ...rest }: Segment, terms: Terms): FrozenSegment {
  const one = (condition: Condition) => frozenCondition(condition, terms);
  const isFrozen = { language: language ?? terms.language };
  if (all)
    return { ...rest, ...isFrozen, all: all.map((node) => ("any" in node ? { any: node.any.map(one) } : one(node))) };
  if (either)
    return {
      ...rest,
      ...isFrozen,
      any: either.map((node) => ("all" in node ? { all: node.all.map(one) } : one(node))),
    };
  return {};
}

function frozenCondition(condition: Condition, { now, zone }: Terms): FrozenCondition {
  if (isAboutField(condition)) return condition; // its days have no zone
  if (condition.is === "within")
    return { field: condition.field, is: "from", of: new Date(now.getTime() - condition.of * dayMs).toISOString() };
  if ((condition.is === "from" || condition.is === "before") && looksLikeDay(condition.of))
    return { ...condition, of: startOfDay(condition.of, zone).toISOString() };
  return condition;
}

/** Returns when the day began in that time zone. */
const startOfDay = (day: string, zone: string) =>
  new Date(Temporal.PlainDate.from(day).toZonedDateTime(zone).epochMilliseconds);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return;
  }
}

/** Reads `{ all: […] }` or `{ any: […] }`; with `isOuter`, groups of the other kind in it. */
function nodesIn(value: Record<string, unknown>, isOuter: boolean): Segment | undefined {
  const [[kind, list] = [], ...others] = Object.entries(value);
  if (others.length || !Array.isArray(list) || !list.length || list.length > maxSegment.conditions) return;
  if (kind === "all") {
    const all = list.map((each) => conditionIn(each) ?? (isOuter ? groupIn(each, "any") : undefined));
    return all.every((each) => each !== undefined) ? { all } : undefined;
  }
  if (kind !== "any") return;
  const any = list.map((each) => conditionIn(each) ?? (isOuter ? groupIn(each, "all") : undefined));
  return any.every((each) => each !== undefined) ? { any } : undefined;
}

function groupIn(value: unknown, kind: "any"): { any: Condition[] } | undefined;
function groupIn(value: unknown, kind: "all"): { all: Condition[] } | undefined;
function groupIn(value: unknown, kind: "all" | "any") {
  const nodes = isRecord(value) && kind in value ? nodesIn(value, false) : undefined;
  return nodes && { [kind]: conditionsOf(nodes) };
}

const dateFields = ["joined", "confirmed", "left"] as const;

/** The reader of each field's operators and values; undefined means invalid. */
const readers: Record<
  Exclude<Condition, FieldCondition>["field"],
  (is: unknown, of: unknown) => Condition | undefined
> = {
  status: (is, of) =>
    isAnyOrNone(is) && isListOf<Status>(of, (one) => statuses.find((status) => status === one))
      ? { field: "status", is, of }
      : undefined,
  source: (is, of) => named("source", is, of),
  language: (is, of) => named("language", is, of),
  tag: (is, of) => memberships("tag", is, of),
  topic: (is, of) => memberships("topic", is, of),
  joined: (is, of) => dateCondition("joined", is, of),
  confirmed: (is, of) => dateCondition("confirmed", is, of),
  left: (is, of) => dateCondition("left", is, of),
  key: (is, of) =>
    isAnyOrNone(is) && isListOf<string>(of, (one) => typeof one === "string" && isId(one))
      ? { field: "key", is, of }
      : undefined,
  broadcast: (is, of) =>
    (is === "got" || is === "notGot") && typeof of === "string" && isId(of)
      ? { field: "broadcast", is, of }
      : undefined,
  sequence: (is, of) =>
    (is === "in" || is === "finished" || is === "never") && typeof of === "string" && isId(of)
      ? { field: "sequence", is, of }
      : undefined,
};

const isAnyOrNone = (is: unknown): is is "any" | "none" => is === "any" || is === "none";
const isId = (text: string) => /^[\da-f-]{36}$/.test(text);

function isListOf<Value>(value: unknown, isOne: (one: unknown) => unknown): value is Value[] {
  return Array.isArray(value) && value.length > 0 && value.length <= maxSegment.values && value.every(isOne);
}

const named = (field: "source" | "language", is: unknown, of: unknown): Condition | undefined =>
  isAnyOrNone(is) && isListOf<string | null>(of, (one) => one === null || isText(one)) ? { field, is, of } : undefined;

/** All of one is any of it. */
const memberships = (field: "tag" | "topic", is: unknown, of: unknown): Condition | undefined =>
  (isAnyOrNone(is) || is === "every") && isListOf<string>(of, isText)
    ? { field, is: is === "every" && of.length === 1 ? "any" : is, of }
    : undefined;

function dateCondition(field: (typeof dateFields)[number], is: unknown, of: unknown): Condition | undefined {
  if (is === "known" || is === "unknown") return of === undefined ? { field, is } : undefined;
  if (is === "within")
    return typeof of === "number" && Number.isInteger(of) && of >= 1 && of <= maxSegment.days
      ? { field, is, of }
      : undefined;
  return (is === "from" || is === "before") && typeof of === "string" && isDayOrMoment(of)
    ? { field, is, of }
    : undefined;
}

const time = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/;

/** A day, or a time with its zone: without a zone, it would be in that of the machine. */
function isDayOrMoment(value: string): boolean {
  const [text, day = ""] = time.exec(value) ?? [];
  const isInCalendar = new Date(day).toJSON()?.startsWith(day); // 30 February reads as 2 March
  return Boolean(isInCalendar && !Number.isNaN(new Date(text ?? "").getTime()));
}

function conditionIn(value: unknown): Condition | undefined {
  if (!isRecord(value)) return;
  const { field, is, of, ...rest } = value;
  if (Object.keys(rest).length) return;
  if (isOwnField(field)) return fieldCondition(field, is, of);
  return isField(field) ? readers[field](is, of) : undefined;
}

const isOwnField = (field: unknown): field is FieldCondition["field"] =>
  typeof field === "string" && /^fields\.[a-z][a-z0-9_]{0,29}$/.test(field);

function fieldCondition(field: FieldCondition["field"], is: unknown, of: unknown): Condition | undefined {
  if (is === "filled" || is === "empty") return of === undefined ? { field, is } : undefined;
  if (is === "least" || is === "most") return isNumber(of) ? { field, is, of } : undefined;
  if (is === "from" || is === "before")
    return isText(of) && looksLikeDay(of) && isDayOrMoment(of) ? { field, is, of } : undefined;
  if (is === "contains") return isText(of) ? { field, is, of } : undefined;
  const isValue = isText(of) || isNumber(of) || typeof of === "boolean";
  return (is === "is" || is === "not") && isValue ? { field, is, of } : undefined;
}

const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

const isField = (field: unknown): field is keyof typeof readers =>
  typeof field === "string" && Object.hasOwn(readers, field);

/*
 * The shape of broadcasts before version 2, which rows and scripts still have: every field must hold, and days are in
 * UTC.
 */
const firstFields: Record<string, (value: unknown) => Condition | undefined> = {
  anyOf: (of) => readers.source("any", of),
  noneOf: (of) => readers.source("none", of),
  joinedFrom: (of) => readers.joined("from", inUtc(of)),
  joinedUntil: (of) => readers.joined("before", inUtc(of)),
  confirmedOnly: (value) => (value === true ? { field: "confirmed", is: "known" } : undefined),
  without: (of) => readers.broadcast("notGot", of),
};

const inUtc = (value: unknown) => (typeof value === "string" && looksLikeDay(value) ? `${value}T00:00:00Z` : value);

function readFirstShape(value: Record<string, unknown>): Segment | undefined {
  const conditions = Object.entries(value).map(([name, of]) =>
    Object.hasOwn(firstFields, name) ? firstFields[name]?.(of) : undefined,
  );
  if (!conditions.length) return {};
  return conditions.every((each) => each !== undefined) ? { v: 2, all: conditions } : undefined;
}
