import type { AuditEvent } from "../../db/audit";
import type { Frame } from "../components/frame";
import { Time } from "../components/time";
import { Actor, AuditText } from "./audit-sentence";

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
