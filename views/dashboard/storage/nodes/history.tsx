import { Time } from "../../../components/time";
import { paths } from "../../../paths";
import { Actor, AuditText } from "../../audit-sentence";
import type { View } from "./facts";

export const History = ({ events, frame }: View) => (
  <section class="card" aria-labelledby="history-title">
    <header>
      <h2 id="history-title">Node history</h2>
      <a href={`${paths.audit}?action=storage-node`}>Audit log</a>
    </header>
    {events.length === 0 && <p class="body muted">Changes, pauses and recoveries of this node appear here.</p>}
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
