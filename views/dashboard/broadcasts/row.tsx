import type { Broadcast } from "../../../db/broadcasts/broadcasts";
import { ledgerOf } from "../../../db/broadcasts/ledger";
import type { Frame } from "../../components/frame";
import { number, plural } from "../../components/list";
import { Pick } from "../../components/lists/table";
import { RowButton } from "../../components/lists/row-button";
import { TrashButton } from "../../components/lists/trash-button";
import { Bar, BroadcastBadge, handedOver, hasReports, isUnsent, path, reasonOf, titleOf, When } from "./state";

export type BroadcastRow = { broadcast: Broadcast; audienceWords: string };

/** One broadcast in the list. */
export function Row({ row: { broadcast, audienceWords }, frame }: { row: BroadcastRow; frame: Frame }) {
  const { id, state } = broadcast;
  const title = titleOf(broadcast);
  return (
    <tr role="row" id={`broadcast-${id}`}>
      <Pick id={id} label={title} />
      <td class="main" role="cell">
        <a class="who" href={`${path}/${id}`} id={`open-${id}`}>
          {title}
        </a>
        <span class="sub">{audienceWords}</span>
      </td>
      <td class="state" role="cell">
        <BroadcastBadge state={state} />
      </td>
      <td class="extra people" role="cell">
        <People broadcast={broadcast} />
      </td>
      <td class="extra trouble" role="cell">
        <Trouble broadcast={broadcast} />
      </td>
      <td class="when" role="cell">
        <When broadcast={broadcast} frame={frame} />
      </td>
      <td class="acts" role="cell">
        <Buttons broadcast={broadcast} />
      </td>
    </tr>
  );
}

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
          {state === "paused" && `Paused: ${reasonOf(broadcast)}`}
        </span>
      )}
    </>
  );
}

/** What went wrong, worst first. What was never reported is not known, which differs from zero. */
function Trouble({ broadcast }: { broadcast: Broadcast }) {
  const { state, uncertain, failed, bounced, complained, simulated, uncertainReviewedAt } = broadcast;
  if (state === "draft" || state === "scheduled") return <span class="none">–</span>;
  const found = [
    failed > 0 && `${number(failed)} refused`,
    bounced > 0 && `${number(bounced)} bounced`,
    complained > 0 && plural(complained, "complaint"),
  ].filter((words) => words !== false);
  if (uncertain > 0 && !uncertainReviewedAt) found.unshift(`${number(uncertain)} uncertain`);
  const [first, ...others] = found;
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
    <>
      <RowButton id={`copy-${id}`} action={`${path}/${id}/copy`} label={`Copy ${title}`} title="Copy" icon="copy" />
      {(state === "draft" || state === "cancelled") && <TrashButton id={id} title={title} path={path} />}
    </>
  );
};
