import { type DetailName, detailNames, detailWords } from "../../../db/newsletter/details";
import { type Status, statusOf } from "../../../db/newsletter/rules";
import type { SavedSegment } from "../../../db/newsletter/segments/saved";
import type { Subscriber } from "../../../db/newsletter/subscribers";
import type { Tag } from "../../../db/newsletter/tags";
import { Badge } from "../../components/badge";
import { DialogLink } from "../../components/buttons";
import { Example } from "../../components/empty";
import { Fact } from "../../components/fact";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import {
  capitalized,
  EmptyList,
  LinkedNames,
  type ListState,
  listUrl,
  type ListView,
  plural,
} from "../../components/list";
import { BulkButtons } from "../../components/lists/bulk";
import type { Column } from "../../components/lists/table";
import { Exports } from "../../components/lists/head";
import { listPage } from "../../components/lists/list-page";
import { Menu, MenuButton } from "../../components/lists/row-actions";
import { Time } from "../../components/time";
import type { Child, JSX } from "../../jsx/jsx-runtime";
import { languageLabel } from "../../languages/names";
import { paths } from "../../paths";
import { peoplesData } from "../people/stored";
import { CreateLink, Head } from "../shell";
import { FilterSentence, SegmentMenu } from "./filter";

type SubscribersView = ListView<Subscriber> & {
  counts: Record<Status, number>;
  segments: SavedSegment[];
  /** The tags of each row, if they are shown and anyone on the site has one. */
  tags: Map<number, Tag[]> | undefined;
  /** What the list is filtered by. */
  filtered: { count: number; sentence: string; name: string | undefined; where: string | undefined } | undefined;
  scanned: number;
  subscribeUrl: string;
};

const path = paths.newsletter;

export const exportFormats = ["csv"] as const;

/** The page's heading, with actions that are not about the list's rows. */
export const NewsletterHead = ({ state }: { state: ListState }) => (
  <Head title="Subscribers" lead="Everyone who has signed up on your sites.">
    <CreateLink id="add" href={`${path}/new`} isDialog>
      Add subscriber
    </CreateLink>
    <Menu id="newsletter" label="More actions for the newsletter">
      <a class="btn quiet" href={paths.people} id="find-person">
        <Icon name="fingerprint" />
        {peoplesData}
      </a>
      <a class="btn quiet" href={paths.newsletterImport}>
        <Icon name="upload" />
        Import
      </a>
      <Exports state={state} formats={exportFormats} />
      <a class="btn quiet" href={paths.topics}>
        <Icon name="tags" />
        Topics
      </a>
      <a class="btn quiet" href={paths.fields}>
        <Icon name="list" />
        Fields
      </a>
    </Menu>
  </Head>
);

const total = ({ counts }: SubscribersView) => Object.values(counts).reduce((sum, count) => sum + count, 0);

export const SubscriberList = listPage<Subscriber, SubscribersView>({
  label: "Subscribers",
  noun: "subscriber",
  choosable: "subscribers",
  isEmpty: (view) => total(view) === 0,
  Empty: (view) => <NobodyYet {...view} />,
  Note: ({ frame, scanned }) => scanned > 0 && <ScannerNote frame={frame} scanned={scanned} />,
  segments: (view) => ({
    name: "status",
    label: "Status",
    options: [
      { value: "", label: "All", count: total(view) },
      { value: "active", label: "Active", count: view.counts.active },
      { value: "unsubscribed", label: "Unsubscribed", count: view.counts.unsubscribed },
      ...rare(view, "pending", "Pending"),
      ...rare(view, "paused", "Paused"),
      ...rare(view, "suppressed", "Suppressed"),
    ],
  }),
  search: ({ state, filtered }) => ({
    label: "Search by email or name",
    conditions: { href: listUrl({ ...state, path: `${path}/filter` }, {}), count: filtered?.count ?? 0 },
  }),
  note: ({ frame, state, filtered, segments, total }) => (
    <>
      <SegmentMenu state={state} segments={segments} />
      {filtered && <FilterSentence frame={frame} state={state} total={total} {...filtered} />}
    </>
  ),
  columns: (view) => columnsOf(view, view.state.query.status),
  rowId: ({ id }) => `subscriber-${id}`,
  rowActions: (subscriber) => <RowActions subscriber={subscriber} />,
  bulk: {
    action: `${path}/bulk`,
    nameOf: ({ email }) => email,
    buttons: (view) => <SubscriberMoves {...view} />,
  },
});

/** A status that most lists never have is shown only if someone has it. */
const rare = ({ counts, state }: SubscribersView, value: "pending" | "paused" | "suppressed", label: string) =>
  counts[value] > 0 || state.query.status === value ? [{ value, label, count: counts[value] }] : [];

/** @param status which everyone in the list has, if it is a list of one: unsubscribed people's says when they left */
function columnsOf({ frame, state, tags }: SubscribersView, status: string | undefined): Column<Subscriber>[] {
  const hasLeft = status === "unsubscribed";
  const left: Column<Subscriber> = {
    title: "Unsubscribed on",
    of: "Unsubscribed",
    sort: "unsubscribed",
    kind: "when",
    cell: ({ unsubscribedAt }) =>
      unsubscribedAt ? <Time at={unsubscribedAt} clock={frame} /> : <span class="none">Time unknown</span>,
  };
  return [
    {
      title: "Subscriber",
      sort: "email",
      kind: "main",
      cell: (subscriber) => (
        <Person subscriber={subscriber} isByEmail={state.query.sort?.endsWith("email")}>
          {!status && <Differing subscriber={subscriber} frame={frame} />}
        </Person>
      ),
    },
    ...(tags ? [tagsColumn(tags, state)] : []),
    ...detailNames.filter((name) => name !== "name").map(columnOfDetail),
    {
      key: "joined",
      title: "Joined",
      sort: "joined",
      kind: hasLeft ? "when extra" : "when",
      cell: ({ createdAt }) => <Time at={createdAt} clock={frame} />,
    },
    ...(hasLeft ? [left] : []),
  ];
}

const columnOfDetail = (name: DetailName): Column<Subscriber> => ({
  key: name,
  title: capitalized(detailWords(name)),
  kind: name === "source" ? "extra" : "line", // a phone has the source beside the address
  cell: (subscriber) => <Detail subscriber={subscriber} name={name} />,
});

/** What is stored of someone under this name, as people read it. */
const Detail = ({ subscriber, name }: SubscriberProps & { name: DetailName }) => {
  const { [name]: text } = subscriber;
  if (name === "language") return <span class={text ? undefined : "none"}>{languageLabel(text)}</span>;
  return text ? <span class={name === "source" ? "mono" : undefined}>{text}</span> : <span class="none">None</span>;
};

const alwaysTold: readonly DetailName[] = ["source", "language"];

/** These details as facts. Most are left out where there is none. */
export const DetailFacts = ({ subscriber, names }: SubscriberProps & { names: readonly DetailName[] }) => (
  <>
    {names
      .filter((name) => subscriber[name] || alwaysTold.includes(name))
      .map((name) => (
        <Fact name={capitalized(detailWords(name))}>
          <Detail subscriber={subscriber} name={name} />
        </Fact>
      ))}
  </>
);

type SubscriberProps = { subscriber: Subscriber };

type PersonProps = SubscriberProps & { isByEmail?: boolean | undefined; children?: Child };

/** The name first, or the address in a list that is sorted by it. */
function Person({ subscriber, isByEmail = false, children }: PersonProps) {
  const { id, email, name, source } = subscriber;
  const [first, second] = name && !isByEmail ? [name, email] : [email, name];
  return (
    <>
      <span class="named">
        <a class="who" href={`${path}/${id}`} id={`open-${id}`}>
          {first}
        </a>
        {children}
      </span>
      <span class={second ? "sub" : "sub none"}>
        {second ?? "No name"}
        {source && <span class="on-card"> · {source}</span>}
      </span>
    </>
  );
}

const maxTags = 3; // per row, followed by the number of further ones

const tagsColumn = (tags: Map<number, Tag[]>, state: ListState): Column<Subscriber> => ({
  key: "tags",
  title: "Tags",
  kind: "tags",
  cell({ row }) {
    const links = (tags.get(row) ?? []).map(({ name }) => ({ name, href: listUrl(state, { tag: name }) }));
    return links.length ? <LinkedNames links={links} most={maxTags} areChips /> : <span class="sr">None</span>;
  },
});

/** What sets someone apart, and since when: nearly everyone is active. */
const Differing = ({ subscriber, frame }: SubscriberProps & { frame: Frame }) =>
  statusOf(subscriber) === "active" ? null : (
    <>
      <State subscriber={subscriber} />
      {subscriber.state === "unsubscribed" && subscriber.unsubscribedAt && (
        <span class="since">
          <Time at={subscriber.unsubscribedAt} clock={frame} />
        </span>
      )}
    </>
  );

const RowActions = ({ subscriber: { id, email, state } }: SubscriberProps) => (
  <Menu id={id} label={`Actions for ${email}`}>
    {state === "unsubscribed" && (
      <MenuButton
        id={`reactivate-${id}`}
        action={`${path}/${id}/reactivate`}
        icon="refresh-cw"
        title="Only if they asked you to"
      >
        Reactivate
      </MenuButton>
    )}
    <DialogLink class="btn quiet" id={`delete-${id}`} href={`${path}/${id}/delete`} icon="trash-2" hotkey="#">
      Delete…
    </DialogLink>
  </Menu>
);

const badges: Record<Status, JSX.Element> = {
  active: <Badge tone="good">Active</Badge>,
  unsubscribed: <Badge tone="off">Unsubscribed</Badge>,
  pending: <Badge tone="warn">Pending</Badge>,
  paused: <Badge tone="off">Paused</Badge>,
  suppressed: <Badge tone="bad">Suppressed</Badge>,
};

/** The status of a subscriber as its badge. */
export const State = ({ subscriber }: SubscriberProps) => badges[statusOf(subscriber)];

const pendingMoves = [
  ["remind", "Send link again"],
  ["confirm", "Confirm…"],
] as const;

const SubscriberMoves = ({ counts }: SubscribersView) => (
  <>
    <BulkButtons
      of={[
        ["reactivate", "Reactivate"],
        ["unsubscribe", "Unsubscribe"],
        ["change", "Tags and language…"],
        ...(counts.pending > 0 ? pendingMoves : []),
      ]}
    />
    <button type="submit" class="btn sm" formaction={`${path}/bulk/export`} data-plain>
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
    <Form action={`${path}/restore`} token={frame.token}>
      <button type="submit" class="btn sm" id="restore">
        Restore {plural(scanned, "subscriber")}
      </button>
    </Form>
  </div>
);

const NobodyYet = ({ subscribeUrl }: SubscribersView) => (
  <EmptyList label="Subscribers" drawing="letterBox" title="No subscribers yet">
    <p>People who sign up on your sites appear here. A page with a form is ready, and a form for your own site.</p>
    <a class="btn" href={`${paths.settings}/newsletter#form`} id="sign-up-form">
      Get the sign-up form
    </a>
    <DialogLink href={`${path}/new`} id="add-yourself">
      Add yourself as a test
    </DialogLink>
    <a class="btn" href={paths.newsletterImport} id="first-import">
      Import subscribers
    </a>
    <Example of="sign-up form">
      {`curl -X POST ${subscribeUrl} \\\n  -H "Content-Type: application/json" \\\n  -d '{"email":"you@example.com","source":"landing"}'`}
    </Example>
  </EmptyList>
);
