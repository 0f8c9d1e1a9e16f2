import type { ListedSuppression } from "../../../db/suppressions/list";
import { Badge } from "../../components/badge";
import { NoMatch } from "../../components/empty";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { EmptyList, type ListState, type ListView } from "../../components/list";
import { BulkButtons, BulkForm } from "../../components/lists/bulk";
import { Exports } from "../../components/lists/exports";
import { ListHead } from "../../components/lists/head";
import { Pick, PickAll, Table } from "../../components/lists/table";
import { Time } from "../../components/time";
import { Who } from "../../components/who";
import { paths } from "../../paths";
import { Head } from "../shell";
import { suppressionReasons } from "./reasons";

type SuppressionsView = ListView<ListedSuppression> & { all: number };

export const exportFormats = ["csv"] as const;

export const SuppressionsHead = ({ state }: { state: ListState }) => (
  <Head title="Suppressions" lead="Addresses that get no newsletter email, however they are added again.">
    <Exports state={state} formats={exportFormats} />
    <a
      class="btn primary"
      href={`${paths.suppressions}/new`}
      hx-get={`${paths.suppressions}/new`}
      hx-target="#dialog"
      id="add"
    >
      <Icon name="plus" />
      Suppress address
    </a>
  </Head>
);

export function SuppressionList(view: SuppressionsView) {
  const { state, rows, all } = view;
  if (all === 0) return <NoneYet />;
  return (
    <section class="list" id="list" aria-label="Suppressions">
      <ListHead
        view={view}
        noun="suppression"
        search={{
          label: "Search by email",
          filters: [
            { name: "reason", label: "Reason", all: "All reasons", options: Object.entries(suppressionReasons) },
          ],
        }}
      />
      {rows.length ? (
        <Suppressions {...view} />
      ) : (
        <NoMatch what="suppressions" query={state.query.q} clear={state.path} />
      )}
    </section>
  );
}

const Suppressions = (view: SuppressionsView) => (
  <BulkForm
    view={view}
    action={`${paths.suppressions}/bulk`}
    label="Suppressions"
    buttons={<BulkButtons of={[["lift", "Lift…"]]} />}
  >
    <Table
      caption="Suppressions"
      head={
        <>
          <PickAll />
          <th scope="col">Address</th>
          <th scope="col">Reason</th>
          <th scope="col">Added by</th>
          <th scope="col">Since</th>
        </>
      }
    >
      {view.rows.map((suppression) => (
        <Row suppression={suppression} frame={view.frame} />
      ))}
    </Table>
  </BulkForm>
);

const Row = ({ suppression, frame }: { suppression: ListedSuppression; frame: Frame }) => {
  const { id, email, reason, detail, by, createdAt, removedAt } = suppression;
  return (
    <tr role="row">
      {email ? <Pick id={id} label={email} /> : <td class="pick" role="cell" />}
      <td class="main" role="cell">
        {email ? <span class="who">{email}</span> : <span class="none">Erased address {id.slice(0, 8)}</span>}
        {detail && <span class="sub">{detail}</span>}
        {removedAt && (
          <span class="sub">
            The provider removed it from its own list <Time at={removedAt} clock={frame} />. It stays suppressed here
            until you lift it.
          </span>
        )}
      </td>
      <td class="state" role="cell">
        <Badge tone={reason === "bounce" || reason === "complaint" ? "bad" : "off"}>{suppressionReasons[reason]}</Badge>
      </td>
      <td class="extra" role="cell">
        {by === "provider" ? "Email provider" : <Who actor={by} names={frame.names} />}
      </td>
      <td class="when" role="cell">
        <Time at={createdAt} clock={frame} />
      </td>
    </tr>
  );
};

const NoneYet = () => (
  <EmptyList label="Suppressions" icon="shield-alert" title="No suppressions yet">
    <p>Addresses that bounce or mark your emails as spam appear here. They get no further newsletter emails.</p>
  </EmptyList>
);
