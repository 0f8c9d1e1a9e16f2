import type { Box, Message } from "../../../db/contact/messages";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import type { ListState } from "../../components/list";
import { replyLink } from "./reply-link";

type Act = { move: string; label: string; icon: string; hotkey?: string };

const archive = { move: "archive", label: "Archive", icon: "archive", hotkey: "y" };
const unread = { move: "unread", label: "Mark unread", icon: "mail", hotkey: "u" };
const spam = { move: "spam", label: "Spam", icon: "shield-alert" };
const trash = { move: "trash", label: "Delete", icon: "trash-2", hotkey: "#" };

const acts: Record<Box, Act[]> = {
  inbox: [archive, unread, spam, trash],
  archived: [{ move: "unarchive", label: "Move to inbox", icon: "inbox", hotkey: "y" }, unread, spam, trash],
  quarantine: [{ move: "release", label: "Release", icon: "inbox" }, unread, spam, trash],
  spam: [{ move: "not-spam", label: "Not spam", icon: "inbox" }, unread, trash],
  trash: [
    { move: "restore", label: "Restore", icon: "archive-restore" },
    { move: "delete", label: "Delete permanently…", icon: "trash-2", hotkey: "#" },
  ],
};

type ActionsProps = { frame: Frame; state: ListState; box: Box; message: Message };

/** The actions on the open message. */
export const MessageActions = ({ frame, state, box, message }: ActionsProps) => (
  <Form action={`${state.path}/bulk`} token={frame.token} class="acts" label="Actions for this message">
    <input type="hidden" name="ids" value={message.id} />
    <input type="hidden" name="filter" value={new URLSearchParams(state.query).toString()} />
    {(box === "inbox" || box === "archived") && (
      <a
        class="btn sm primary"
        id="reply"
        href={replyLink(message, frame.siteTitle)}
        data-hotkey="r"
        aria-keyshortcuts="r"
      >
        <Icon name="reply" />
        Reply
      </a>
    )}
    {acts[box].map(({ move, label, icon, hotkey }) => (
      <button
        type="submit"
        class="btn sm"
        name="do"
        value={move}
        id={`do-${move}`}
        data-hotkey={hotkey}
        aria-keyshortcuts={hotkey}
      >
        <Icon name={icon} />
        {label}
      </button>
    ))}
  </Form>
);
