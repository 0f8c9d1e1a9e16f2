import type { Broadcast } from "../../../../db/broadcasts/broadcasts";
import { number, plural } from "../../../components/list";
import { shareOf } from "../share";
import { hasReports, isUnsent, path, settledOf } from "../state";

type Line = { name: string; count: number | undefined; outcome?: string };

/** What became of the emails. The parts of each group add up to its total. */
export const Ledger = ({ broadcast }: { broadcast: Broadcast }) => {
  const groups = groupsOf(broadcast);
  const chosen = groups[0]?.sum.count ?? 0;
  const recipients = broadcast.detailGoneAt ? undefined : `${path}/${broadcast.id}/recipients`;
  return (
    <section class="card" aria-labelledby="ledger-title">
      <header>
        <h2 id="ledger-title">Where the emails went</h2>
        {recipients && <a href={`${path}/${broadcast.id}/figures`}>By source and day</a>}
      </header>
      <div class="body">
        <table class="ledger">
          <caption class="sr">What became of {plural(chosen, "email")}</caption>
          <thead>
            <tr>
              <th scope="col">Outcome</th>
              <th scope="col" class="num">
                People
              </th>
              {chosen >= leastForShares && (
                <th scope="col" class="num">
                  Share
                </th>
              )}
            </tr>
          </thead>
          {groups.map((group) => (
            <Group {...group} path={recipients} hasShares={chosen >= leastForShares} />
          ))}
        </table>
        <Terms />
        <p class="hint">
          Opens and clicks are not measured: email programs load pictures unread, and readers were not asked.
        </p>
      </div>
    </section>
  );
};

/** What was never reported is not known. */
function groupsOf(broadcast: Broadcast): { sum: Line; parts: Line[] }[] {
  const { audience, accepted, simulated, uncertain, failed, skipped, delivered } = broadcast;
  const { bounced, softBounced, complained, unsubscribed } = broadcast;
  const isKnown = hasReports(broadcast) || isUnsent(broadcast);
  const known = (count: number) => (isKnown ? count : undefined);
  const chosen = Math.max(audience ?? 0, settledOf(broadcast));
  const left = chosen - accepted - simulated - uncertain - failed;
  const unreported = Math.max(0, accepted - delivered - bounced - softBounced);
  return [
    {
      sum: { name: "Chosen", count: chosen },
      parts: [
        { name: "Accepted by the provider", count: accepted, outcome: "accepted" },
        ...(simulated ? [{ name: "Simulated", count: simulated, outcome: "simulated" }] : []),
        { name: nameOfRest(broadcast), count: left, ...(skipped && { outcome: "skipped" }) },
        { name: "Uncertain", count: uncertain, outcome: "uncertain" },
        { name: "Failed", count: failed, outcome: "failed" },
      ],
    },
    {
      sum: { name: "Accepted by the provider", count: accepted },
      parts: [
        { name: "Delivered", count: known(delivered), outcome: "delivered" },
        { name: "Bounced, permanent", count: known(bounced), outcome: "bounced" },
        { name: "Bounced, temporary", count: known(softBounced), outcome: "soft" },
        { name: "No report yet", count: known(unreported), outcome: "unreported" },
      ],
    },
    {
      sum: isKnown ? { name: "Delivered", count: delivered } : { name: "Accepted by the provider", count: accepted },
      parts: [
        { name: "Unsubscribed", count: unsubscribed, outcome: "unsubscribed" },
        { name: "Complained", count: known(complained), outcome: "complained" },
      ],
    },
  ];
}

const nameOfRest = ({ state }: Broadcast) =>
  state === "cancelled" ? "Not sent, or left before their turn" : "Left before their turn";

const leastForShares = 100;

type GroupProps = { sum: Line; parts: Line[]; path: string | undefined; hasShares: boolean };

const Group = ({ sum, parts, path, hasShares }: GroupProps) => (
  <tbody>
    <tr class="sum">
      <th scope="row">{sum.name}</th>
      <td class="num">{number(sum.count ?? 0)}</td>
      {hasShares && <td class="num share" />}
    </tr>
    {parts.map(({ name, count, outcome }) => (
      <tr class="part">
        <th scope="row">{path && outcome && count ? <a href={`${path}?outcome=${outcome}`}>{name}</a> : name}</th>
        <td class={count === undefined ? "num none" : "num"}>{count === undefined ? "Not known" : number(count)}</td>
        {hasShares && (
          <td class="num share">
            {count !== undefined && (sum.count ?? 0) >= leastForShares && shareOf(count, sum.count ?? 0)}
          </td>
        )}
      </tr>
    ))}
  </tbody>
);

const terms = [
  ["Accepted", "The provider took the email over."],
  ["Left before their turn", "Unsubscribed or suppressed after you confirmed. They got nothing."],
  ["Uncertain", "No answer came. They may have it or not."],
  ["Failed", "The provider refused it. They do not have it."],
  ["Bounced, permanent", "The address does not exist. It gets no more emails."],
  ["No report yet", "Neither a delivery nor a bounce was reported."],
] as const;

const Terms = () => (
  <details>
    <summary>What these terms mean</summary>
    <dl class="facts">
      {terms.map(([term, meaning]) => (
        <>
          <dt>{term}</dt>
          <dd>{meaning}</dd>
        </>
      ))}
    </dl>
  </details>
);
