import type { Box } from "../../../db/contact/messages";
import { Empty, Example, NoMatch } from "../../components/empty";
import { EmptyList, type ListState, listUrl } from "../../components/list";
import type { JSX } from "../../jsx/jsx-runtime";
import { paths } from "../../paths";

/** Where notifications of new messages go. */
export type Notified = { address: string | undefined; isLoggedOnly: boolean };

/** Shown next to a list of which no message is open. */
export const NoneOpen = () => (
  <Empty icon="mail-open" title="Choose a message to read it">
    <p class="keys-hint">
      <kbd>j</kbd> <kbd>k</kbd> next and previous, <kbd>Enter</kbd> open
    </p>
  </Empty>
);

/** Shown instead of the rows: no search results, or an empty box. */
export const NoneHere = ({ state, box }: { state: ListState; box: Box }) =>
  ["q", "source", "from", "to"].some((name) => state.query[name]) ? (
    <NoMatch what="messages" query={state.query.q} clear={listUrl(state, { q: "", source: "", from: "", to: "" })} />
  ) : (
    nothingIn[box]
  );

const nothingIn: Record<Box, JSX.Element> = {
  inbox: (
    <Empty icon="inbox" title="The inbox is empty">
      <p>New messages appear here.</p>
    </Empty>
  ),
  archived: (
    <Empty icon="archive" title="No archived messages">
      <p>Archived messages stay here and can be searched.</p>
    </Empty>
  ),
  quarantine: (
    <Empty icon="shield-alert" title="No messages in quarantine">
      <p>When more messages arrive within an hour than the limit allows, the rest are stored here.</p>
    </Empty>
  ),
  spam: (
    <Empty icon="shield-alert" title="No spam">
      <p>Messages caught by the form’s hidden field, and those you mark as spam, appear here.</p>
    </Empty>
  ),
  trash: (
    <Empty icon="trash-2" title="The trash is empty">
      <p>Deleted messages are kept here for 30 days.</p>
    </Empty>
  ),
};

/** Before the first message: who will be notified, and how the site's form sends one. */
export const NoMessages = ({ notified, contactUrl }: { notified: Notified; contactUrl: string }) => (
  <EmptyList label="Messages" icon="inbox" title="No messages yet">
    <p>
      Messages sent through your contact form appear here. <Notification {...notified} />
    </p>
    <a class="btn" href={`${paths.settings}#owner`} id="notification-address">
      {notified.address ? "Check the notification address" : "Set the notification address"}
    </a>
    <Example of="contact form">
      {`curl -X POST ${contactUrl} \\\n  -H "Content-Type: application/json" \\\n  -d '{"name":"Ada","email":"ada@example.com","message":"Hello from the form"}'`}
    </Example>
  </EmptyList>
);

const Notification = ({ address, isLoggedOnly }: Notified) =>
  address ? (
    <>
      A notification is also sent to <strong>{address}</strong>.
      {isLoggedOnly && " No email provider is configured, so it is only logged for now."}
    </>
  ) : (
    <>No notifications are sent yet: no address is set.</>
  );
