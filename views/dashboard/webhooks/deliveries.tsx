import type { Delivery } from "../../../db/webhooks/deliveries";
import type { DeliveryCount } from "../../../db/webhooks/log";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { EmptyList, type ListView, number } from "../../components/list";
import { listPage } from "../../components/lists/list-page";
import { exact, Time } from "../../components/time";
import { DeliveryState } from "./endpoints";

type DeliveriesView = ListView<Delivery> & { counts: DeliveryCount[] };

const total = ({ counts }: DeliveriesView) => counts.reduce((sum, { count }) => sum + count, 0);

/** The deliveries of an endpoint in the last 30 days. */
export const Deliveries = listPage<Delivery, DeliveriesView>({
  label: "Deliveries",
  noun: "call",
  isEmpty: (view) => total(view) === 0,
  Empty: () => (
    <EmptyList label="Deliveries" icon="send" title="No deliveries yet">
      <p>Calls to this endpoint appear here for 30 days. Send a ping to try it.</p>
    </EmptyList>
  ),
  segments: (view) => {
    const countOf = (state: Delivery["state"]) => view.counts.find((each) => each.state === state)?.count ?? 0;
    return {
      name: "state",
      label: "Status",
      options: [
        { value: "", label: "All", count: total(view) },
        { value: "delivered", label: "Delivered", count: countOf("delivered") },
        { value: "queued", label: "Waiting", count: countOf("queued") },
        { value: "dead", label: "Failed", count: countOf("dead") },
      ],
    };
  },
  columns: ({ frame }) => [
    { title: "Event", kind: "main", cell: (delivery) => <Event delivery={delivery} /> },
    { title: "Status", kind: "state", cell: (delivery) => <DeliveryState {...delivery} /> },
    { title: "Response", kind: "extra", cell: (delivery) => <Answer delivery={delivery} /> },
    { title: "Attempts", kind: "extra", cell: ({ attempts }) => attempts },
    { title: "When", kind: "when", cell: (delivery) => <When delivery={delivery} frame={frame} /> },
  ],
  rowId: ({ id }) => `delivery-${id}`,
  rowActions: (delivery, { frame, state }) =>
    delivery.type !== "upload.verify" && <SendAgain delivery={delivery} frame={frame} path={state.path} />,
});

type DeliveryProps = { delivery: Delivery };

const Event = ({ delivery: { id, type, body } }: DeliveryProps) => (
  <details>
    <summary>
      <span class="mono">{type}</span>
    </summary>
    <pre tabindex="0" aria-label="Body">
      {JSON.stringify(JSON.parse(body), null, 2)}
    </pre>
    <p class="hint mono">{id}</p>
  </details>
);

const Answer = ({ delivery: { status, error, ms } }: DeliveryProps) => (
  <>
    {status ?? error ?? <span class="none">None</span>}
    {status !== null && error && <span class="sub">{error}</span>}
    {ms !== null && <span class="sub">{number(ms)} ms</span>}
  </>
);

const When = ({ delivery: { createdAt, state, attempts, nextAttemptAt }, frame }: DeliveryProps & { frame: Frame }) => (
  <>
    <Time at={createdAt} clock={frame} />
    {state === "queued" && attempts > 0 && <span class="sub">next {exact(nextAttemptAt, frame.preferences)}</span>}
  </>
);

const SendAgain = ({ delivery, frame, path }: DeliveryProps & { frame: Frame; path: string }) => (
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
);
