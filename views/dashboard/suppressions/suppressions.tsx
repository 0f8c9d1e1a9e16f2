import { Help } from "../../components/help";
import type { ListedSuppression, SuppressionReason } from "../../../db/suppressions/suppressions";
import { Badge } from "../../components/badge";
import { DialogFooter } from "../dialog";
import { Fields, type FormState } from "../../components/forms/fields";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { EmptyList, type ListState, type ListView } from "../../components/list";
import { BulkButtons } from "../../components/lists/bulk";
import { Exports } from "../../components/lists/head";
import { listPage } from "../../components/lists/list-page";
import { Time } from "../../components/time";
import { Who } from "../../components/who";
import { paths } from "../../paths";
import { CreateLink, Head } from "../shell";

/** Why an address gets no email, as pages word it. */
export const suppressionReasons: Record<SuppressionReason, string> = {
  bounce: "Bounced",
  complaint: "Marked as spam",
  provider: "Blocked by the provider",
  manual: "Added by a manager",
  erased: "Erased",
  import: "Imported",
};

type SuppressionsView = ListView<ListedSuppression> & { all: number };

export const exportFormats = ["csv"] as const;

export const SuppressionsHead = ({ state }: { state: ListState }) => (
  <Head
    title="Suppressions"
    lead={
      <>
        Addresses that get no newsletter email, even if they are added again. <Help of="suppressions" />
      </>
    }
  >
    <Exports state={state} formats={exportFormats} />
    <CreateLink id="add" href={`${paths.suppressions}/new`} isDialog>
      Suppress address
    </CreateLink>
  </Head>
);

export const SuppressionList = listPage<ListedSuppression, SuppressionsView>({
  label: "Suppressions",
  noun: "suppression",
  choosable: "suppressions",
  isEmpty: ({ all }) => all === 0,
  Empty: () => (
    <EmptyList label="Suppressions" drawing="closed" title="No suppressions yet">
      <p>Addresses that bounce or mark your emails as spam appear here. They get no further newsletter emails.</p>
    </EmptyList>
  ),
  search: () => ({
    label: "Search by email",
    filters: [{ name: "reason", label: "Reason", all: "All reasons", options: Object.entries(suppressionReasons) }],
  }),
  columns: ({ frame }) => [
    { title: "Address", kind: "main", cell: (suppression) => <Address suppression={suppression} frame={frame} /> },
    {
      key: "reason",
      title: "Reason",
      kind: "state",
      // Red is what costs the reputation of the sender, and can be avoided
      cell: ({ reason }) => <Badge tone={reason === "complaint" ? "bad" : "off"}>{suppressionReasons[reason]}</Badge>,
    },
    {
      key: "by",
      title: "Added by",
      kind: "extra",
      cell: ({ by }) => (by === "provider" ? "Email provider" : <Who actor={by} names={frame.names} />),
    },
    { key: "since", title: "Since", kind: "when", cell: ({ createdAt }) => <Time at={createdAt} clock={frame} /> },
  ],
  bulk: {
    action: `${paths.suppressions}/bulk`,
    nameOf: ({ email }) => email,
    buttons: () => <BulkButtons of={[["lift", "Lift…"]]} />,
  },
});

const Address = ({ suppression, frame }: { suppression: ListedSuppression; frame: Frame }) => {
  const { id, email, detail, removedAt } = suppression;
  return (
    <>
      {email ? <span class="who">{email}</span> : <span class="none">Erased address {id.slice(0, 8)}</span>}
      {detail && <span class="sub">{detail}</span>}
      {removedAt && (
        <span class="sub">
          The provider removed it from its own list <Time at={removedAt} clock={frame} />. It stays suppressed here
          until you lift it.
        </span>
      )}
    </>
  );
};

/** Suppresses one address by hand. */
export const NewSuppressionForm = ({ frame, form }: { frame: Frame; form: FormState }) => (
  <Form action={paths.suppressions} token={frame.token} class="stack">
    <Fields scope="new" {...form}>
      <p>The address gets no newsletter email, even if it is imported or subscribes again.</p>
    </Fields>
    <DialogFooter cancel={paths.suppressions}>Suppress address</DialogFooter>
  </Form>
);
