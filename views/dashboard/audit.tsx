import type { AuditEvent } from "../../db/audit";
import { Empty, NoMatch } from "../components/empty";
import type { Frame } from "../components/frame";
import { Announcement, Filter, type ListState, Pager, plural, SearchForm } from "../components/list";
import { Table } from "../components/table";
import { exact, Time } from "../components/time";
import { deed, words } from "./deeds";
import { Head } from "./shell";

type HeadProps = { state: ListState; actors: string[]; groups: string[] };

export const AuditHead = ({ state, actors, groups }: HeadProps) => (
  <>
    <Head title="Audit log" lead="Every change by a manager and every sign-in. It cannot be edited." />
    <div class="toolbar">
      <SearchForm state={state} label="Search targets" placeholder="Search targets">
        <Filter
          name="actor"
          label="Who"
          all="Everybody"
          value={state.query.actor ?? ""}
          options={actors.map((actor) => [actor, actor] as const)}
        />
        <Filter
          name="action"
          label="What"
          all="Everything"
          value={state.query.action ?? ""}
          options={groups.map((group) => [group, titles[group] ?? words(group)] as const)}
        />
        <Day name="from" label="From" value={state.query.from} />
        <Day name="to" label="To" value={state.query.to} />
      </SearchForm>
    </div>
  </>
);

const Day = ({ name, label, value }: { name: string; label: string; value?: string | undefined }) => (
  <div class="filter row">
    <label for={`filter-${name}`}>{label}</label>
    <input class="input" type="date" id={`filter-${name}`} name={name} value={value ?? ""} />
  </div>
);

type ListProps = { frame: Frame; state: ListState; events: AuditEvent[]; page: number; per: number; total: number };

export function AuditList({ frame, state, events, ...where }: ListProps) {
  const isFiltered = ["q", "actor", "action", "from", "to"].some((name) => state.query[name]);
  return (
    <section class="list" id="list" aria-label="Audit log">
      <Announcement>{plural(where.total, "event")}</Announcement>
      {events.length > 0 ? (
        <>
          <Events frame={frame} events={events} />
          {where.total > where.per && <Pager state={state} {...where} />}
        </>
      ) : isFiltered ? (
        <NoMatch what="events" query={state.query.q} clear={state.path} />
      ) : (
        <Empty icon="scroll-text" title="Nothing happened yet">
          <p>Sign-ins and changes by managers appear here.</p>
        </Empty>
      )}
    </section>
  );
}

const Events = ({ frame, events }: { frame: Frame; events: AuditEvent[] }) => (
  <Table
    caption="Audit log"
    head={
      <>
        <th scope="col">When</th>
        <th scope="col">Who</th>
        <th scope="col">What</th>
      </>
    }
  >
    {events.map((event) => (
      <tr id={`event-${event.id}`} role="row">
        <td class="when" role="cell">
          <Time at={event.createdAt} clock={frame} />
        </td>
        <td role="cell">{event.actor}</td>
        <td class="main" role="cell">
          <details>
            <summary>
              {deed(event.action)} {event.target && <strong>{event.target}</strong>}
            </summary>
            <Details event={event} />
          </details>
        </td>
      </tr>
    ))}
  </Table>
);

const Details = ({ event }: { event: AuditEvent }) => (
  <dl class="facts">
    {Object.entries(event.details).map(([name, value]) => (
      <>
        <dt>{words(name)}</dt>
        <dd>{value}</dd>
      </>
    ))}
    <dt>Exactly</dt>
    <dd>{exact(event.createdAt, "UTC")} UTC</dd>
    {event.address && (
      <>
        <dt>From</dt>
        <dd class="mono">{event.address}</dd>
      </>
    )}
    {event.targetId && (
      <>
        <dt>Id</dt>
        <dd class="mono">{event.targetId}</dd>
      </>
    )}
  </dl>
);

const titles: Record<string, string> = {
  session: "Sign-in and sign-out",
  "second-step": "Second step",
  "api-key": "API keys",
  manager: "Managers",
  passkey: "Passkeys",
};
