import type { Box, Message } from "../../../db/contact/messages";
import { BulkButtons, BulkForm } from "../../components/lists/bulk";
import { Form } from "../../components/forms/form";
import { Icon } from "../../components/icon";
import { type ListView, number } from "../../components/list";
import { ListHead } from "../../components/lists/head";
import { paths } from "../../paths";
import { Letter } from "./message";
import type { LetterView } from "./message-facts";
import { NoMessages, NoneHere, NoneOpen, type Notified } from "./empty";
import { Item } from "./row";

type MessagesView = ListView<Message> & {
  box: Box;
  counts: Record<Box, number>;
  sources: string[];
  /** Who is notified of new messages, for a page that has none yet. */
  notified: Notified;
  contactUrl: string;
  /** The open message. */
  open?: Omit<LetterView, "frame" | "state" | "box"> | undefined;
};

const boxes: Record<Box, string> = {
  inbox: "Inbox",
  archived: "Archived",
  quarantine: "Quarantine",
  spam: "Spam",
  trash: "Trash",
};

/** The messages of a box and, next to them on a wide screen, the open one. */
export function MessageList(view: MessagesView) {
  const { state, box, counts, sources, open } = view;
  if (Object.values(counts).every((count) => count === 0)) return <NoMessages {...view} />;
  return (
    <section class={open ? "list desk reading" : "list desk"} id="list" aria-label="Messages">
      <ListHead
        view={view}
        noun="message"
        segments={{
          name: "box",
          label: "Folder",
          options: Object.entries(boxes).map(([value, label]) => ({
            value: value === "inbox" ? "" : value,
            label,
            count: counts[value as Box],
          })),
        }}
        search={{
          label: "Search messages",
          filters: [{ name: "source", label: "Source", all: "All sources", options: sources }, { period: "Received" }],
        }}
      />
      {box === "quarantine" && counts.quarantine > 0 && <WhyQuarantined {...view} />}
      <div class="panes">
        <div class="pane">{view.rows.length ? <Messages {...view} /> : <NoneHere state={state} box={box} />}</div>
        {(open || view.rows.length > 0) && (
          <div class="reader">{open ? <Letter {...view} {...open} /> : <NoneOpen />}</div>
        )}
      </div>
    </section>
  );
}

const WhyQuarantined = ({ frame, state, counts: { quarantine } }: MessagesView) => (
  <div class="note">
    <Icon name="shield-alert" />
    <p>
      These messages arrived after the hourly limit was reached. One summary an hour is sent instead of an email for
      each. Release the genuine ones to move them to the inbox. <a href={`${paths.settings}#limits`}>View limits</a>
    </p>
    <Form action={`${state.path}/bulk`} token={frame.token} label="Quarantine">
      <input type="hidden" name="all" value="matching" />
      <input type="hidden" name="filter" value="box=quarantine" />
      <button type="submit" class="btn sm" name="do" value="release" id="release-all">
        Release {quarantine === 1 ? "it" : `all ${number(quarantine)}`}
      </button>
    </Form>
  </div>
);

const Messages = (view: MessagesView) => (
  <BulkForm
    view={view}
    action={`${view.state.path}/bulk`}
    label="Messages"
    buttons={<BulkButtons of={actions[view.box]} />}
  >
    <ul class="rows">
      {view.rows.map((message) => (
        <Item {...view} message={message} isOpen={message.id === view.open?.message.id} />
      ))}
    </ul>
  </BulkForm>
);

const actions: Record<Box, [action: string, label: string][]> = {
  inbox: [
    ["read", "Mark read"],
    ["archive", "Archive"],
    ["spam", "Spam"],
    ["trash", "Delete"],
  ],
  archived: [
    ["unarchive", "Move to inbox"],
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
    ["delete", "Delete permanently…"],
  ],
};
