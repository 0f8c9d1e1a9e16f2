import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { plural } from "../../components/list";
import { timeOfDay, zoneInWords } from "../../components/time";
import { paths } from "../../paths";
import { DialogFooter } from "../dialog";
import { Head } from "../shell";

/** A post or a broadcast on its day. */
export type CalendarEntry = {
  kind: "post" | "broadcast";
  id: string;
  title: string;
  version: number;
  at: Date;
  /** Whether it has not gone out yet, and is moved by itself. */
  isMovable: boolean;
  /** The broadcast that goes out with the post. */
  newsletter?: string | undefined;
};

type Day = { day: string; isOutside: boolean; isPast: boolean; isToday: boolean; entries: CalendarEntry[] };

export type MonthProps = {
  frame: Frame;
  /** "2026-11" */
  month: string;
  previous: string;
  next: string;
  /** Whether there is more than is shown. */
  isCut: boolean;
  /** Whole weeks. */
  days: Day[];
};

const path = paths.calendar;
const hrefOf = ({ kind, id }: CalendarEntry) => `${kind === "post" ? paths.posts : paths.broadcasts}/${id}`;

const moveUrl = ({ kind, id }: CalendarEntry, month: string) =>
  `${path}/move?${new URLSearchParams({ kind, id, month })}`;

export const CalendarHead = () => (
  <Head title="Calendar" lead="Posts and broadcasts: what goes out, and what went out.">
    <a class="btn" href={`${paths.posts}/new`}>
      New post
    </a>
  </Head>
);

const inWords = (day: string, options: Intl.DateTimeFormatOptions) =>
  new Date(`${day}T12:00:00Z`).toLocaleDateString("en-GB", { ...options, timeZone: "UTC" });

/** The month: weeks from 768 pixels on, below that the days on which there is something. */
export const MonthView = (view: MonthProps) => {
  const { frame, month, days, isCut } = view;
  const count = days.reduce((sum, { entries }) => sum + entries.length, 0);
  const weeks = Array.from({ length: days.length / 7 }, (_, i) => days.slice(i * 7, i * 7 + 7));
  return (
    <div id="list" class="list calendar">
      <MonthHead {...view} />
      <p class="hint">
        {zoneInWords(frame.preferences.timeZone, frame.now)}.{" "}
        <span class="with-script by-drag">
          Drag what is scheduled to another day, or press M on it; its time of day stays the same.
        </span>
      </p>
      {count === 0 && <p class="nothing">Nothing went out this month, and nothing is scheduled.</p>}
      {isCut && <p class="hint">There is more in this month than is shown here. See the lists.</p>}
      <table class="month" aria-labelledby="month">
        <thead>
          <tr>
            {days.slice(0, 7).map(({ day }) => (
              <th scope="col">
                <abbr title={inWords(day, { weekday: "long" })}>{inWords(day, { weekday: "short" })}</abbr>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week) => (
            <tr>
              {week.map((day) => (
                <DayCell {...day} view={view} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <MovedByScript frame={frame} month={month} />
    </div>
  );
};

const MonthHead = ({ month, previous, next }: MonthProps) => (
  <div class="spread">
    <h2 id="month">{inWords(`${month}-01`, { month: "long", year: "numeric" })}</h2>
    <nav class="row" aria-label="Month">
      <a class="btn icon-only" href={`${path}?month=${previous}`} aria-label="Previous month">
        <Icon name="chevron-left" />
      </a>
      <a class="btn" href={path}>
        Today
      </a>
      <a class="btn icon-only" href={`${path}?month=${next}`} aria-label="Next month">
        <Icon name="chevron-right" />
      </a>
    </nav>
  </div>
);

/** What calendar.ts submits after a drop. */
const MovedByScript = ({ frame, month }: Pick<MonthProps, "frame" | "month">) => (
  <Form action={`${path}/move`} token={frame.token} id="move" label="Move">
    {["kind", "id", "version", "day"].map((field) => (
      <input type="hidden" name={field} value="" />
    ))}
    <input type="hidden" name="month" value={month} />
  </Form>
);

const DayCell = ({ day, isOutside, isPast, isToday, entries, view }: Day & { view: MonthProps }) => (
  <td
    data-day={day}
    data-past={isPast}
    data-words={inWords(day, { weekday: "long", day: "numeric", month: "long" })}
    class={isOutside ? "outside" : isToday ? "today" : undefined}
  >
    <time datetime={day} aria-current={isToday ? "date" : undefined}>
      <span class="short">{String(Number(day.slice(8)))}</span>
      <span class="long">{inWords(day, { weekday: "short", day: "numeric", month: "short" })}</span>
    </time>
    {entries.length > 0 && (
      <ul aria-label={plural(entries.length, "entry", "entries")}>
        {entries.map((entry) => (
          <Entry entry={entry} view={view} />
        ))}
      </ul>
    )}
  </td>
);

const Entry = ({ entry, view: { frame, month } }: { entry: CalendarEntry; view: MonthProps }) => {
  const { kind, id, title, version, at, isMovable, newsletter } = entry;
  const href = hrefOf(entry);
  return (
    <li
      class={isMovable ? "planned" : "past"}
      {...(isMovable && {
        draggable: "true",
        "data-entry": true,
        "data-kind": kind,
        "data-id": id,
        "data-version": String(version),
      })}
    >
      <a href={href} id={`entry-${kind}-${id}`} draggable="false" aria-keyshortcuts={isMovable ? "M" : undefined}>
        <Icon name={kind === "post" ? "file-text" : "megaphone"} />
        {newsletter && <Icon name="megaphone" />}
        <span class="when">{timeOfDay(at, frame.preferences)}</span> <span class="what">{title}</span>
        <span class="sr">
          {kind === "post" ? (newsletter ? ", post and newsletter" : ", post") : ", broadcast"}
          {isMovable ? ", scheduled" : at > frame.now ? ", follows its post" : ", went out"}
        </span>
      </a>
      {isMovable && (
        <a
          class="btn sm quiet icon-only"
          href={moveUrl(entry, month)}
          hx-get={moveUrl(entry, month)}
          hx-target="#dialog"
          draggable="false"
          aria-label={`Change the date of ${title}`}
          title="Change date"
        >
          <Icon name="pencil" />
        </a>
      )}
    </li>
  );
};

type MoveProps = { frame: Frame; entry: CalendarEntry; day: string; time: string; month: string | undefined };

export const MoveForm = ({ frame, entry, day, time, month }: MoveProps) => (
  <Form action={`${path}/move`} token={frame.token} class="stack" label="Change date">
    {Object.entries({ kind: entry.kind, id: entry.id, version: String(entry.version), month: month ?? "" }).map(
      ([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ),
    )}
    <div class="field">
      <label for="move-day">Day</label>
      <input class="input" type="date" id="move-day" name="day" value={day} required data-focus />
    </div>
    <div class="field">
      <label for="move-time">Time</label>
      <input class="input" type="time" id="move-time" name="time" value={time} required aria-describedby="move-zone" />
      <p class="hint" id="move-zone">
        {zoneInWords(frame.preferences.timeZone, frame.now)}
      </p>
    </div>
    {entry.kind === "post" && <p class="hint">A newsletter that goes out with the post moves too.</p>}
    <DialogFooter cancel={month ? `${path}?month=${month}` : hrefOf(entry)}>Change date</DialogFooter>
  </Form>
);
