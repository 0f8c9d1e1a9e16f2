import { timeOfMinute } from "../../../db/lib/time";
import type { StepWithBroadcast } from "../../../db/sequences/sequences";
import { Icon } from "../../components/icon";
import { number, plural } from "../../components/list";
import { paths } from "../../paths";
import { titleOf } from "../broadcasts/state";

/** An email, and how many people wait for it. */
export type StepRow = StepWithBroadcast & { waiting: number; held: number; underWay: number };
/** "2 days later, at 09:00". */
export function waitWords({ waitHours, atMinute }: StepWithBroadcast["step"], isFirst: boolean): string {
  const isDays = atMinute !== null || waitHours % 24 === 0;
  const span = isDays ? plural(waitHours / 24, "day") : plural(waitHours, "hour");
  const later = isFirst ? `${span} after the beginning` : `${span} later`;
  if (atMinute === null) return waitHours === 0 ? "Immediately" : later;
  const time = timeOfMinute(atMinute);
  return waitHours === 0 ? `At the next ${time}` : `${later}, at ${time}`;
}

/** Whether its version has no email before this one. */
export const isFirstOf = (rows: StepRow[], { edition, position }: StepRow["step"]) =>
  !rows.some(({ step }) => step.edition === edition && step.position < position);

type FlowView = {
  rows: StepRow[];
  /** The version that whoever begins now gets. */
  edition: number;
  people: { entered: number; done: number };
};

/** The emails in their order. People are in the waits before them, because that is where they are. */
export const Flow = ({ rows, edition, people }: FlowView) => (
  <ol class="flow">
    {rows.map((row, at) => (
      <li>
        <Wait row={row} isFirst={isFirstOf(rows, row.step)} entered={people.entered} />
        <Email row={row} place={at + 1} isEarlier={row.step.edition < edition} />
      </li>
    ))}
    {rows.every(({ step }) => step.edition === edition) && (
      <li class="finish">{people.done === 0 ? "No one has finished yet." : `${number(people.done)} finished.`}</li>
    )}
  </ol>
);

/** How many people wait for an email, and what part of everyone that is. */
const Wait = ({
  row: { step, broadcast, ...row },
  isFirst,
  entered,
}: {
  row: StepRow;
  isFirst: boolean;
  entered: number;
}) => {
  const here = row.waiting + row.held + row.underWay;
  return (
    <div class="wait">
      <span>
        <Icon name="clock" />
        {waitWords(step, isFirst)}
      </span>
      <progress
        class="bar"
        max={String(Math.max(entered, 1))}
        value={String(here)}
        aria-label={`Waiting for ${titleOf(broadcast)}`}
      />
      <span class={here === 0 ? "none" : "here"}>
        {`${number(here)} waiting`}
        {row.held > 0 && <span class="sub">{number(row.held)} of them paused</span>}
      </span>
    </div>
  );
};

const Email = ({ row: { step, broadcast }, place, isEarlier }: { row: StepRow; place: number; isEarlier: boolean }) => (
  <div class="card email">
    <span class="place" aria-hidden="true">
      {String(place)}
    </span>
    <div class="main">
      <a class="who" href={`${paths.broadcasts}/${broadcast.id}`} id={`open-${broadcast.id}`}>
        {titleOf(broadcast)}
      </a>
      {isEarlier && <span class="sub">Version {String(step.edition)}</span>}
      <Trouble broadcast={broadcast} />
    </div>
    <span class="sent">{number(sentOf(broadcast))} sent</span>
  </div>
);

const sentOf = ({ accepted, uncertain, simulated }: StepWithBroadcast["broadcast"]) => accepted + uncertain + simulated;

const Trouble = ({ broadcast: { failed, uncertain, bounced, complained } }: Pick<StepRow, "broadcast">) => {
  const problems = [
    uncertain > 0 && `${number(uncertain)} uncertain`,
    failed > 0 && `${number(failed)} refused`,
    bounced > 0 && `${number(bounced)} bounced`,
    complained > 0 && plural(complained, "complaint"),
  ].filter((words) => words !== false);
  return problems.length ? <span class="sub">{problems.join(", ")}</span> : null;
};
