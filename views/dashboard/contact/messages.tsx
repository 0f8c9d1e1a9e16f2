import type { Box, Message } from "../../../db/contact/messages";
import { BulkForm, Moves } from "../../components/bulk";
import { Empty, NoMatch } from "../../components/empty";
import { Exports } from "../../components/exports";
import { Form } from "../../components/form";
import { Icon } from "../../components/icon";
import {
  Announcement,
  EmptyList,
  type ListState,
  type ListView,
  listUrl,
  number,
  plural,
  Segments,
} from "../../components/list";
import { SearchForm } from "../../components/search";
import type { JSX } from "../../jsx/jsx-runtime";
import { Letter, type LetterView } from "./message";
import { Item } from "./row";
import { Head } from "../shell";
import { paths } from "../../paths";

export type MessagesView = ListView<Message> & {
  box: Box;
  counts: Record<Box, number>;
  sources: string[];
  /** Who is told of new messages, for the page that has none yet. */
  notified: Notified;
  contactUrl: string;
  /** The message that is being read. */
  open?: Omit<LetterView, "frame" | "state" | "box"> | undefined;
};
export type Notified = { address: string | undefined; isLoggedOnly: boolean };

const boxes: Record<Box, string> = {
  inbox: "Inbox",
  archived: "Archived",
  quarantine: "Quarantine",
  spam: "Spam",
  trash: "Trash",
};

export const ContactHead = ({ state, isEmpty }: { state: ListState; isEmpty: boolean }) => (
  <Head title="Contact" lead="Messages from the contact form.">
    {!isEmpty && <Exports state={state} formats={exportFormats} />}
  </Head>
);

export const exportFormats = ["csv", "json"] as const;

/** The messages of a box and, beside them where there is room, the one that is being read. */
export function MessageList(view: MessagesView) {
  const { state, box, total, counts, sources, open } = view;
  if (Object.values(counts).every((count) => count === 0)) return <NothingYet {...view} />;
  return (
    <section class={open ? "list desk reading" : "list desk"} id="list" aria-label="Messages">
      <div class="toolbar">
        <Segments
          state={state}
          name="box"
          label="Box"
          options={Object.entries(boxes).map(([value, label]) => ({
            value: value === "inbox" ? "" : value,
            label,
            count: counts[value as Box],
          }))}
        />
        <SearchForm
          state={state}
          label="Search the messages"
          filters={[{ name: "source", label: "Source", all: "Every source", options: sources }]}
        />
      </div>
      <Announcement>{plural(total, "message")}</Announcement>
      {box === "quarantine" && counts.quarantine > 0 && <WhyQuarantined {...view} />}
      <div class="panes">
        <div class="pane">{view.rows.length ? <Messages {...view} /> : <NoneHere state={state} box={box} />}</div>
        <div class="reader">{open ? <Letter {...view} {...open} /> : <NoneOpen />}</div>
      </div>
    </section>
  );
}

const WhyQuarantined = ({ frame, state, counts: { quarantine } }: MessagesView) => (
  <div class="note">
    <Icon name="shield-alert" />
    <p>
      These messages arrived after the hourly limit was reached. One summary an hour is sent instead of an email for
      each. Release the genuine ones: they move to the inbox. <a href={`${paths.settings}#limits`}>See the limits</a>
    </p>
    <Form action={`${state.path}/moves`} token={frame.token} label="Quarantine">
      <input type="hidden" name="all" value="matching" />
      <input type="hidden" name="filter" value="box=quarantine" />
      <button type="submit" class="btn sm" name="do" value="release" id="release-all">
        Release {quarantine === 1 ? "it" : `all ${number(quarantine)}`}
      </button>
    </Form>
  </div>
);

const Messages = (view: MessagesView) => (
  <BulkForm view={view} action={`${view.state.path}/moves`} label="Messages" moves={<Moves of={moves[view.box]} />}>
    <ul class="rows">
      {view.rows.map((message) => (
        <Item {...view} message={message} isOpen={message.id === view.open?.message.id} />
      ))}
    </ul>
  </BulkForm>
);

const moves: Record<Box, [move: string, label: string][]> = {
  inbox: [
    ["read", "Read"],
    ["archive", "Archive"],
    ["spam", "Spam"],
    ["trash", "Delete"],
  ],
  archived: [
    ["unarchive", "To inbox"],
    ["spam", "Spam"],
    ["trash", "Delete"],
  ],
  quarantine: [
    ["release", "Release"],
    ["spam", "Spam"],
    ["trash", "Delete"],
  ],
  spam: [
    ["not-spam", "Not spam"],
    ["trash", "Delete"],
  ],
  trash: [
    ["restore", "Restore"],
    ["delete", "Delete for good…"],
  ],
};

const NoneOpen = () => (
  <Empty icon="mail-open" title="Choose a message to read it">
    <p class="keys-hint">
      <kbd>j</kbd> <kbd>k</kbd> next and previous, <kbd>Enter</kbd> open
    </p>
  </Empty>
);

const NoneHere = ({ state, box }: { state: ListState; box: Box }) =>
  state.query.q || state.query.source ? (
    <NoMatch what="messages" query={state.query.q} clear={listUrl(state, { q: "", source: "" })} />
  ) : (
    nothingIn[box]
  );

const nothingIn: Record<Box, JSX.Element> = {
  inbox: (
    <Empty icon="inbox" title="The inbox is empty">
      <p>Every message is archived, or was not worth keeping.</p>
    </Empty>
  ),
  archived: (
    <Empty icon="archive" title="Nothing is archived">
      <p>Archive what is done. It stays here, and the search finds it.</p>
    </Empty>
  ),
  quarantine: (
    <Empty icon="shield-alert" title="No messages in quarantine">
      <p>When more messages arrive within an hour than the limit allows, the others are stored here.</p>
    </Empty>
  ),
  spam: (
    <Empty icon="shield-alert" title="No spam">
      <p>What fills in the hidden field of the form lands here, and what you mark yourself.</p>
    </Empty>
  ),
  trash: (
    <Empty icon="trash-2" title="The trash is empty">
      <p>Deleted messages stay here for 30 days.</p>
    </Empty>
  ),
};

const NothingYet = ({ notified, contactUrl }: MessagesView) => (
  <EmptyList label="Messages" icon="inbox" title="No messages yet">
    <p>When somebody writes through the contact form, the message lands here. This is the request the form sends:</p>
    <pre tabindex="0">
      {`curl -X POST ${contactUrl} \\\n  -H "Content-Type: application/json" \\\n  -d '{"name":"Ada","email":"ada@example.com","message":"Hello from the form"}'`}
    </pre>
    <WhoIsTold {...notified} />
    <a class="btn" href={paths.settings} id="notification-address">
      {notified.address ? "Check the notification address" : "Set the notification address"}
    </a>
  </EmptyList>
);

const WhoIsTold = ({ address, isLoggedOnly }: Notified) => (
  <p>
    {address ? (
      <>
        You also get an e-mail at <strong>{address}</strong>.
      </>
    ) : (
      "Nobody gets an e-mail about it yet: no address is set."
    )}
    {address && isLoggedOnly && " No mail provider is set up, so for now it is only logged."}
  </p>
);
