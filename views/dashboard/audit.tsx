import type { AuditEvent } from "../../db/audit";
import { Empty, NoMatch } from "../components/empty";
import type { Frame } from "../components/frame";
import type { ListState, ListView } from "../components/list";
import { ColumnTable } from "../components/lists/table";
import { Exports, ListHead } from "../components/lists/head";
import { Pager } from "../components/lists/pager";
import { SearchForm } from "../components/lists/search";
import { inBothZones, Time } from "../components/time";
import { nameOf, type Names } from "../components/who";
import { detailLabel, detailText, groupLabel } from "./audit-labels";
import { Actor, AuditText, GroupText, groupsOf } from "./audit-sentence";
import { Head } from "./shell";

export const exportFormats = ["csv"] as const;

type HeadProps = { state: ListState; actors: string[]; groups: string[]; names: Names };

export const AuditHead = ({ state, actors, groups, names }: HeadProps) => (
  <>
    <Head title="Audit log" lead="Every sign-in and every change by a manager. Entries cannot be edited.">
      <Exports state={state} formats={exportFormats} />
    </Head>
    <div class="toolbar">
      <SearchForm
        state={state}
        label="Search by name or ID"
        filters={[
          {
            name: "actor",
            label: "By",
            all: "Anyone",
            options: actors.map((actor) => [actor, nameOf(actor, names)] as const),
          },
          {
            name: "action",
            label: "Action",
            all: "Any action",
            options: groups.map((group) => [group, groupLabel(group)] as const),
          },
          { period: "Date" },
        ]}
      />
    </div>
  </>
);

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
  <ColumnTable
    caption="Audit log"
    rows={groupsOf(rows)}
    rowId={([event]) => `event-${event?.id}`}
    columns={[
      { title: "Time", kind: "when", cell: ([event]) => event && <Time at={event.createdAt} clock={frame} /> },
      { title: "Action", kind: "main", cell: (group) => <Actions group={group} frame={frame} /> },
    ]}
  />
);

/** What someone did several times in a row is one line, which has each of them below it. */
const Actions = ({ group, frame }: { group: AuditEvent[]; frame: Frame }) => {
  const [event] = group;
  if (!event) return null;
  if (group.length === 1) return <Action event={event} frame={frame} />;
  return (
    <details>
      <summary>
        <Actor actor={event.actor} names={frame.names} /> <GroupText group={group} />
      </summary>
      {group.map((each) => (
        <Action event={each} frame={frame} />
      ))}
    </details>
  );
};

const Action = ({ event, frame }: { event: AuditEvent; frame: Frame }) => (
  <details>
    <summary>
      <Actor actor={event.actor} names={frame.names} /> <AuditText event={event} />
    </summary>
    <Details event={event} frame={frame} />
  </details>
);

const Details = ({ event, frame }: { event: AuditEvent; frame: Frame }) => (
  <dl class="facts">
    {Object.entries(event.details).map(([name, value]) => (
      <>
        <dt>{detailLabel(name)}</dt>
        <dd>{detailText(name, value)}</dd>
      </>
    ))}
    <dt>Exact time</dt>
    <dd>{inBothZones(event.createdAt, frame.preferences)}</dd>
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
