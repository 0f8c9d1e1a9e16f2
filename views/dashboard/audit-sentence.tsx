import type { AuditEvent } from "../../db/audit";
import type { Frame } from "../components/frame";
import { plural } from "../components/list";
import { Time } from "../components/time";
import { type Names, Who } from "../components/who";
import { auditLabel } from "./audit-labels";

/** Who did it, by name. */
export const Actor = (who: { actor: string; names: Names }) => (
  <strong>
    <Who {...who} />
  </strong>
);

type Told = Pick<AuditEvent, "actor" | "action" | "target" | "details">;

/** What was done, behind the actor's name: "reordered the project Balcony". */
export function AuditText({ event: { actor, action, target, details } }: { event: Told }) {
  const values: Record<string, string> = { ...details, ...(target && { target }) };
  const texts = auditLabel(action, actor === target).map((text) => text.split(/\{([\w-]+(?::[\w ]+)?)\}/));
  const parts = texts.find((pieces) => namesIn(pieces).every((name) => values[name])) ?? [];
  return <>{parts.map((part, at) => (at % 2 ? <Value of={part} values={values} /> : part))}</>;
}

const namesIn = (pieces: string[]) => pieces.filter((_, at) => at % 2).map((piece) => piece.split(":")[0] ?? "");

function Value({ of, values }: { of: string; values: Record<string, string> }) {
  const [name = "", noun] = of.split(":");
  const value = values[name] ?? "";
  if (noun) return <>{plural(Number(value), noun)}</>;
  return name === "target" ? <strong class="wrap">{value}</strong> : <bdi>{value}</bdi>;
}

const dayOf = ({ createdAt }: AuditEvent) => createdAt.toISOString().slice(0, 10);

/** Puts together what one person did in a row, several times, on one day: newest first, as the entries are. */
export function groupsOf(events: AuditEvent[]): AuditEvent[][] {
  const groups: AuditEvent[][] = [];
  for (const event of events) {
    const [last] = groups.at(-1) ?? [];
    const isSame = last?.actor === event.actor && last.action === event.action && dayOf(last) === dayOf(event);
    if (isSame) groups.at(-1)?.push(event);
    else groups.push([event]);
  }
  return groups;
}

/** One line for a group of entries: "Ada reordered 5 projects". */
export const Activity = ({ group, frame }: { group: AuditEvent[]; frame: Frame }) => {
  const [event] = group;
  if (!event) return null;
  return (
    <li>
      <span class="wrap">
        <Actor actor={event.actor} names={frame.names} />{" "}
        {group.length > 1 ? <GroupText group={group} /> : <AuditText event={event} />}
      </span>
      <Time at={event.createdAt} clock={frame} />
    </li>
  );
};

/** What was done each time: the same thing several times is told with its number, several things with theirs. */
export function GroupText({ group }: { group: AuditEvent[] }) {
  const [event] = group;
  if (!event) return null;
  const things = new Set(group.map(({ target, targetId }) => targetId ?? target)).size;
  const many = things > 1 && group.every(({ target }) => target) ? pluralOf(event.action, things) : undefined;
  if (many) return <>{many}</>;
  return (
    <>
      <AuditText event={event} />
      {things > 1 ? ` and ${plural(group.length - 1, "more like it", "more like it")}` : `, ${group.length} times`}
    </>
  );
}

/** "reordered 5 projects", "moved 3 posts to the trash"; undefined if the label has no such form. */
function pluralOf(action: string, count: number): string | undefined {
  for (const text of auditLabel(action, false)) {
    const [, before, noun = "", after = ""] =
      /^([^{]*) the ([a-z ]+?)(?: (?:to|from|for|of))? \{target\}([^{]*)/.exec(text) ?? [];
    const many = noun.endsWith("s") ? `${noun}es` : `${noun}s`;
    if (before && noun && !noun.endsWith("data"))
      return `${before} ${plural(count, noun, many)}${after.replace(/ \($/, "")}`;
  }
  return undefined;
}

type EventsProps = {
  id: string;
  title: string;
  /** The URL of all entries in the audit log. */
  href: string;
  /** Shown if there are none. */
  empty: string;
  events: AuditEvent[];
  frame: Frame;
};

/** The latest audit log entries about something, newest first. */
export const EventsCard = ({ id, title, href, empty, events, frame }: EventsProps) => (
  <section class="card" aria-labelledby={`${id}-title`}>
    <header>
      <h2 id={`${id}-title`}>{title}</h2>
      <a href={href}>Audit log</a>
    </header>
    {events.length === 0 && <p class="body muted">{empty}</p>}
    <ul class="latest">
      {events.map((event) => (
        <li>
          <span class="wrap">
            <Actor actor={event.actor} names={frame.names} /> <AuditText event={event} />
          </span>
          <Time at={event.createdAt} clock={frame} />
        </li>
      ))}
    </ul>
  </section>
);
