import { bouncesOf, brakes, complaintsOf, type Sample } from "../../../../db/broadcasts/brakes";
import type { Broadcast } from "../../../../db/broadcasts/broadcasts";
import { reportsOf } from "../../../../db/broadcasts/ledger";
import { number } from "../../../components/list";
import { shareOf } from "../share";

/** Bars that fill towards the limits, so that a manager sees a pause coming. */
export const SafetyLimits = ({ broadcast }: { broadcast: Broadcast }) => {
  const [reports, bounces] = [reportsOf(broadcast), bouncesOf(broadcast)];
  return (
    <section class="card" aria-labelledby="brakes-title">
      <header>
        <h2 id="brakes-title">Safety limits</h2>
      </header>
      <div class="body">
        <div class="brakes">
          <Brake
            name="Addresses that do not exist"
            sample={reports.bounced !== undefined || bounces.count > 0 ? bounces : undefined}
            share={brakes.bounces.share}
          />
          <Brake
            name="Complained"
            sample={reports.complained === undefined ? undefined : complaintsOf(broadcast)}
            share={brakes.complaints.share}
          />
        </div>
        <p class="hint">
          From {number(brakes.from)} emails on, too many bounces or complaints pause the broadcast, to protect your
          sender reputation.
          {broadcast.reviewedAnswered > 0 && " The figures are those since it was last resumed."}
        </p>
      </div>
    </section>
  );
};

/** @param sample undefined: nothing was reported */
type BrakeProps = { name: string; sample: Sample | undefined; share: number };

const Brake = ({ name, sample, share }: BrakeProps) => {
  const { count, of } = sample ?? { count: 0, of: 0 };
  const words = sample ? `${number(count)} of ${number(of)}, ${shareOf(count, of)}` : "Not known";
  const limit = `pauses above ${shareOf(share, 1)}`;
  return (
    <div>
      <p class="spread">
        <span>{name}</span>
        <span class="unit">
          {words} · {limit}
        </span>
      </p>
      {sample && (
        <progress
          class={count > share * of ? "bar over" : "bar"}
          max={String(share)}
          value={String(of ? Math.max(0, Math.min(share, count / of)) : 0)}
          aria-label={`${name}: ${words}, ${limit}`}
        />
      )}
    </div>
  );
};
