import type { Endpoint } from "../../../db/webhooks/endpoints";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { EmptyList } from "../../components/list";
import { ColumnTable } from "../../components/lists/column-table";
import { Time } from "../../components/time";
import { paths } from "../../paths";
import { Head } from "../shell";
import { type CallDay, Week } from "./week";
import { EndpointState, eventsOf } from "./words";

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
    <Head title="Webhooks" lead="Tell other programs when something happens here: rebuild a blog, post to a chat.">
      {!view.isFull && (
        <a class="btn primary" id="add" href={`${path}/new`}>
          <Icon name="plus" />
          Add endpoint
        </a>
      )}
    </Head>
    <div class="stack">
      {view.endpoints.length ? <EndpointTable {...view} /> : <NoneYet />}
      <p class="hint">Every call is signed (Standard Webhooks) and attempted up to ten times over three days.</p>
    </div>
  </>
);

const EndpointTable = ({ frame, endpoints, weeks }: EndpointsView) => (
  <section class="list" id="list" aria-label="Endpoints">
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
            attemptedAt ? <Time at={attemptedAt} clock={frame} /> : <span class="none">Never</span>,
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
    <span class="sub mono">{url}</span>
  </>
);

const Events = ({ endpoint }: EndpointProps) => (
  <>
    {eventsOf(endpoint)}
    {endpoint.withPeople && <span class="sub">with personal data</span>}
  </>
);

const NoneYet = () => (
  <EmptyList label="Endpoints" icon="webhook" title="No endpoints yet">
    <p>An endpoint is a URL that Postroom calls when something happens, for example to rebuild your blog.</p>
    <a class="btn" id="first-endpoint" href={`${path}/new`}>
      Add your first endpoint
    </a>
  </EmptyList>
);
