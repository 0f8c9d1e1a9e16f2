import { breakdown, type Counts } from "../../../db/broadcasts/report/breakdown";
import { byId } from "../../../db/broadcasts/broadcasts";
import type { Frame } from "../../../views/components/frame";
import { isWriter } from "../../../views/dashboard/broadcasts/broadcasts";
import { BreakdownPage } from "../../../views/dashboard/broadcasts/report/breakdown";
import { path } from "../../../views/dashboard/broadcasts/state";
import type { Deps } from "../deps";
import { frameOf, pages } from "../pages";
import { forAnalysts } from "../permissions";
import { daysUntil } from "../form-input";
import { show } from "../responses";
import { extras, gone } from "./broadcasts";
import { dayMs } from "../../../db/lib/time";

const days = 14;
const maxSources = 100;

/** The figures of a broadcast by source and by day, on a page of their own because all recipients are read for them. */
export const broadcastBreakdown = (deps: Deps) =>
  pages(path, deps, forAnalysts).get("/:id/figures", ({ request, params: { id } }) => figures(deps, request, id));

/** Visitors may name a source as they like: it may look like an address, which is not for those who see only figures. */
const nameFor = (frame: Frame, source: string) =>
  source.includes("@") && !isWriter(frame) ? "Another source" : source;

async function figures(deps: Deps, request: Request, id: string) {
  const broadcast = await byId(deps.db, id);
  if (!broadcast || broadcast.deletedAt || broadcast.detailGoneAt) return gone(deps, request);
  const frame = await frameOf(deps, request);
  const from = broadcast.startedAt ?? frame.now;
  const until = new Date(Math.min(from.getTime() + (days - 1) * dayMs, frame.now.getTime()));
  const all = daysUntil(until, days, frame.preferences.timeZone);
  const starts = all.filter((_, at) => (all[at + 1] ?? until) >= from); // days before it began are left out
  const { bySource, byDay } = await breakdown(deps.db, broadcast, starts);
  const sources = [...bySource].sort(([, a], [, b]) => b.people - a.people).slice(0, maxSources);
  const named = sources.map(([source, counts]) => [nameFor(frame, source), counts] satisfies [string, Counts]);
  const countsByDay = byDay.flatMap((counts, at) => (starts[at] ? [{ start: starts[at], counts }] : []));
  return show(
    { frame, title: "By source and day", extras },
    <BreakdownPage frame={frame} broadcast={broadcast} sources={named} days={countsByDay} />,
  );
}
