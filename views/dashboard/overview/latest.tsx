import type { AuditEvent } from "../../../db/audit";
import type { Message } from "../../../db/contact/messages";
import type { Frame } from "../../components/frame";
import { Time } from "../../components/time";
import { EventsCard } from "../events-card";
import { paths } from "../../paths";

/** The latest messages from visitors. */
export const LatestMessages = ({ messages, frame }: { messages: Message[]; frame: Frame }) => (
  <section class="card" aria-labelledby="messages-title">
    <header>
      <h2 id="messages-title">Latest messages</h2>
      <a href={paths.contact}>Open inbox</a>
    </header>
    {messages.length === 0 && <p class="body muted">New messages appear here.</p>}
    <ul class="latest">
      {messages.map((message) => (
        <li>
          <a class={message.readAt ? "who" : "who unread"} href={`${paths.contact}/${message.id}`}>
            {message.name}
            {!message.readAt && <span class="sr"> (unread)</span>}
          </a>
          <Time at={message.createdAt} clock={frame} />
          <p>{message.message.slice(0, 200)}</p>
        </li>
      ))}
    </ul>
  </section>
);

/** The latest activity. */
export const LatestEvents = ({ events, frame }: { events: AuditEvent[]; frame: Frame }) => (
  <EventsCard
    id="events"
    title="Recent activity"
    href={paths.audit}
    empty="Changes made by managers appear here."
    events={events}
    frame={frame}
  />
);
