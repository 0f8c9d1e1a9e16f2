import type { Broadcast } from "../../../../db/broadcasts/broadcasts";
import type { Outcome, Recipient } from "../../../../db/broadcasts/report/recipients";
import { Badge } from "../../../components/badge";
import { NoMatch } from "../../../components/empty";
import type { Frame } from "../../../components/frame";
import { Icon } from "../../../components/icon";
import { ListLink, type ListState, listUrl, plural } from "../../../components/list";
import { exportLabel } from "../../../components/lists/head";
import { ColumnTable } from "../../../components/lists/table";
import { SearchForm } from "../../../components/lists/search";
import { Time } from "../../../components/time";
import { paths } from "../../../paths";
import { Crumb, Head } from "../../shell";
import { leavingText } from "../../newsletter/timeline";
import { path, titleOf } from "../state";

type RecipientsView = {
  frame: Frame;
  broadcast: Broadcast;
  state: ListState;
  rows: Recipient[];
  /** The row after which the list continues. */
  next: number | undefined;
  /** How many match, on all pages, if that is known. */
  count: number | undefined;
};

function countInWords({ state, rows, next, count }: RecipientsView): string {
  if (rows.length === 0) return "No recipients";
  if (next === undefined && !state.query.after) return plural(rows.length, "recipient");
  if (count !== undefined) return plural(count, "recipient");
  return next === undefined ? plural(rows.length, "more recipient") : `${rows.length} and more recipients`;
}

export const outcomeNames: Record<Outcome, string> = {
  accepted: "Accepted",
  delivered: "Delivered",
  bounced: "Bounced, permanent",
  soft: "Bounced, temporary",
  unreported: "No report yet",
  complained: "Complained",
  unsubscribed: "Unsubscribed",
  uncertain: "Uncertain",
  failed: "Refused",
  nonexistent: "Address does not exist",
  skipped: "Not sent",
  simulated: "Simulated",
};

export const RecipientsHead = ({ broadcast, state }: Pick<RecipientsView, "broadcast" | "state">) => (
  <>
    <Crumb href={`${path}/${broadcast.id}`}>{titleOf(broadcast)}</Crumb>
    <Head title="Recipients" lead="Who got this broadcast, in the order of sending.">
      <ExportLink state={state} />
    </Head>
  </>
);

export const ExportLink = ({ state }: { state: ListState }) => (
  <a class="btn" id="export" href={listUrl({ ...state, path: `${state.path}/export.csv` }, { after: "" })}>
    <Icon name="download" />
    {exportLabel(state, "csv")}
  </a>
);

export const Recipients = (view: RecipientsView) => {
  const { frame, broadcast, state, rows, next } = view;
  return (
    <section class="list recipients" id="list" aria-label="Recipients">
      <div class="toolbar">
        <SearchForm
          state={state}
          label="Search recipients"
          placeholder="Search addresses and names"
          filters={[{ name: "outcome", label: "Outcome", all: "All outcomes", options: Object.entries(outcomeNames) }]}
        />
      </div>
      <p class="found" data-announce>
        {countInWords(view)}
      </p>
      {rows.length ? (
        <Rows rows={rows} frame={frame} />
      ) : (
        <NoMatch what="recipients" query={state.query.q} clear={state.path}>
          {state.query.q && !state.query.outcome && <NotRecipient broadcast={broadcast} query={state.query.q} />}
        </NoMatch>
      )}
      <nav class="pager" aria-label="Pages">
        <p />
        {state.query.after && (
          <ListLink class="btn sm" href={listUrl(state, { after: "" })} id="page-first">
            First
          </ListLink>
        )}
        {next !== undefined && (
          <ListLink class="btn sm" href={listUrl(state, { after: String(next) })} id="page-next" rel="next">
            Next
            <Icon name="chevron-right" />
          </ListLink>
        )}
      </nav>
    </section>
  );
};

/** Whether every recipient has a row: of another one, those who are not listed may have been in the audience. */
const isComplete = ({ kind, state, detailGoneAt }: Broadcast) => kind !== "step" && state === "sent" && !detailGoneAt;

/** Why someone did not get the broadcast is on their own page. */
const NotRecipient = ({ broadcast, query }: Pick<RecipientsView, "broadcast"> & { query: string }) => (
  <p>
    {isComplete(broadcast) &&
      "People who are not listed were not in the audience when it was sent, or have been deleted since. "}
    <a href={`${paths.newsletter}?${new URLSearchParams({ q: query })}`} id="find-subscriber">
      Search Subscribers
    </a>{" "}
    to see when someone subscribed, unsubscribed or was suppressed.
  </p>
);

const Rows = ({ rows, frame }: Pick<RecipientsView, "rows" | "frame">) => (
  <ColumnTable
    caption="Recipients"
    rows={rows}
    columns={[
      { title: "Address", kind: "main", cell: (row) => <Address row={row} /> },
      { title: "Outcome", headKind: "state", kind: "state", cell: (row) => <OutcomeBadge row={row} /> },
      { title: "Reason", kind: "line", cell: (row) => reasonOf(row) ?? <span class="none">–</span> },
      { title: "When", headKind: "when", kind: "when", cell: (row) => <When row={row} frame={frame} /> },
    ]}
  />
);

type RowProps = { row: Recipient };

const Address = ({ row: { row, subscriberId, email } }: RowProps) =>
  subscriberId ? (
    <a class="who" href={`${paths.newsletter}/${subscriberId}`} id={`open-${row}`}>
      {email}
    </a>
  ) : (
    <span class="none">Deleted subscriber</span>
  );

function OutcomeBadge({ row }: RowProps) {
  const { name, tone } = outcomeOf(row);
  return <Badge tone={tone}>{name}</Badge>;
}

function When({ row, frame }: RowProps & { frame: Frame }) {
  const { at } = outcomeOf(row);
  return at ? <Time at={at} clock={frame} /> : <span class="none">–</span>;
}

type Shown = { name: string; tone: "good" | "warn" | "bad" | "off"; at: Date | null };

const stateNames = ["Under way", "Accepted", "Refused", "Uncertain", "Simulated", "Not sent"];
const stateTones: Shown["tone"][] = ["off", "good", "bad", "warn", "off", "off"];

/**
 * Which of several events is shown: complained, bounced, unsubscribed, delivered, otherwise the state. Reports are about
 * accepted emails.
 */
export function outcomeOf(row: Recipient): Shown {
  const isAccepted = stateNames[row.state] === "Accepted";
  if (isAccepted && row.complainedAt) return { name: "Complained", tone: "bad", at: row.complainedAt };
  if (isAccepted && row.bouncedAt) return { name: "Bounced", tone: "bad", at: row.bouncedAt };
  if (row.unsubscribedAt) return { name: "Unsubscribed", tone: "off", at: row.unsubscribedAt };
  if (isAccepted && row.deliveredAt) return { name: "Delivered", tone: "good", at: row.deliveredAt };
  if (isAccepted && row.softAt) return { name: "Bounced for now", tone: "warn", at: row.softAt };
  return { name: stateNames[row.state] ?? "Unknown", tone: stateTones[row.state] ?? "off", at: row.acceptedAt };
}

/** Why: how they unsubscribed, if that is the outcome shown and on record, otherwise what the provider said. */
export const reasonOf = (row: Recipient): string | null =>
  row.leaving && outcomeOf(row).name === outcomeNames.unsubscribed ? leavingText(row.leaving) : row.error;
