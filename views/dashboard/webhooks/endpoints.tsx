import type { Endpoint } from "../../../db/webhooks/endpoints";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { EmptyList } from "../../components/list";
import { Table } from "../../components/lists/table";
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
    <Table
      caption="Endpoints"
      head={
        <>
          <th scope="col">Endpoint</th>
          <th scope="col">Status</th>
          <th scope="col">Events</th>
          <th scope="col">Last 7 days</th>
          <th scope="col">Last call</th>
        </>
      }
    >
      {endpoints.map((endpoint) => (
        <EndpointRow frame={frame} endpoint={endpoint} days={weeks.of(endpoint.id)} max={weeks.max} />
      ))}
    </Table>
  </section>
);

type RowProps = { frame: Frame; endpoint: Endpoint; days: CallDay[]; max: number };

const EndpointRow = ({ frame, endpoint, days, max }: RowProps) => (
  <tr id={`endpoint-${endpoint.id}`} role="row">
    <td class="main" role="cell">
      <a class="who" href={`${path}/${endpoint.id}`}>
        {endpoint.name}
      </a>
      <span class="sub mono">{endpoint.url}</span>
    </td>
    <td class="state" role="cell">
      <EndpointState {...endpoint} />
    </td>
    <td class="extra" role="cell">
      {eventsOf(endpoint)}
      {endpoint.withPeople && <span class="sub">with personal data</span>}
    </td>
    <td class="extra" role="cell">
      <Week days={days} max={max} dates={frame.preferences.dates} />
    </td>
    <td class="when" role="cell">
      {endpoint.attemptedAt ? <Time at={endpoint.attemptedAt} clock={frame} /> : <span class="none">Never</span>}
    </td>
  </tr>
);

const NoneYet = () => (
  <EmptyList label="Endpoints" icon="webhook" title="No endpoints yet">
    <p>An endpoint is a URL that Postroom calls when something happens, for example to rebuild your blog.</p>
    <a class="btn" id="first-endpoint" href={`${path}/new`}>
      Add your first endpoint
    </a>
  </EmptyList>
);
