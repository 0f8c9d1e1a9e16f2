import type { Status } from "../../../db/newsletter/status";
import type { Subscriber } from "../../../db/newsletter/subscribers";
import { BulkButtons, BulkForm } from "../../components/lists/bulk";
import { Example, NoMatch } from "../../components/empty";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { EmptyList, type ListView, plural } from "../../components/list";
import { ListHead } from "../../components/lists/head";
import { ActionsHeader, PickAll, SortHeader, Table } from "../../components/lists/table";
import { SubscriberRow } from "./row";
import { paths } from "../../paths";

type SubscribersView = ListView<Subscriber> & {
  counts: Record<Status, number>;
  sources: string[];
  scanned: number;
  subscribeUrl: string;
};

export function SubscriberList(view: SubscribersView) {
  const { frame, state, rows, counts, sources, scanned } = view;
  const everybody = counts.active + counts.unsubscribed + counts.pending + counts.suppressed;
  if (everybody === 0) return <NobodyYet {...view} />;
  return (
    <section class="list" id="list" aria-label="Subscribers">
      {scanned > 0 && <ScannerNote frame={frame} scanned={scanned} />}
      <ListHead
        view={view}
        noun="subscriber"
        segments={{
          name: "status",
          label: "Status",
          options: [
            { value: "", label: "All", count: everybody },
            { value: "active", label: "Active", count: counts.active },
            { value: "unsubscribed", label: "Unsubscribed", count: counts.unsubscribed },
            ...rare(view, "pending", "Pending"),
            ...rare(view, "suppressed", "Suppressed"),
          ],
        }}
        search={{
          label: "Search by email or name",
          filters: [{ name: "source", label: "Source", all: "All sources", options: sources }, { period: "Joined" }],
        }}
      />
      {rows.length ? (
        <SubscriberTable {...view} />
      ) : (
        <NoMatch what="subscribers" query={state.query.q} clear={state.path} />
      )}
    </section>
  );
}

/** A status that most lists never have is shown only if someone has it. */
const rare = ({ counts, state }: SubscribersView, value: "pending" | "suppressed", label: string) =>
  counts[value] > 0 || state.query.status === value ? [{ value, label, count: counts[value] }] : [];

const SubscriberTable = (view: SubscribersView) => (
  <BulkForm view={view} action={`${paths.newsletter}/bulk`} label="Subscribers" buttons={<SubscriberMoves {...view} />}>
    <Table
      caption="Subscribers"
      head={
        <>
          <PickAll />
          <SortHeader state={view.state} by="email">
            Subscriber
          </SortHeader>
          <th scope="col">Status</th>
          <th scope="col">Source</th>
          <SortHeader state={view.state} by="joined">
            Joined
          </SortHeader>
          {hasLeft(view) && (
            <SortHeader state={view.state} by="unsubscribed">
              Unsubscribed on
            </SortHeader>
          )}
          <ActionsHeader />
        </>
      }
    >
      {view.rows.map((subscriber) => (
        <SubscriberRow subscriber={subscriber} frame={view.frame} hasLeft={hasLeft(view)} />
      ))}
    </Table>
  </BulkForm>
);

/** The list of unsubscribed people has a column that says when they left. */
const hasLeft = ({ state }: SubscribersView) => state.query.status === "unsubscribed";

const pendingMoves = [
  ["remind", "Send link again"],
  ["confirm", "Confirm…"],
] as const;

const SubscriberMoves = ({ counts }: SubscribersView) => (
  <>
    <BulkButtons
      of={[["reactivate", "Reactivate"], ["unsubscribe", "Unsubscribe"], ...(counts.pending > 0 ? pendingMoves : [])]}
    />
    <button type="submit" class="btn sm" formaction={`${paths.newsletter}/bulk/export`} data-plain>
      Export
    </button>
    <BulkButtons of={[["delete", "Delete…"]]} />
  </>
);

/** D15: what a mail scanner did can be undone in one action. */
const ScannerNote = ({ frame, scanned }: { frame: Frame; scanned: number }) => (
  <div class="note">
    <Icon name="shield-alert" />
    <p>
      {plural(scanned, "person", "people")} unsubscribed from one network within minutes. A mail scanner probably opened
      the links, not the subscribers themselves.
    </p>
    <Form action={`${paths.newsletter}/restore`} token={frame.token}>
      <button type="submit" class="btn sm" id="restore">
        Restore {plural(scanned, "subscriber")}
      </button>
    </Form>
  </div>
);

const NobodyYet = ({ subscribeUrl }: SubscribersView) => (
  <EmptyList label="Subscribers" icon="users" title="No subscribers yet">
    <p>People who sign up on your sites appear here.</p>
    <a
      class="btn"
      href={`${paths.newsletter}/new`}
      hx-get={`${paths.newsletter}/new`}
      hx-target="#dialog"
      id="add-yourself"
    >
      Add yourself as a test
    </a>
    <Example of="sign-up form">
      {`curl -X POST ${subscribeUrl} \\\n  -H "Content-Type: application/json" \\\n  -d '{"email":"you@example.com","source":"landing"}'`}
    </Example>
  </EmptyList>
);
