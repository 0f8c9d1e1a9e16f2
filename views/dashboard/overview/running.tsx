import type { Broadcast } from "../../../db/broadcasts/broadcasts";
import { ledgerOf } from "../../../db/broadcasts/ledger";
import { number } from "../../components/list";
import { paths } from "../../paths";
import { Bar, BroadcastBadge, handedOver, hasReports, path, titleOf } from "../broadcasts/state";

/** A broadcast being sent, and "About 27 minutes" once its pace is known. */
type Run = { broadcast: Broadcast; left: string | undefined };

/** The broadcasts being sent. poll.js reloads this while there are any. */
export const Running = ({ runs }: { runs: Run[] }) => (
  <div id="running" class="stack wide" {...(runs.length > 0 && { "data-poll": paths.running })}>
    {runs.map((run) => (
      <RunCard {...run} />
    ))}
  </div>
);

const RunCard = ({ broadcast, left }: Run) => {
  const { id, bounced, softBounced } = broadcast;
  const { recipients, refused } = ledgerOf(broadcast);
  const href = `${path}/${id}`;
  return (
    <section class="card run" id={`run-${id}`} aria-labelledby={`run-title-${id}`}>
      <header>
        <h2 id={`run-title-${id}`}>{titleOf(broadcast)}</h2>
        <BroadcastBadge state={broadcast.state} />
      </header>
      <div class="body">
        <Bar broadcast={broadcast} />
        <p class="dot-row">
          <span>
            <strong>{number(handedOver(broadcast))}</strong> of {number(recipients)} people
          </span>
          {left && <span>{left} left</span>}
          {refused > 0 && <span>{number(refused)} refused</span>}
          {hasReports(broadcast) && <span>{number(bounced + softBounced)} bounced</span>}
          <a href={href}>View progress</a>
        </p>
      </div>
    </section>
  );
};
