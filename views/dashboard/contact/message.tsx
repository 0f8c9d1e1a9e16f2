import type { Box } from "../../../db/contact/messages";
import { Icon } from "../../components/icon";
import { ListLink, listUrl } from "../../components/list";
import { CopyButton } from "../../components/copy-button";
import { Linked } from "./linked";
import { mailAddress } from "./reply-link";
import { MessageActions } from "./message-actions";
import { Facts, type LetterView, WhyHere } from "./message-facts";

const back: Record<Box, string> = {
  inbox: "Inbox",
  archived: "Archived",
  quarantine: "Quarantine",
  spam: "Spam",
  trash: "Trash",
};

/** One message as plain text, with its actions. */
export function Letter({ frame, state, box, message, mails }: LetterView) {
  const { name, email, message: words } = message;
  return (
    <article class="letter" aria-labelledby="letter-from">
      <p class="crumb">
        <ListLink href={listUrl(state, { page: state.query.page ?? "" })} id="back-to-list">
          <Icon name="arrow-left" />
          {back[box]}
        </ListLink>
      </p>
      <header>
        <h2 id="letter-from" tabindex="-1" data-focus>
          {name}
        </h2>
        <p class="sender">
          <a href={`mailto:${mailAddress(email)}`} id="letter-email">
            {email}
          </a>
          <CopyButton from="letter-email" class="btn quiet sm" id="copy-email" />
        </p>
      </header>
      <MessageActions frame={frame} state={state} box={box} message={message} />
      <WhyHere box={box} message={message} clock={frame} />
      <div class="words" dir="auto">
        <Linked text={words} />
      </div>
      <Facts message={message} mails={mails} frame={frame} />
    </article>
  );
}
