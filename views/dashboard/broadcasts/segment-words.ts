import type { Segment } from "../../../db/broadcasts/audience/segment";
import { date, type Reading } from "../../components/time";

const list = new Intl.ListFormat("en", { type: "disjunction" });
const sourcesIn = (sources: (string | null)[]) => list.format(sources.map((source) => source ?? "no source"));

type Words = { reading: Reading; subjectOf: (id: string) => string | undefined };

/** Describes the recipients: "From blog, joined since 1 Oct 2026". Undefined if the segment is not valid. */
export function segmentInWords(segment: Segment | undefined, { reading, subjectOf }: Words): string {
  if (!segment) return "Audience cannot be read";
  const { anyOf, noneOf, joinedFrom, joinedUntil, confirmedOnly, without } = segment;
  const lastDay = joinedUntil && new Date(joinedUntil.getTime() - 1);
  return [
    anyOf ? `From ${sourcesIn(anyOf)}` : "Everyone",
    noneOf && `except those from ${sourcesIn(noneOf)}`,
    joinedFrom && `joined since ${date(joinedFrom, reading)}`,
    lastDay && `joined until ${date(lastDay, reading)}`,
    confirmedOnly && "confirmed only",
    without && `did not get “${subjectOf(without) || "another broadcast"}”`,
  ]
    .filter(Boolean)
    .join(", ");
}
