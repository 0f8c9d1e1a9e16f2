import { and, gte, isNotNull, lt, not, type SQL, sql } from "drizzle-orm";
import { broadcastRecipients, broadcasts, recipientStates } from "../../schema/broadcasts";
import { subscribers } from "../../schema/newsletter";

/** Which of the mailable subscribers get a broadcast. An absent field does not limit; `{}` is everyone. */
export type Segment = {
  /** One of these sources; null is "no source". */
  anyOf?: (string | null)[];
  /** None of these sources; null is "no source". */
  noneOf?: (string | null)[];
  joinedFrom?: Date;
  /** Exclusive. */
  joinedUntil?: Date;
  confirmedOnly?: true;
  /** Did not get this broadcast, named by its ID. */
  without?: string;
};

const maxLength = 8_192;
const maxSources = 20;

/** The parser of each field from JSON; undefined means invalid. */
const readers: { [Field in keyof Required<Segment>]: (value: unknown) => Segment[Field] } = {
  anyOf: sourcesOf,
  noneOf: sourcesOf,
  joinedFrom: momentOf,
  joinedUntil: momentOf,
  confirmedOnly: (value) => (value === true ? true : undefined),
  without: (value) => (typeof value === "string" && /^[\da-f-]{36}$/.test(value) ? value : undefined),
};

/**
 * Parses a segment from the JSON in a broadcast's row, or typed by a person. Returns undefined if it is not valid: an
 * unknown or broken field must never mean "everyone". One that leaves out the recipients of a broadcast that does not
 * exist would, so it is refused where the segment is made.
 */
export function readSegment(json: string): Segment | undefined {
  if (json.length > maxLength) return;
  const fields = parsed(json);
  if (typeof fields !== "object" || fields === null || Array.isArray(fields)) return;
  const read = Object.entries(fields).map(([name, value]) => [name, isField(name) ? readers[name](value) : undefined]);
  return read.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(read);
}

/** Whether the segment limits nothing: then the counter of mailable subscribers is its size. */
export const isEverybody = (segment: Segment) => Object.keys(segment).length === 0;

const isField = (name: string): name is keyof Segment => Object.hasOwn(readers, name);

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return;
  }
}

function sourcesOf(value: unknown): (string | null)[] | undefined {
  if (!Array.isArray(value) || !value.length || value.length > maxSources) return;
  const isSource = (source: unknown) => source === null || (typeof source === "string" && source !== "");
  return value.every(isSource) ? value : undefined;
}

const time = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/;

/** A day in UTC, or a time with its zone: without a zone, it would be in that of the machine. */
function momentOf(value: unknown): Date | undefined {
  const [text, day = ""] = (typeof value === "string" && time.exec(value)) || [];
  const moment = new Date(text ?? "");
  const isInCalendar = new Date(day).toJSON()?.startsWith(day); // 30 February reads as 2 March
  return isInCalendar && !Number.isNaN(moment.getTime()) ? moment : undefined;
}

/** The condition on columns of `subscribers`; undefined for everyone. */
export const segmentCondition = ({ anyOf, noneOf, joinedFrom, joinedUntil, confirmedOnly, without }: Segment) =>
  and(
    anyOf && hasSource(anyOf),
    noneOf && not(hasSource(noneOf)),
    joinedFrom && gte(subscribers.createdAt, joinedFrom),
    joinedUntil && lt(subscribers.createdAt, joinedUntil),
    confirmedOnly && isNotNull(subscribers.confirmedAt),
    without ? not(hasGot(without)) : undefined,
  );

/** No source is stored as null; an empty text is treated the same. */
const hasSource = (sources: (string | null)[]) =>
  sql`coalesce(${subscribers.source}, '') in (${sql.join(
    sources.map((source) => sql`${source ?? ""}`),
    sql`, `,
  )})`;

/** Received it, or may have. Those whose email was refused or skipped have not. */
const hasGot = (id: string): SQL => sql`exists (select 1 from ${broadcastRecipients}
  where ${broadcastRecipients.broadcastRow} = (select ${broadcasts.row} from ${broadcasts} where ${broadcasts.id} = ${id})
    and ${broadcastRecipients.subscriberRow} = ${subscribers.row}
    and ${broadcastRecipients.state} in (${recipientStates.claimed}, ${recipientStates.accepted}, ${recipientStates.uncertain}))`;
