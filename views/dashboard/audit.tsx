import type { AuditEvent } from "../../db/audit";
import { Empty, NoMatch } from "../components/empty";
import type { ListState, ListView } from "../components/list";
import { ListHead } from "../components/lists/head";
import { Pager } from "../components/lists/pager";
import { SearchForm } from "../components/lists/search";
import { Table } from "../components/lists/table";
import { exact, Time } from "../components/time";
import { auditLabel, words } from "./audit-labels";
import { Head } from "./shell";

type HeadProps = { state: ListState; actors: string[]; groups: string[] };

export const AuditHead = ({ state, actors, groups }: HeadProps) => (
  <>
    <Head title="Audit log" lead="Every sign-in and every change by a manager. Entries cannot be edited." />
    <div class="toolbar">
      <SearchForm
        state={state}
        label="Search by name or ID"
        filters={[
          { name: "actor", label: "By", all: "Anyone", options: actors },
          { name: "action", label: "Action", all: "Any action", options: groups.map(titled) },
          { name: "from", label: "From", type: "date" },
          { name: "to", label: "To", type: "date" },
        ]}
      />
    </div>
  </>
);

const titled = (group: string) => [group, titles[group] ?? words(group)] as const;

export function AuditList(view: ListView<AuditEvent>) {
  const { state, rows, total, per } = view;
  const isFiltered = ["q", "actor", "action", "from", "to"].some((name) => state.query[name]);
  return (
    <section class="list" id="list" aria-label="Audit log">
      <ListHead view={view} noun="event" />
      {rows.length > 0 ? (
        <>
          <Events {...view} />
          {total > per && <Pager {...view} />}
        </>
      ) : isFiltered ? (
        <NoMatch what="events" query={state.query.q} clear={state.path} />
      ) : (
        <Empty icon="scroll-text" title="No activity yet">
          <p>Sign-ins and changes made by managers appear here.</p>
        </Empty>
      )}
    </section>
  );
}

const Events = ({ frame, rows }: ListView<AuditEvent>) => (
  <Table
    caption="Audit log"
    head={
      <>
        <th scope="col">Time</th>
        <th scope="col">By</th>
        <th scope="col">Action</th>
      </>
    }
  >
    {rows.map((event) => (
      <tr id={`event-${event.id}`} role="row">
        <td class="when" role="cell">
          <Time at={event.createdAt} clock={frame} />
        </td>
        <td role="cell">{event.actor}</td>
        <td class="main" role="cell">
          <details>
            <summary>
              {auditLabel(event.action)} {event.target && <strong>{event.target}</strong>}
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
    <dt>Exact time</dt>
    <dd>{exact(event.createdAt, "UTC")} UTC</dd>
    {event.address && (
      <>
        <dt>IP address</dt>
        <dd class="mono">{event.address}</dd>
      </>
    )}
    {event.targetId && (
      <>
        <dt>ID</dt>
        <dd class="mono">{event.targetId}</dd>
      </>
    )}
  </dl>
);

const titles: Record<string, string> = {
  session: "Sign-ins",
  "second-step": "Two-step verification",
  "api-key": "API keys",
  manager: "Managers",
  passkey: "Passkeys",
};
