import type { Delivery, DeliveryStatus } from "../../../db/webhooks/deliveries";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Attempts, Usual } from "../../components/badge";
import { EmptyList, listUrl, type ListView, number } from "../../components/list";
import { listPage } from "../../components/lists/list-page";
import { exact, Time } from "../../components/time";
import { DeliveryState } from "./endpoints";

type DeliveriesView = ListView<Delivery> & {
  counts: Record<DeliveryStatus, number>;
  /** Whether the endpoint is called at all. */
  isOn: boolean;
  /** What each type of event says. */
  types: Readonly<Record<string, string>>;
  /** The headers of the last attempt. */
  headersOf: (delivery: Delivery) => Record<string, string> | undefined;
};

const total = ({ counts }: DeliveriesView) => Object.values(counts).reduce((sum, count) => sum + count);

const soonMs = 60_000;

/** Whether a call is under way, or about to be retried: then the page follows it. */
const isUnderWay = ({ counts, frame, isOn, rows }: DeliveriesView) =>
  isOn &&
  (counts.queued > 0 ||
    rows.some(
      ({ state, nextAttemptAt }) => state === "queued" && nextAttemptAt.getTime() < frame.now.getTime() + soonMs,
    ));

/** The deliveries of an endpoint in the last 30 days. */
export const Deliveries = listPage<Delivery, DeliveriesView>({
  label: "Deliveries",
  noun: "call",
  choosable: "calls",
  isEmpty: (view) => total(view) === 0,
  Empty: () => (
    <EmptyList label="Deliveries" drawing="cans" title="No deliveries yet">
      <p>Calls to this endpoint appear here for 30 days. Send a ping to try it.</p>
    </EmptyList>
  ),
  topic: "webhooks",
  poll: (view) => (isUnderWay(view) ? listUrl(view.state, { page: view.state.query.page ?? "" }) : undefined),
  segments: (view) => ({
    name: "state",
    label: "Status",
    options: [
      { value: "", label: "All", count: total(view) },
      { value: "delivered", label: "Delivered", count: view.counts.delivered },
      { value: "queued", label: "Waiting", count: view.counts.queued },
      { value: "retrying", label: "Retrying", count: view.counts.retrying },
      { value: "dead", label: "Failed", count: view.counts.dead },
    ],
  }),
  columns: ({ frame, types, headersOf }) => [
    {
      title: "Event",
      kind: "main",
      cell: (delivery) => <Event delivery={delivery} types={types} headers={headersOf(delivery)} />,
    },
    { key: "state", title: "Status", kind: "state", cell: (delivery) => <State delivery={delivery} /> },
    { key: "answer", title: "Response", kind: "answer", cell: (delivery) => <Answer delivery={delivery} /> },
    { key: "when", title: "When", kind: "when", cell: (delivery) => <When delivery={delivery} frame={frame} /> },
  ],
  rowId: ({ id }) => `delivery-${id}`,
  rowActions: (delivery, { state, ...view }) =>
    delivery.type !== "upload.verify" && <SendAgain delivery={delivery} path={state.path} {...view} />,
});

type DeliveryProps = { delivery: Delivery };

const State = ({ delivery: { state, attempts } }: DeliveryProps) => (
  <>
    {state === "delivered" ? <Usual>Delivered</Usual> : <DeliveryState state={state} attempts={attempts} />}
    <Attempts count={attempts} />
  </>
);

type Types = Pick<DeliveriesView, "types">;
type EventProps = DeliveryProps & Types & { headers: Record<string, string> | undefined };

/** What happened, in words; a type of an earlier version has none. */
const said = ({ type }: Delivery, { types }: Types) => types[type] ?? type;

const Event = ({ delivery, types, headers }: EventProps) => (
  <details>
    <summary>
      {said(delivery, { types })}
      <span class="sub mono">{delivery.type}</span>
    </summary>
    <Exchange delivery={delivery} headers={headers} />
  </details>
);

/** What was sent, and what came back. */
const Exchange = ({ delivery: { id, body, status, error }, headers }: Omit<EventProps, "types">) => (
  <>
    {headers && (
      <pre tabindex="0" aria-label="Headers">
        {Object.entries(headers)
          .map(([name, value]) => `${name}: ${value}`)
          .join("\n")}
      </pre>
    )}
    <pre tabindex="0" aria-label="Body">
      {JSON.stringify(JSON.parse(body), null, 2)}
    </pre>
    {status !== null && error && (
      <pre tabindex="0" aria-label="Response">
        {`${status}\n${error}`}
      </pre>
    )}
    {!headers && <p class="hint mono">{id}</p>}
  </>
);

const maxShown = 60; // characters in a row of the list

const shortened = (text: string) => {
  const characters = [...text];
  return characters.length > maxShown ? `${characters.slice(0, maxShown).join("")}…` : text;
};

const Answer = ({ delivery: { status, error, ms } }: DeliveryProps) => (
  <>
    {status ?? error ?? <span class="none">None</span>}
    {status !== null && error && <span class="sub">{shortened(error)}</span>}
    {ms !== null && <span class="sub">{number(ms)} ms</span>}
  </>
);

const When = ({ delivery: { createdAt, state, attempts, nextAttemptAt }, frame }: DeliveryProps & { frame: Frame }) => (
  <>
    <Time at={createdAt} clock={frame} />
    {state === "queued" && attempts > 0 && <span class="sub">next {exact(nextAttemptAt, frame.preferences)}</span>}
  </>
);

type AgainProps = DeliveryProps & Types & { frame: Frame; path: string };

const SendAgain = ({ delivery, types, frame, path }: AgainProps) => (
  <Form action={`${path}/deliveries/${delivery.id}/again`} token={frame.token}>
    <button
      type="submit"
      class="btn quiet sm"
      id={`again-${delivery.id}`}
      aria-label={`Send again: ${said(delivery, { types })}, ${exact(delivery.createdAt, frame.preferences)}`}
    >
      Send again
    </button>
  </Form>
);
