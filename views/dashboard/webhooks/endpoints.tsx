import { Help } from "../../components/help";
import type { Endpoint } from "../../../db/webhooks/endpoints";
import type { Frame } from "../../components/frame";
import { EmptyList } from "../../components/list";
import { ColumnTable } from "../../components/lists/table";
import { Time } from "../../components/time";
import { paths } from "../../paths";
import { CreateLink, Head } from "../shell";
import { type CallDay, Week } from "./week";
import type { Delivery } from "../../../db/webhooks/deliveries";
import { Badge } from "../../components/badge";

/** Whether an endpoint is called, and whether it succeeds. */
export function EndpointState({ state, failingSince }: Pick<Endpoint, "state" | "failingSince">) {
  if (state === "broken") return <Badge tone="bad">Broken</Badge>;
  if (state === "off") return <Badge tone="off">Off</Badge>;
  return failingSince ? <Badge tone="warn">Failing</Badge> : <Badge tone="good">On</Badge>;
}

export function DeliveryState({ state, attempts }: Pick<Delivery, "state" | "attempts">) {
  if (state === "delivered") return <Badge tone="good">Delivered</Badge>;
  if (state === "dead") return <Badge tone="bad">Failed</Badge>;
  return attempts ? <Badge tone="warn">Retrying</Badge> : <Badge tone="busy">Waiting</Badge>;
}

const subjects: Record<string, string> = {
  subscriber: "Subscribers",
  audience: "Subscribers",
  sequence: "Sequences",
  message: "Messages",
  post: "Posts",
  project: "Projects",
  broadcast: "Broadcasts",
  upload: "Uploads",
  alert: "Alerts",
};

/** The types of events by what they are about. */
export const bySubject = <Type extends string>(types: readonly Type[]) =>
  Map.groupBy(types, (type) => subjects[type.split(".")[0] ?? ""] ?? "Others");

/** "All events", or a line for each subject: "Posts: published, updated". */
export const eventLines = ({ events }: Pick<Endpoint, "events">): string[] =>
  events.length === 0
    ? ["All events"]
    : [...bySubject(events)].map(
        ([subject, types]) => `${subject}: ${types.map((type) => type.replace(/^.*\./, "")).join(", ")}`,
      );

const path = paths.webhooks;

type EndpointsView = {
  frame: Frame;
  endpoints: Endpoint[];
  weeks: { of: (endpointId: string) => CallDay[]; max: number };
  isFull: boolean;
};

/** The webhook endpoints, and whether they work. */
export const EndpointsPage = (view: EndpointsView) => (
  <>
    <Head
      title="Webhooks"
      lead={
        <>
          Notify other services, for example to rebuild your blog. <Help of="webhooks" />
        </>
      }
    >
      {!view.isFull && (
        <CreateLink id="add" href={`${path}/new`}>
          Add endpoint
        </CreateLink>
      )}
    </Head>
    <div class="stack">
      {view.endpoints.length ? <EndpointTable {...view} /> : <NoneYet />}
      <p class="hint">Every call is signed (Standard Webhooks) and attempted up to ten times over three days.</p>
    </div>
  </>
);

const EndpointTable = ({ frame, endpoints, weeks }: EndpointsView) => (
  <section class="list endpoints" id="list" aria-label="Endpoints">
    <ColumnTable
      caption="Endpoints"
      rows={endpoints}
      rowId={({ id }) => `endpoint-${id}`}
      columns={[
        { title: "Endpoint", kind: "main", cell: (endpoint) => <EndpointName endpoint={endpoint} /> },
        { title: "Status", kind: "state", cell: (endpoint) => <EndpointState {...endpoint} /> },
        { title: "Events", kind: "extra", cell: (endpoint) => <Events endpoint={endpoint} /> },
        {
          title: "Last 7 days",
          kind: "extra",
          cell: ({ id }) => <Week days={weeks.of(id)} max={weeks.max} dates={frame.preferences.dates} />,
        },
        {
          title: "Last call",
          kind: "when",
          cell: ({ attemptedAt }) =>
            attemptedAt ? <Time at={attemptedAt} clock={frame} /> : <span class="none">Not called yet</span>,
        },
      ]}
    />
  </section>
);

type EndpointProps = { endpoint: Endpoint };

const EndpointName = ({ endpoint: { id, name, url } }: EndpointProps) => (
  <>
    <a class="who" href={`${path}/${id}`}>
      {name}
    </a>
    <span class="sub mono" title={url}>
      {url}
    </span>
  </>
);

const Events = ({ endpoint }: EndpointProps) => (
  <>
    {eventLines(endpoint).map((line) => (
      <div>{line}</div>
    ))}
    {endpoint.withPeople && <span class="sub">with personal data</span>}
  </>
);

const NoneYet = () => (
  <EmptyList label="Endpoints" drawing="cans" title="No endpoints yet">
    <p>An endpoint is a URL that Postroom calls when something happens, for example to rebuild your blog.</p>
    <a class="btn" id="first-endpoint" href={`${path}/new`}>
      Add your first endpoint
    </a>
  </EmptyList>
);
