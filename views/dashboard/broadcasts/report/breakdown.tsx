import type { Broadcast } from "../../../../db/broadcasts/broadcasts";
import { type Reports, reportsOf } from "../../../../db/broadcasts/ledger";
import type { Counts } from "../../../../db/broadcasts/report/breakdown";
import type { Frame } from "../../../components/frame";
import { number } from "../../../components/list";
import { date } from "../../../components/time";
import type { Child } from "../../../jsx/jsx-runtime";
import { Crumb, Head } from "../../shell";
import { path, titleOf } from "../state";

type BreakdownView = {
  frame: Frame;
  broadcast: Broadcast;
  sources: [source: string, counts: Counts][];
  days: { start: Date; counts: Omit<Counts, "people"> }[];
};

/** The figures of a report by source and day. What was never reported is not known. */
export const BreakdownPage = ({ frame, broadcast, sources, days }: BreakdownView) => {
  const reports = reportsOf(broadcast);
  return (
    <>
      <Crumb href={`${path}/${broadcast.id}`}>{titleOf(broadcast)}</Crumb>
      <Head title="By source and day" lead="The figures of the report, taken apart." />
      <div class="stack wide">
        <Figures title="By source" first="Source" people>
          {sources.map(([source, counts]) => (
            <Row name={source || "No source"} counts={counts} reports={reports} people={counts.people} />
          ))}
        </Figures>
        <Figures title="By day, for two weeks" first="Day">
          {days.map(({ start, counts }) => (
            <Row name={date(start, frame.preferences)} counts={counts} reports={reports} />
          ))}
        </Figures>
      </div>
    </>
  );
};

const columns = ["Delivered", "Bounced", "Complained", "Unsubscribed"];

type FiguresProps = { title: string; first: string; people?: boolean; children?: Child };

const Figures = ({ title, first, people, children }: FiguresProps) => (
  <div class="card">
    <header>
      <h2>{title}</h2>
    </header>
    <div class="body scroll-x" role="region" aria-label={title} tabindex="0">
      <table class="ledger">
        <caption class="sr">{title}</caption>
        <thead>
          <tr>
            <th scope="col">{first}</th>
            {[...(people ? ["People"] : []), ...columns].map((column) => (
              <th scope="col" class="num">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  </div>
);

type RowProps = { name: string; counts: Omit<Counts, "people">; reports: Reports; people?: number };

const reported = ["delivered", "bounced", "complained"] as const;

const Row = ({ name, counts, reports, people }: RowProps) => (
  <tr>
    <th scope="row">{name}</th>
    {people !== undefined && <td class="num">{number(people)}</td>}
    {reported.map((event) =>
      reports[event] === undefined ? <td class="num none">Not known</td> : <td class="num">{number(counts[event])}</td>,
    )}
    <td class="num">{number(counts.unsubscribed)}</td>
  </tr>
);
