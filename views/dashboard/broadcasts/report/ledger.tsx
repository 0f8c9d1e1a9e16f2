import type { Broadcast } from "../../../../db/broadcasts/broadcasts";
import { ledgerOf, reportsOf } from "../../../../db/broadcasts/ledger";
import { helps } from "../../../components/help";
import { number, plural } from "../../../components/list";
import { path } from "../state";

/** Formats a percentage: "99.2%", "0.02%", "< 0.01%". */
export function shareOf(count: number, of: number): string {
  if (!of || !count) return "0%";
  const percent = (count / of) * 100;
  if (percent < 0.01) return "< 0.01%";
  if (percent > 99.9 && count < of) return "> 99.9%";
  const digits = percent < 0.1 ? 2 : percent < 10 || percent % 1 ? 1 : 0;
  return `${Number(percent.toFixed(digits))}%`;
}

/** A total and its parts; `act` begins a part of the story. */
type Lines = { act?: string; sum: Line; parts: Line[] };
type Line = { name: string; count: number | undefined; outcome?: string };

/** What became of the emails. The parts of each group add up to its total, and lead to the people unless `isLinked` is false. */
export const Ledger = ({ broadcast, isLinked = true }: { broadcast: Broadcast; isLinked?: boolean }) => {
  const groups = groupsOf(broadcast);
  const chosen = groups[0]?.sum.count ?? 0;
  const zeros = groups.flatMap(({ parts }) => parts.filter(({ count }) => isAside(parts, count))).length;
  const hasDetails = !broadcast.detailGoneAt;
  const recipients = hasDetails && isLinked ? `${path}/${broadcast.id}/recipients` : undefined;
  return (
    <section class="card" aria-labelledby="ledger-title">
      <header>
        <h2 id="ledger-title">Delivery</h2>
        {hasDetails && <a href={`${path}/${broadcast.id}/figures`}>By source and day</a>}
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
        {zeros > 0 && (
          <label class="check">
            <input type="checkbox" id="show-zeros" />
            <span>Show {plural(zeros, "outcome")} that no one had</span>
          </label>
        )}
        <Terms />
        <p class="hint">{helps.notMeasured.text}</p>
      </div>
    </section>
  );
};

/** What was never reported is not known. */
function groupsOf(broadcast: Broadcast): Lines[] {
  const { skipped, refusedBounces, unsubscribed, state } = broadcast;
  const { recipients, accepted, simulated, refused, uncertain, left, waiting } = ledgerOf(broadcast);
  const { delivered, bounced, softBounced, complained, unreported } = reportsOf(broadcast);
  return [
    {
      act: "Handed over",
      sum: { name: "Recipients", count: recipients },
      parts: [
        { name: "Accepted by the provider", count: accepted, outcome: "accepted" },
        ...(simulated ? [{ name: "Simulated", count: simulated, outcome: "simulated" }] : []),
        { name: "Refused by the provider", count: refused, outcome: "failed" },
        { name: "Uncertain", count: uncertain, outcome: "uncertain" },
        { name: nameOfLeft(state), count: left, ...(skipped && { outcome: "skipped" }) },
        ...(waiting ? [{ name: "Waiting for a response", count: waiting }] : []),
      ],
    },
    ...refusals(refused, refusedBounces),
    {
      act: "Arrived",
      sum: { name: "Accepted by the provider", count: accepted },
      parts: [
        { name: "Delivered", count: delivered, outcome: "delivered" },
        { name: "Bounced, permanent", count: bounced, outcome: "bounced" },
        { name: "Bounced, temporary", count: softBounced, outcome: "soft" },
        { name: "No report yet", count: unreported, outcome: "unreported" },
      ],
    },
    {
      act: "Afterwards",
      sum:
        delivered === undefined
          ? { name: "Accepted by the provider", count: accepted }
          : { name: "Delivered", count: delivered },
      parts: [
        { name: "Unsubscribed", count: unsubscribed, outcome: "unsubscribed" },
        { name: "Complained", count: complained, outcome: "complained" },
      ],
    },
  ];
}

const refusals = (refused: number, refusedBounces: number): Lines[] =>
  refused
    ? [
        {
          sum: { name: "Refused by the provider", count: refused },
          parts: [
            { name: "Address does not exist", count: refusedBounces },
            { name: "Other reasons", count: refused - refusedBounces },
          ],
        },
      ]
    : [];

const nameOfLeft = (state: Broadcast["state"]) =>
  state === "cancelled" ? "Not sent, or unsubscribed first" : "Unsubscribed first";

const leastForShares = 100;

/** An outcome that no one had, beside one that someone had: told when it is asked for. What is not known is not zero. */
const isAside = (parts: Line[], count: number | undefined) => count === 0 && parts.some((part) => part.count !== 0);

type GroupProps = Lines & { path: string | undefined; hasShares: boolean };

const Group = ({ act, sum, parts, path, hasShares }: GroupProps) => (
  <tbody>
    {act && (
      <tr class="act">
        <th scope="rowgroup" colspan={hasShares ? "3" : "2"}>
          {act}
        </th>
      </tr>
    )}
    <tr class="sum">
      <th scope="row">{sum.name}</th>
      <td class="num">{number(sum.count ?? 0)}</td>
      {hasShares && <td class="num share" />}
    </tr>
    {parts.map(({ name, count, outcome }) => (
      <tr class={isAside(parts, count) ? "part zero" : "part"}>
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
  ["Unsubscribed first", "Unsubscribed or suppressed after you confirmed. They got nothing."],
  ["Uncertain", "No answer came. They may have it or not."],
  ["Refused", "The provider did not take the email. They do not have it."],
  ["Bounced, permanent", "Accepted at first, but the address does not exist. It gets no more emails."],
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
