import { z } from "zod";
import { subjectsOf } from "../../../../db/broadcasts/audience/names";
import { readSegment, type Segment } from "../../../../db/broadcasts/audience/segment";
import type { Broadcast } from "../../../../db/broadcasts/broadcasts";
import type { Db } from "../../../../db/engine/open";
import type { FieldError } from "../../../../views/components/forms/field-errors";
import type { Reading } from "../../../../views/components/time";
import { type AudienceFields, segmentInWords } from "../../../../views/dashboard/broadcasts/audience";
import { localTime, momentOf } from "../../local-time";
import { isTimeZone, unknownZone } from "../../preferences";

const maxSources = 20;
const text = z.string().max(100).catch("").default("");

const Fields = z.object({
  mode: z.enum(["all", "anyOf", "noneOf"]).catch("all").default("all"),
  source: z
    .union([z.string(), z.array(z.string())])
    .default([])
    .catch([])
    .transform((sources) => [sources].flat().slice(0, maxSources + 1)),
  joinedFrom: text,
  joinedTo: text,
  confirmedOnly: z.literal("yes").optional().catch(undefined),
  without: text,
  zone: text,
});

/** Reads the fields as they were sent. */
export function fieldsIn(body: unknown): AudienceFields & { zone: string } {
  const { source, confirmedOnly, zone, ...rest } = Fields.parse(body ?? {});
  return { ...rest, sources: source, confirmedOnly: confirmedOnly === "yes", zone };
}

/** Returns the segment that the fields describe, or what has to be corrected. */
export function segmentOf(fields: AudienceFields & { zone: string }): { segment?: Segment; errors: FieldError[] } {
  const { mode, sources, joinedFrom, joinedTo, confirmedOnly, without, zone } = fields;
  const [from, until] = [dayOf(joinedFrom, zone), dayOf(joinedTo, zone, 1)];
  const noDay = isTimeZone(zone) ? "Enter a day, such as 2026-03-14." : unknownZone;
  const errors = [
    ...(mode !== "all" && !sources.length ? [{ field: "source", message: "Choose at least one source." }] : []),
    ...(sources.length > maxSources ? [{ field: "source", message: "Choose at most 20 sources." }] : []),
    ...(joinedFrom && !from ? [{ field: "joinedFrom", message: noDay }] : []),
    ...(joinedTo && !until ? [{ field: "joinedTo", message: noDay }] : []),
    ...(from && until && from >= until ? [{ field: "joinedTo", message: "The last day is before the first." }] : []),
  ];
  if (errors.length) return { errors };
  const chosen = sources.map((source) => source || null);
  const segment: Segment = {
    ...(mode !== "all" && { [mode]: chosen }),
    ...(from && { joinedFrom: from }),
    ...(until && { joinedUntil: until }),
    ...(confirmedOnly && { confirmedOnly: true as const }),
    ...(/^[\da-f-]{36}$/.test(without) && { without }),
  };
  return { segment, errors: [] };
}

/** Fills the fields from a segment. */
export function fieldsOf(segment: Segment, zone: string): AudienceFields {
  const { anyOf, noneOf, joinedFrom, joinedUntil, confirmedOnly, without } = segment;
  const lastDay = joinedUntil && new Date(joinedUntil.getTime() - 1);
  return {
    mode: anyOf ? "anyOf" : noneOf ? "noneOf" : "all",
    sources: (anyOf ?? noneOf ?? []).map((source) => source ?? ""),
    joinedFrom: joinedFrom ? localTime(joinedFrom, zone).slice(0, 10) : "",
    joinedTo: lastDay ? localTime(lastDay, zone).slice(0, 10) : "",
    confirmedOnly: Boolean(confirmedOnly),
    without: without ?? "",
  };
}

/** Returns the beginning of a day in the time zone, or of a day after it. */
function dayOf(day: string, zone: string, later = 0): Date | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(day) || !isTimeZone(zone)) return;
  const asUtc = momentOf(`${day}T00:00`, "UTC");
  return asUtc && momentOf(new Date(asUtc.getTime() + later * 86_400_000).toISOString().slice(0, 16), zone);
}

/** Describes the audience of each of these broadcasts. */
export async function audienceWords(db: Db, list: Pick<Broadcast, "segment">[], reading: Reading): Promise<string[]> {
  const segments = list.map(({ segment }) => readSegment(segment));
  const subjects = await subjectsOf(db, [...new Set(segments.flatMap((segment) => segment?.without ?? []))]);
  return segments.map((segment) => segmentInWords(segment, { reading, subjectOf: (id) => subjects.get(id) }));
}
