import { z } from "zod";
import { type Broadcast, byId } from "../../../db/broadcasts/broadcasts";
import { datedIn as broadcastsIn } from "../../../db/broadcasts/list";
import { moveTo } from "../../../db/broadcasts/states";
import { datedIn as postsIn } from "../../../db/posts/list";
import * as postEdits from "../../../db/posts/edit";
import { maxAheadMs } from "../../../db/broadcasts/rules";
import { isScheduled } from "../../../db/posts/rules";
import type { Frame, Notice } from "../../../views/components/frame";
import { exact } from "../../../views/components/time";
import {
  CalendarHead,
  type CalendarEntry,
  MonthView,
  type MonthProps,
  MoveForm,
} from "../../../views/dashboard/calendar/calendar";
import { paths } from "../../../views/paths";
import { actorOf } from "../../security/session";
import type { Deps } from "../deps";
import { localTime, momentOf } from "../form-input";
import { frameOf, pages } from "../pages";
import { forEditors } from "../permissions";
import { done, seeOther, showDialog, showList } from "../responses";

const path = paths.calendar;
const title = "Calendar";
const extras = ["calendar.css", "calendar.js"] as const;
const maxEntries = 300; // of each kind in a month

const Month = z.object({
  month: z
    .string()
    .regex(/^[1-9]\d{3}-(0[1-9]|1[0-2])$/)
    .optional()
    .catch(undefined),
});
const id = z.string().max(100).catch("").default("");
const Which = Month.extend({ kind: z.enum(["post", "broadcast"]).catch("post").default("post"), id });
const Move = Which.extend({
  version: z.coerce.number().int().catch(0),
  day: z.string().max(20).catch("").default(""),
  /** Without it, the time of day stays. */
  time: z.string().max(20).optional().catch(undefined),
});
type Which = z.output<typeof Which>;
type Move = z.output<typeof Move>;

/** What goes out and what went out, posts and broadcasts together, by month. */
export const calendarDashboard = (deps: Deps) =>
  pages(path, deps, forEditors)
    .get("/", async ({ request, query }) => {
      const frame = await frameOf(deps, request);
      const list = <MonthView {...await monthOf(deps, frame, Month.parse(query).month)} />;
      return showList(request, { frame, title, extras: [...extras], head: <CalendarHead />, list });
    })
    .get("/move", ({ request, query }) => openMove(deps, request, Which.parse(query)))
    .post("/move", ({ request, body }) => move(deps, request, Move.parse(body ?? {})));

/** Asks for another day and time. Without JavaScript this is how things are moved. */
async function openMove(deps: Deps, request: Request, which: Which) {
  const frame = await frameOf(deps, request);
  const entry = await entryOf(deps, frame, which);
  if (!entry?.isMovable) return seeOther(request, urlOf(which.month), tooLate);
  const [day = "", time = ""] = localTime(entry.at, frame.preferences.timeZone).split("T");
  const children = <MoveForm frame={frame} entry={entry} day={day} time={time} month={which.month} />;
  return showDialog(request, { frame, title: `Change the date of “${entry.title}”`, extras: [...extras], children });
}

const tooLate: Notice = { kind: "bad", text: "Nothing was changed: it is no longer scheduled, or already went out." };

async function move(deps: Deps, request: Request, { day, time, ...which }: Move) {
  const frame = await frameOf(deps, request);
  const entry = await entryOf(deps, frame, which);
  const { timeZone } = frame.preferences;
  const [oldDay = "", oldTime = ""] = entry ? localTime(entry.at, timeZone).split("T") : [];
  const answer = (notice: Notice, dayNow = oldDay) =>
    doneWith(deps, request, Month.parse({ month: which.month ?? dayNow.slice(0, 7) }).month, notice); // where it is
  if (!entry?.isMovable) return answer(tooLate);
  const at = momentOf(`${day}T${(time ?? oldTime).slice(0, 5)}`, timeZone);
  if (!at) return answer({ kind: "bad", text: "Nothing was changed. Enter a day and a time." });
  if (at <= frame.now) return answer({ kind: "bad", text: "Nothing was changed: that time is in the past." });
  if (at.getTime() - frame.now.getTime() > maxAheadMs)
    return answer({ kind: "bad", text: "Nothing was changed. Choose a time within the next year." });
  const version = await apply(deps, request, { ...which, at });
  if (version === undefined)
    return answer({ kind: "bad", text: "Nothing was changed: someone else has changed it. This is how it is now." });
  const fields = { kind: which.kind, id: entry.id, version: String(version), day: oldDay, time: oldTime };
  const moved: Notice = {
    kind: "good",
    text: `“${entry.title}” moved to ${exact(at, frame.preferences)}.`,
    undo: { action: `${path}/move`, fields: { ...fields, ...(which.month && { month: which.month }) } },
  };
  return answer(moved, day);
}

/** Moves it, with what goes out together with it. Returns its new version; undefined if it was changed meanwhile. */
async function apply({ db, now }: Deps, request: Request, { kind, id, version, at }: Omit<Move, "day"> & { at: Date }) {
  const by = actorOf(request);
  if (kind === "broadcast") {
    const moved = await moveTo(db, { seen: { id, version }, at }, by, now());
    return moved.outcome === "changed" ? moved.broadcast.version : undefined;
  }
  const moved = await postEdits.publish(db, { id, version, at }, by, now());
  return moved.outcome === "saved" ? moved.post.version : undefined;
}

const urlOf = (month: string | undefined) => (month ? `${path}?month=${month}` : path);

/** Responds after a change: the month as it was shown, with a notice. */
async function doneWith(deps: Deps, request: Request, month: string | undefined, notice: Notice) {
  const frame = await frameOf(deps, request);
  const list = <MonthView {...await monthOf(deps, frame, month)} />;
  return done(request, { frame, title, list, back: urlOf(month), notice });
}

/** One post or broadcast; undefined if it has no date, was deleted, or is not for this role. */
async function entryOf({ db, now }: Deps, frame: Frame, { kind, id }: Which): Promise<CalendarEntry | undefined> {
  if (kind === "broadcast") {
    const broadcast = frame.may(`${paths.broadcasts}/${id}`, "POST") ? await byId(db, id) : undefined;
    return broadcast && !broadcast.deletedAt ? ofBroadcast(broadcast) : undefined;
  }
  const post = await postEdits.byId(db, id);
  if (!post?.publishedAt || post.deletedAt || !post.published) return;
  return { ...post, kind, at: post.publishedAt, isMovable: isScheduled(post, now()) };
}

function ofBroadcast({ id, subject, version, state, withPost, startedAt, scheduledAt }: Broadcast) {
  const at = startedAt ?? scheduledAt;
  if (!at) return;
  const isMovable = state === "scheduled" && !withPost; // otherwise its post is moved
  return { kind: "broadcast" as const, id, title: subject || "Untitled", version, at, isMovable };
}

/** What is in a month, by day in the manager's zone. A post and its newsletter are one entry. */
async function monthOf({ db }: Deps, frame: Frame, wanted: string | undefined): Promise<MonthProps> {
  const { timeZone, dates } = frame.preferences;
  const today = localTime(frame.now, timeZone).slice(0, 10);
  const month = Temporal.PlainYearMonth.from(wanted ?? today.slice(0, 7));
  const first = month.toPlainDate({ day: 1 });
  const weekStart = dates === "en-US" ? 7 : 1; // Sunday or Monday
  const start = first.subtract({ days: (first.dayOfWeek - weekStart + 7) % 7 });
  const weeks = Math.ceil((start.until(first).days + month.daysInMonth) / 7);
  const days = Array.from({ length: weeks * 7 }, (_, i) => start.add({ days: i }));
  const begins = (day: Temporal.PlainDate) => new Date(day.toZonedDateTime(timeZone).epochMilliseconds);
  const period = { from: begins(start), until: begins(start.add({ days: weeks * 7 })) };
  const [posts, letters] = await Promise.all([
    postsIn(db, period, maxEntries),
    frame.may(paths.broadcasts) ? broadcastsIn(db, period, maxEntries) : [],
  ]);
  const joined = new Map(letters.flatMap((each) => (each.withPost && each.postId ? [[each.postId, each]] : [])));
  const ofPosts = posts.flatMap(({ publishedAt, ...post }): CalendarEntry[] => {
    const newsletter = joined.get(post.id)?.id;
    if (!publishedAt) return [];
    return [{ ...post, kind: "post", at: publishedAt, isMovable: publishedAt > frame.now, newsletter }];
  });
  const inPosts = new Set(ofPosts.flatMap(({ newsletter }) => newsletter ?? []));
  const others = letters.filter((each) => !inPosts.has(each.id)).flatMap((each) => ofBroadcast(each) ?? []);
  const entries = [...ofPosts, ...others].sort((a, b) => a.at.getTime() - b.at.getTime());
  const byDay = Map.groupBy(entries, ({ at }) => localTime(at, timeZone).slice(0, 10));
  return {
    frame,
    month: month.toString(),
    previous: month.subtract({ months: 1 }).toString(),
    next: month.add({ months: 1 }).toString(),
    isCut: posts.length === maxEntries || letters.length === maxEntries,
    days: days.map((day) => ({
      day: day.toString(),
      isOutside: day.month !== month.month,
      isPast: day.toString() < today,
      isToday: day.toString() === today,
      entries: byDay.get(day.toString()) ?? [],
    })),
  };
}
