import type { Snippet } from "../../../db/contact/snippets";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { snippetsPath } from "./snippets";

/** What is being written. */
export type Draft = {
  /** The ID of the entry to be, so that sending the form twice sends one email. */
  key: string;
  text: string;
  /** Completes "Reply …". */
  error?: string;
};

/** Whether one goes on writing: after a mistake, a snippet, or a reply that was taken back. */
export const isBeingWritten = ({ error, text }: Draft) => Boolean(error || text);

export type ComposerView = {
  /** The sender of the site's emails. */
  from: string;
  /** Where answers go; undefined: to the sender. */
  answersTo: string | undefined;
  isLive: boolean;
  /** Why the reply may not arrive. */
  suppressed?: string | undefined;
  snippets: (Snippet & { filled: string })[];
  draft: Draft;
  longest: number | undefined;
};

type Props = ComposerView & { frame: Frame; id: string; name: string; action: string; mailto: string };

/** The reply to a message. What is typed is kept by contact.ts while other messages are read. */
export const Composer = ({ frame, id, name, action, mailto, ...view }: Props) => {
  const { draft, longest } = view;
  return (
    <Form action={action} token={frame.token} class="reply" id="composer" label={`Reply to ${name}`}>
      <input type="hidden" name="key" value={draft.key} />
      <p class="to">
        <label for="reply-text" data-hotkey="r">
          To <strong>{name}</strong>
        </label>
        <span class="sub">from {view.from}</span>
      </p>
      <textarea
        class="input"
        id="reply-text"
        name="text"
        rows="1"
        placeholder="Write a reply"
        dir="auto"
        maxlength={longest}
        aria-keyshortcuts="r"
        aria-invalid={draft.error ? "true" : undefined}
        aria-describedby={draft.error ? "reply-error reply-where" : "reply-where"}
        data-draft={`${frame.manager.id} ${id}`}
        {...(isBeingWritten(draft) && { "data-focus": true })}
      >
        {draft.text}
      </textarea>
      {draft.error && (
        <p class="error" id="reply-error">
          Reply {draft.error}
        </p>
      )}
      <Buttons snippets={view.snippets} />
      <Where {...view} mailto={mailto} />
    </Form>
  );
};

/** What can be done with what was typed. */
const Buttons = ({ snippets }: Pick<ComposerView, "snippets">) => (
  <div class="bar">
    <Snippets snippets={snippets} />
    <button type="submit" class="btn quiet" name="do" value="note" id="add-note" title="Only managers see notes">
      <Icon name="sticky-note" />
      Add as note
    </button>
    <span class="send">
      <button type="submit" class="btn" name="do" value="send-and-archive" id="send-and-archive">
        Send and archive
      </button>
      <button
        type="submit"
        class="btn primary"
        name="do"
        value="send"
        id="reply-send"
        aria-keyshortcuts="Control+Enter"
      >
        Send
      </button>
    </span>
  </div>
);

/** Where the reply goes, and what comes of it. */
const Where = ({ answersTo, isLive, suppressed, mailto }: ComposerView & { mailto: string }) => (
  <p class="hint" id="reply-where">
    {suppressed && <strong>{suppressed} </strong>}
    {isLive ? (
      <>Answers go to {answersTo ?? "the sender’s address"}.</>
    ) : (
      <>
        No email provider is configured, so replies are simulated: logged instead of sent.{" "}
        <a href={mailto}>Reply in your email app</a>
      </>
    )}
  </p>
);

/** The snippets above their button, as they are written. A press inserts one, with the fields filled in. */
const Snippets = ({ snippets }: Pick<ComposerView, "snippets">) => (
  <>
    <button type="button" class="btn quiet" id="snippets" popovertarget="snippet-menu">
      <Icon name="zap" />
      Snippets
    </button>
    <div class="menu snippet-menu" id="snippet-menu" popover="auto" role="group" aria-label="Snippets">
      {snippets.map(({ id, name, text, filled }) => (
        <button type="submit" class="btn quiet" name="do" value={`insert:${id}`} data-insert={filled}>
          <span>
            <strong>{name}</strong>
            <span class="sub">{text.slice(0, 120)}</span>
          </span>
        </button>
      ))}
      <button type="submit" class="btn quiet" name="do" value="save-snippet">
        <Icon name="plus" />
        Save this reply as a snippet
      </button>
      <a class="btn quiet" href={snippetsPath}>
        <Icon name="pencil" />
        Manage snippets
      </a>
    </div>
  </>
);
