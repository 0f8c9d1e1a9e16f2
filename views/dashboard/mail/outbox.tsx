import type { Mail, MailOutcome } from "../../../db/mail/outbox";
import { Attempts, Usual } from "../../components/badge";
import { NoMatch } from "../../components/empty";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { EmptyList, listUrl, type ListView, number, plural } from "../../components/list";
import { BulkButtons, BulkForm } from "../../components/lists/bulk";
import { shownColumns } from "../../components/lists/choose-columns";
import { ListHead } from "../../components/lists/head";
import { type Column, ColumnTable, Pick } from "../../components/lists/table";
import { Time } from "../../components/time";
import { paths } from "../../paths";
import { Head } from "../shell";
import { NothingComesBack, ReadFrom, type ReportsView } from "./what-comes-back";
import { awaitsTurn, mailKinds, MailState, mailStates } from "./mail-state";

type MailsView = ListView<Mail> & {
  counts: Record<MailOutcome, number>;
  isLive: boolean;
};

export function MailList(view: MailsView) {
  const { state, rows, counts } = view;
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  if (all === 0) return <NothingYet />;
  return (
    <section class="list" id="list" aria-label="Emails">
      <ListHead
        view={view}
        noun="email"
        columns="emails"
        segments={{
          name: "state",
          label: "Status",
          options: [
            { value: "", label: "All", count: all },
            ...Object.entries(mailStates)
              .map(([value, { label }]) => ({ value, label, count: counts[value as MailOutcome] }))
              .filter(({ value, count }) => count || value !== "uncertain" || state.query.state === value), // rare
          ],
        }}
        search={{
          label: "Search recipients",
          filters: [
            { name: "kind", label: "Type", all: "All types", options: Object.entries(mailKinds) },
            { period: "Created" },
          ],
        }}
      />
      {counts.dead > 0 && <FailedNote {...view} />}
      {counts.uncertain > 0 && <UncertainNote count={counts.uncertain} />}
      {rows.length ? (
        <Mails {...view} />
      ) : (
        <NoMatch
          what="emails"
          query={state.query.q}
          clear={listUrl(state, { q: "", kind: "", state: "", from: "", to: "" })}
        />
      )}
    </section>
  );
}

const FailedNote = ({ frame, state, counts: { dead } }: MailsView) => (
  <div class="note bad">
    <Icon name="circle-alert" />
    <p>{plural(dead, "email")} could not be sent. The reason is shown below each one.</p>
    <Form action={`${state.path}/bulk`} token={frame.token}>
      <input type="hidden" name="all" value="matching" />
      <input type="hidden" name="filter" value="state=dead" />
      <button type="submit" class="btn sm" name="do" value="retry" id="retry-all">
        Retry {dead === 1 ? "it" : `all ${number(dead)}`}
      </button>
    </Form>
  </div>
);

const UncertainNote = ({ count }: { count: number }) => (
  <div class="note">
    <Icon name="triangle-alert" />
    <p>
      {plural(count, "email")} may have arrived: the provider did not answer, and a day later it could send{" "}
      {count === 1 ? "it" : "them"} twice. To send one again anyway, open it.
    </p>
  </div>
);

const Mails = (view: MailsView) => (
  <BulkForm view={view} action={`${view.state.path}/bulk`} label="Emails" buttons={<BulkButtons of={actions} />}>
    <ColumnTable
      caption="Emails"
      columns={shownColumns(view.frame, "emails", columnsOf(view))}
      rows={view.rows}
      rowId={({ id }) => `mail-${id}`}
      pick={({ id, recipient }) => <Pick id={id} label={`the email to ${recipient}`} />}
    />
  </BulkForm>
);

const columnsOf = ({ frame, state }: MailsView): Column<Mail>[] => [
  { title: "To", kind: "main", cell: (mail) => <Recipient mail={mail} frame={frame} path={state.path} /> },
  {
    key: "state",
    title: "Status",
    kind: "state",
    cell: (mail) => (
      <>
        {mail.state === "sent" ? <Usual>Sent</Usual> : <MailState mail={mail} />}
        <Attempts count={mail.attempts} />
      </>
    ),
  },
  { key: "kind", title: "Type", kind: "extra", cell: ({ kind }) => mailKinds[kind] },
  { key: "created", title: "Created", kind: "when", cell: ({ createdAt }) => <Time at={createdAt} clock={frame} /> },
];

const actions = [
  ["retry", "Retry failed"],
  ["cancel", "Cancel queued"],
] as const;

const Recipient = ({ mail, frame, path }: { mail: Mail; frame: Frame; path: string }) => (
  <>
    <a class="who" href={`${path}/${mail.id}`} id={`open-${mail.id}`}>
      {mail.recipient}
    </a>
    <span class="sub on-card">{mailKinds[mail.kind]}</span>
    {awaitsTurn(mail, frame) && <span class="sub">Waiting for the hourly limit</span>}
    {mail.lastError && mail.state !== "sent" && <span class="sub">{mail.lastError}</span>}
  </>
);

const NothingYet = () => (
  <EmptyList label="Emails" drawing="plane" title="No emails yet">
    <p>Every email that Postroom sends appears here, with its delivery status.</p>
    <a class="btn" href={paths.emailSettings}>
      Send a test email
    </a>
  </EmptyList>
);

type HeadProps = { isLive: boolean; reports: ReportsView | undefined; frame: Frame };

/** The page's heading, and what is not sent or not known. */
export const OutboxHead = ({ isLive, reports, frame }: HeadProps) => (
  <>
    <Head
      title="Emails"
      lead={
        <>
          Emails to one person, and their delivery status. Those of broadcasts and sequences are on the page of each
          subscriber.
          <ReadFrom reports={reports} frame={frame} />
        </>
      }
    />
    {!isLive && (
      <p class="note">
        <Icon name="triangle-alert" />
        <span>
          <strong>Emails are not being sent.</strong> No email provider is connected, so emails are logged and kept
          here. <a href={paths.emailSettings}>Connect a provider</a>
        </span>
      </p>
    )}
    <NothingComesBack reports={reports} frame={frame} />
  </>
);
