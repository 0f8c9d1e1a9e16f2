import { type Status, statusOf } from "../../../db/newsletter/status";
import type { Subscriber } from "../../../db/newsletter/subscribers";
import { Badge } from "../../components/badge";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { Pick } from "../../components/lists/table";
import { Time } from "../../components/time";
import type { JSX } from "../../jsx/jsx-runtime";
import { paths } from "../../paths";

type RowProps = { subscriber: Subscriber; frame: Frame; hasLeft: boolean };

/** @param hasLeft whether the list has a column for when people unsubscribed */
export function SubscriberRow({ subscriber, frame, hasLeft }: RowProps) {
  const { id, email, name, state, source, createdAt, unsubscribedAt } = subscriber;
  const path = `${paths.newsletter}/${id}`;
  return (
    <tr id={`subscriber-${id}`} role="row">
      <Pick id={id} label={email} />
      <td class="main" role="cell">
        <a class="who" href={path} id={`open-${id}`}>
          {email}
        </a>
        <span class={name ? "sub" : "sub none"}>
          {name ?? "No name"}
          {source && <span class="on-card"> · {source}</span>}
        </span>
      </td>
      <td class="state" role="cell">
        <State subscriber={subscriber} />
        {!hasLeft && state === "unsubscribed" && unsubscribedAt && (
          <span class="sub since">
            <Time at={unsubscribedAt} clock={frame} />
          </span>
        )}
      </td>
      <td class="extra" role="cell">
        {source ? <span class="mono">{source}</span> : <span class="none">None</span>}
      </td>
      <td class={hasLeft ? "when extra" : "when"} role="cell">
        <Time at={createdAt} clock={frame} />
      </td>
      {hasLeft && (
        <td class="when" role="cell">
          {unsubscribedAt ? <Time at={unsubscribedAt} clock={frame} /> : <span class="none">Unknown</span>}
        </td>
      )}
      <td class="acts" role="cell">
        <RowActions subscriber={subscriber} path={path} />
      </td>
    </tr>
  );
}

type ActionProps = { subscriber: Subscriber; path: string };

const RowActions = ({ subscriber: { id, email, state }, path }: ActionProps) => (
  <>
    {state === "unsubscribed" && (
      <button
        type="submit"
        class="btn quiet sm"
        id={`reactivate-${id}`}
        formaction={`${path}/reactivate`}
        aria-label={`Reactivate ${email}`}
        title="Only if they asked you to"
      >
        Reactivate
      </button>
    )}
    <a
      class="btn quiet sm icon-only"
      id={`delete-${id}`}
      href={`${path}/delete`}
      hx-get={`${path}/delete`}
      hx-target="#dialog"
      data-hotkey="#"
      aria-label={`Delete ${email}`}
      title="Delete"
    >
      <Icon name="trash-2" />
    </a>
  </>
);

const badges: Record<Status, JSX.Element> = {
  active: <Badge tone="good">Active</Badge>,
  unsubscribed: <Badge tone="off">Unsubscribed</Badge>,
  pending: <Badge tone="warn">Pending</Badge>,
  suppressed: <Badge tone="bad">Suppressed</Badge>,
};

/** The status of a subscriber as its badge. */
export const State = ({ subscriber }: Pick<ActionProps, "subscriber">) => badges[statusOf(subscriber)];
