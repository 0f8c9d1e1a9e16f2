import type { Message } from "../../../db/contact/messages";
import type { Frame } from "../../components/frame";
import { type ListState, listUrl } from "../../components/list";
import { Time } from "../../components/time";

type ItemProps = { message: Message; state: ListState; frame: Frame; isOpen: boolean };

/** The link comes before the checkbox, because the keys j and k go to it. */
export function Item({ message: { id, name, message, source, readAt, createdAt }, state, frame, isOpen }: ItemProps) {
  const href = messageUrl(state, id);
  return (
    <li class={readAt ? "item" : "item unread"} data-open={isOpen}>
      <a
        href={href}
        id={`open-${id}`}
        aria-current={isOpen ? "true" : undefined}
        hx-get={href}
        hx-target="#list"
        hx-swap="outerMorph"
        hx-push-url="true"
      >
        <span class="from">
          {!readAt && <span class="sr">Unread: </span>}
          {name}
        </span>
        <Time at={createdAt} clock={frame} />
        <span class="line">{firstWords(message)}</span>
        <span class="mono">{source}</span>
      </a>
      <label class="tick">
        <input type="checkbox" name="ids" value={id} id={`pick-${id}`} aria-label={`Select the message from ${name}`} />
      </label>
    </li>
  );
}

/** The URL of a message, with the list it was found in. */
const messageUrl = (state: ListState, id: string) =>
  listUrl({ path: `${state.path}/${id}`, query: state.query }, { page: state.query.page ?? "" });

const firstWords = (message: string) => [...message.slice(0, 200).replace(/\s+/g, " ")].slice(0, 100).join("");
