import type { Overview } from "../../../db/people/overview";
import type { Message } from "../../../db/contact/messages";
import type { Frame } from "../../components/frame";
import { Badge } from "../../components/badge";
import { Time } from "../../components/time";
import { paths } from "../../paths";
import { timeline } from "../newsletter/timeline";
import { Entry, Section } from "./section";

type Props = { frame: Frame; overview: Overview; more: string };

/** What someone wrote, from every box. */
export const WrittenMessages = ({ frame, overview: { messages }, more }: Props) => (
  <Section id="messages" title="Messages" shown={messages.rows.length} total={messages.total} more={more}>
    {messages.rows.map((message) => (
      <Entry
        href={`${paths.contact}/${message.id}`}
        title={message.name}
        state={<Box message={message} />}
        at={message.createdAt}
        frame={frame}
      >
        {message.message.slice(0, 200)}
      </Entry>
    ))}
  </Section>
);

const Box = ({ message: { deletedAt, spamReason, quarantined } }: { message: Message }) =>
  deletedAt ? (
    <Badge tone="off">Trash</Badge>
  ) : spamReason ? (
    <Badge tone="off">Spam</Badge>
  ) : quarantined ? (
    <Badge tone="warn">Quarantine</Badge>
  ) : null;

/** The history of the subscription. */
export const Activity = ({ frame, overview: { events } }: Omit<Props, "more">) => (
  <section class="card" aria-labelledby="events-title">
    <header>
      <h2 id="events-title">Activity</h2>
    </header>
    <div class="body">
      {events.length === 0 && <p class="muted">None</p>}
      <ol class="timeline">
        {timeline(events, frame.names).map(({ at, text, warning, actor }) => (
          <li>
            <span title={actor}>{text}</span>
            {warning && <Badge tone="warn">{warning}</Badge>}
            <Time at={at} clock={frame} />
          </li>
        ))}
      </ol>
    </div>
  </section>
);
