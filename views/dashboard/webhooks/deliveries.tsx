import type { Delivery } from "../../../db/webhooks/deliveries";
import type { DeliveryCount } from "../../../db/webhooks/log";
import { NoMatch } from "../../components/empty";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { EmptyList, type ListView, number } from "../../components/list";
import { ListHead } from "../../components/lists/head";
import { Pager } from "../../components/lists/pager";
import { ActionsHeader, Table } from "../../components/lists/table";
import { exact, Time } from "../../components/time";
import { DeliveryState } from "./words";

type DeliveriesView = ListView<Delivery> & { counts: DeliveryCount[] };

/** The deliveries of an endpoint in the last 30 days. */
export function Deliveries(view: DeliveriesView) {
  const of = (state: Delivery["state"]) => view.counts.find((each) => each.state === state)?.count ?? 0;
  const all = view.counts.reduce((sum, { count }) => sum + count, 0);
  if (all === 0)
    return (
      <EmptyList label="Deliveries" icon="send" title="No deliveries yet">
        <p>Calls to this endpoint appear here for 30 days. Send a ping to try it.</p>
      </EmptyList>
    );
  return (
    <section class="list" id="list" aria-label="Deliveries">
      <ListHead
        view={view}
        noun="call"
        segments={{
          name: "state",
          label: "Status",
          options: [
            { value: "", label: "All", count: all },
            { value: "delivered", label: "Delivered", count: of("delivered") },
            { value: "queued", label: "Waiting", count: of("queued") },
            { value: "dead", label: "Failed", count: of("dead") },
          ],
        }}
      />
      {view.rows.length ? <DeliveryTable {...view} /> : <NoMatch what="deliveries" clear={view.state.path} />}
    </section>
  );
}

const DeliveryTable = (view: DeliveriesView) => (
  <>
    <Table
      caption="Deliveries"
      head={
        <>
          <th scope="col">Event</th>
          <th scope="col">Status</th>
          <th scope="col">Response</th>
          <th scope="col">Attempts</th>
          <th scope="col">When</th>
          <ActionsHeader />
        </>
      }
    >
      {view.rows.map((delivery) => (
        <DeliveryRow delivery={delivery} frame={view.frame} path={view.state.path} />
      ))}
    </Table>
    {view.total > view.per && <Pager {...view} />}
  </>
);

const DeliveryRow = ({ delivery, frame, path }: { delivery: Delivery; frame: Frame; path: string }) => (
  <tr id={`delivery-${delivery.id}`} role="row">
    <td class="main" role="cell">
      <details>
        <summary>
          <span class="mono">{delivery.type}</span>
        </summary>
        <pre tabindex="0" aria-label="Body">
          {JSON.stringify(JSON.parse(delivery.body), null, 2)}
        </pre>
        <p class="hint mono">{delivery.id}</p>
      </details>
    </td>
    <td class="state" role="cell">
      <DeliveryState {...delivery} />
    </td>
    <td class="extra" role="cell">
      {delivery.status ?? delivery.error ?? <span class="none">None</span>}
      {delivery.ms !== null && <span class="sub">{number(delivery.ms)} ms</span>}
    </td>
    <td class="extra" role="cell">
      {delivery.attempts}
    </td>
    <td class="when" role="cell">
      <Time at={delivery.createdAt} clock={frame} />
      {delivery.state === "queued" && delivery.attempts > 0 && (
        <span class="sub">next {exact(delivery.nextAttemptAt, frame.preferences)}</span>
      )}
    </td>
    <td class="acts" role="cell">
      <Form action={`${path}/deliveries/${delivery.id}/again`} token={frame.token}>
        <button
          type="submit"
          class="btn quiet sm"
          id={`again-${delivery.id}`}
          aria-label={`Send again: ${delivery.type}, ${exact(delivery.createdAt, frame.preferences)}`}
        >
          Send again
        </button>
      </Form>
    </td>
  </tr>
);
