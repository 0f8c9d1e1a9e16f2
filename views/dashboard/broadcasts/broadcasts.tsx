import type { Broadcast } from "../../../db/broadcasts/broadcasts";
import { ledgerOf } from "../../../db/broadcasts/ledger";
import type { BroadcastTab } from "../../../db/broadcasts/list";
import { Usual } from "../../components/badge";
import { Empty, EmptyTrash, NoMatch } from "../../components/empty";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { EmptyList, listUrl, type ListView, number, plural } from "../../components/list";
import { BulkButtons, BulkForm } from "../../components/lists/bulk";
import { shownColumns } from "../../components/lists/choose-columns";
import { ListHead } from "../../components/lists/head";
import { Menu, MenuButton, TrashButton } from "../../components/lists/row-actions";
import { type Column, ColumnTable, Pick } from "../../components/lists/table";
import { paths } from "../../paths";
import { Crumb, Head } from "../shell";
import {
  Bar,
  BroadcastBadge,
  handedOver,
  hasReports,
  isSimulated,
  isUnsent,
  path,
  pauseOf,
  titleOf,
  When,
} from "./state";

/** `audienceWords` are undefined for those who see only figures: they may name people. */
type BroadcastRow = { broadcast: Broadcast; audienceWords: string | undefined };

/** Whether the manager's role includes more than the figures of broadcasts. */
export const isWriter = ({ may }: Frame) => may(`${path}/new`, "POST");

const Subject = ({ row: { broadcast, audienceWords } }: { row: BroadcastRow }) => (
  <>
    <a class="who" href={`${path}/${broadcast.id}`} id={`open-${broadcast.id}`}>
      {titleOf(broadcast)}
    </a>
    {audienceWords && <span class="sub">{audienceWords}</span>}
  </>
);

function People({ broadcast }: { broadcast: Broadcast }) {
  const { state, audience } = broadcast;
  if (state === "draft") return <span class="none">–</span>;
  if (state === "scheduled") return <>{number(audience ?? 0)}</>;
  const count = number(handedOver(broadcast));
  if (state === "sent") return <>{count}</>;
  return (
    <>
      {count} of {number(ledgerOf(broadcast).recipients)}
      {state !== "cancelled" && (
        <span class="sub">
          <Bar broadcast={broadcast} />
          {state === "paused" && `Paused${pauseOf(broadcast)}`}
        </span>
      )}
    </>
  );
}

/** What went wrong, worst first. What was never reported is not known, which differs from zero. */
function Trouble({ broadcast }: { broadcast: Broadcast }) {
  const { state, uncertain, failed, bounced, complained, simulated, uncertainReviewedAt } = broadcast;
  if (state === "draft" || state === "scheduled") return <span class="none">–</span>;
  const problems = [
    failed > 0 && `${number(failed)} refused`,
    bounced > 0 && `${number(bounced)} bounced`,
    complained > 0 && plural(complained, "complaint"),
  ].filter((words) => words !== false);
  if (uncertain > 0 && !uncertainReviewedAt) problems.unshift(`${number(uncertain)} uncertain`);
  const [first, ...others] = problems;
  if (!first)
    return <span class="none">{hasReports(broadcast) || isUnsent(broadcast) || simulated ? "None" : "Not known"}</span>;
  const isUrgent = first.endsWith("uncertain") || state === "paused";
  return (
    <>
      {isUrgent ? <strong>{first}</strong> : first}
      {others.length > 0 && <span class="sub">{others.join(", ")}</span>}
    </>
  );
}

const Buttons = ({ broadcast }: { broadcast: Broadcast }) => {
  const { id, state, deletedAt } = broadcast;
  const title = titleOf(broadcast);
  if (deletedAt)
    return (
      <button
        type="submit"
        class="btn quiet sm"
        id={`restore-${id}`}
        formaction={`${path}/${id}/restore`}
        aria-label={`Restore ${title}`}
      >
        Restore
      </button>
    );
  return (
    <Menu id={id} label={`Actions for ${title}`}>
      <MenuButton id={`copy-${id}`} action={`${path}/${id}/copy`} icon="copy" isPlain>
        Copy
      </MenuButton>
      {(state === "draft" || state === "cancelled") && <TrashButton id={id} path={path} />}
    </Menu>
  );
};

type BroadcastsView = ListView<BroadcastRow> & { tab: BroadcastTab; counts: Record<BroadcastTab, number> };

export const BroadcastsHead = ({ frame }: { frame: Frame }) => (
  <Head title="Broadcasts" lead="Emails to your subscribers. Each is sent once, to everyone you choose.">
    <a class="btn quiet" id="public-archive" href="/newsletter" target="_blank" rel="noopener">
      <Icon name="external-link" />
      Public archive
    </a>
    {isWriter(frame) && (
      <>
        <a class="btn quiet" href={paths.fromPosts}>
          From posts
        </a>
        <NewBroadcast frame={frame} />
      </>
    )}
  </Head>
);

/** A broadcast is a draft from the start: its audience, preview and test need one. */
const NewBroadcast = ({ frame }: { frame: Frame }) => (
  <Form action={`${path}/new`} token={frame.token} plain label="New broadcast">
    <button type="submit" class="btn primary" id="new-broadcast" data-hotkey="c">
      <Icon name="plus" />
      New broadcast
    </button>
  </Form>
);

/** What the address of a new broadcast shows, when it is opened instead of sent: opening a page creates nothing. */
export const NewBroadcastPage = ({ frame }: { frame: Frame }) => (
  <>
    <Crumb href={path}>Broadcasts</Crumb>
    <Head title="New broadcast" lead="An email to your subscribers. It is a draft until you review and send it." />
    <NewBroadcast frame={frame} />
  </>
);

const tabs: Record<BroadcastTab, string> = {
  all: "All",
  drafts: "Drafts",
  scheduled: "Scheduled",
  sending: "Sending",
  sent: "Sent",
  trash: "Trash",
};

/** What is not confirmed yet has no figures. */
export const tabsFor = (frame: Frame): BroadcastTab[] =>
  isWriter(frame) ? (Object.keys(tabs) as BroadcastTab[]) : ["sent", "sending", "scheduled"];

export function BroadcastList(view: BroadcastsView) {
  const { counts, frame, rows, state } = view;
  if (counts.all + counts.trash === 0) return <NothingYet frame={frame} />;
  const isUnderWay = rows.some(({ broadcast }) => broadcast.state === "sending" || broadcast.state === "scheduled");
  return (
    <section
      class="list broadcasts"
      id="list"
      aria-label="Broadcasts"
      data-topic="broadcasts"
      data-poll={isUnderWay ? listUrl(state, { page: state.query.page ?? "" }) : undefined}
    >
      <ListHead
        view={view}
        noun="broadcast"
        columns="broadcasts"
        segments={{
          name: "tab",
          label: "Status",
          options: tabsFor(frame).map((tab) => ({
            value: tab === tabsFor(frame)[0] ? "" : tab,
            label: tabs[tab],
            count: counts[tab],
          })),
        }}
        search={{ label: "Search broadcasts", placeholder: "Search subjects" }}
      />
      {rows.length ? <Broadcasts {...view} /> : <NoneHere {...view} />}
    </section>
  );
}

const Broadcasts = (view: BroadcastsView) =>
  isWriter(view.frame) ? <ChangeableBroadcasts {...view} /> : <BroadcastTable {...view} />;

const BroadcastTable = (view: BroadcastsView) => (
  <ColumnTable
    caption="Broadcasts"
    columns={shownColumns(view.frame, "broadcasts", columnsOf(view))}
    rows={view.rows}
    rowId={({ broadcast }) => `broadcast-${broadcast.id}`}
  />
);

const ChangeableBroadcasts = (view: BroadcastsView) => (
  <BulkForm
    view={view}
    action={`${path}/bulk`}
    label="Broadcasts"
    buttons={<BulkButtons of={view.tab === "trash" ? inTrash : inList} />}
  >
    <ColumnTable
      caption="Broadcasts"
      columns={shownColumns(view.frame, "broadcasts", columnsOf(view))}
      rows={view.rows}
      rowId={({ broadcast }) => `broadcast-${broadcast.id}`}
      pick={({ broadcast }) => <Pick id={broadcast.id} label={titleOf(broadcast)} />}
      actions={({ broadcast }) => <Buttons broadcast={broadcast} />}
    />
  </BulkForm>
);

const inList = [["trash", "Delete"]] as const;
const inTrash = [
  ["restore", "Restore"],
  ["delete", "Delete permanently…"],
] as const;

const columnsOf = ({ tab, frame }: BroadcastsView): Column<BroadcastRow>[] => [
  { title: "Subject", kind: "main", cell: (row) => <Subject row={row} /> },
  {
    key: "state",
    title: "Status",
    headKind: "state",
    kind: "state",
    cell: ({ broadcast }) =>
      broadcast.state === "sent" && !isSimulated(broadcast) ? (
        <Usual>Sent</Usual>
      ) : (
        <BroadcastBadge broadcast={broadcast} />
      ),
  },
  {
    key: "people",
    title: "People",
    headKind: "people",
    kind: "extra people",
    cell: ({ broadcast }) => <People broadcast={broadcast} />,
  },
  {
    key: "trouble",
    title: "Trouble",
    headKind: "trouble",
    kind: "extra trouble",
    cell: ({ broadcast }) => <Trouble broadcast={broadcast} />,
  },
  {
    key: "when",
    title: tab === "trash" ? "Deleted" : "When",
    headKind: "when",
    kind: "when",
    cell: ({ broadcast }) => <When broadcast={broadcast} frame={frame} />,
  },
];

const NoneHere = ({ state, tab }: BroadcastsView) => {
  if (state.query.q)
    return <NoMatch what="broadcasts" query={state.query.q} clear={listUrl(state, { q: "", page: "" })} />;
  if (tab === "trash") return <EmptyTrash what="broadcasts" />;
  const [icon, title, about] = nothingIn[tab];
  return (
    <Empty icon={icon} title={title}>
      <p>{about}</p>
    </Empty>
  );
};

const nothingIn: Record<Exclude<BroadcastTab, "trash">, [icon: string, title: string, about: string]> = {
  all: ["megaphone", "All broadcasts are in the trash", "Restore one there, or write a new one."],
  drafts: ["pencil", "No drafts", "New broadcasts are drafts until you send or schedule them."],
  scheduled: ["history", "Nothing is scheduled", "Choose a time when you send a broadcast; it starts automatically."],
  sending: ["send", "Nothing is being sent", "Broadcasts that are being sent or are paused appear here."],
  sent: ["circle-check", "Nothing has been sent yet", "Sent and cancelled broadcasts appear here with their reports."],
};

/** Before the first broadcast. */
const NothingYet = ({ frame }: { frame: Frame }) => (
  <EmptyList label="Broadcasts" drawing="plane" title="No broadcasts yet">
    {isWriter(frame) ? (
      <>
        <p>Write an email to your subscribers, or open a post and choose “Send as newsletter”.</p>
        <Form action={`${path}/new`} token={frame.token} plain label="First broadcast">
          <button type="submit" class="btn" id="first-broadcast">
            Write the first broadcast
          </button>
        </Form>
      </>
    ) : (
      <p>The figures of each broadcast appear here once it is sent.</p>
    )}
  </EmptyList>
);
