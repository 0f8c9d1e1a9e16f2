import type { Broadcast } from "../../../../db/broadcasts/broadcasts";
import { number } from "../../../components/list";
import { hasReports } from "../state";
import { shareOf } from "../share";
import type { Brakes } from "./view";

/** Bars that fill towards the limits, so that a manager sees a pause coming. */
export const SafetyLimits = ({ broadcast, brakes }: { broadcast: Broadcast; brakes: Brakes }) => {
  const { delivered, bounced, complained } = broadcast;
  return (
    <section class="card" aria-labelledby="brakes-title">
      <header>
        <h2 id="brakes-title">Safety limits</h2>
      </header>
      <div class="body">
        {hasReports(broadcast) ? (
          <div class="brakes">
            <Brake name="Bounced" count={bounced} of={delivered + bounced} share={brakes.bounces.share} />
            <Brake name="Complained" count={complained} of={delivered} share={brakes.complaints.share} />
          </div>
        ) : (
          <p>Not known: nothing has been reported about delivery.</p>
        )}
        <p class="hint">
          From {number(brakes.from)} emails on, too many bounces or complaints pause the broadcast, to protect your
          sender reputation.
        </p>
      </div>
    </section>
  );
};

type BrakeProps = { name: string; count: number; of: number; share: number };

const Brake = ({ name, count, of, share }: BrakeProps) => {
  const words = `${number(count)} of ${number(of)}, ${shareOf(count, of)}`;
  const limit = `pauses above ${shareOf(share, 1)}`;
  return (
    <div>
      <p class="spread">
        <span>{name}</span>
        <span class="unit">
          {words} · {limit}
        </span>
      </p>
      <progress
        class={count > share * of ? "bar over" : "bar"}
        max={String(share)}
        value={String(of ? Math.min(share, count / of) : 0)}
        aria-label={`${name}: ${words}, ${limit}`}
      />
    </div>
  );
};
