import type { Broadcast } from "../../../../db/broadcasts/broadcasts";
import type { Counts } from "../../../../db/broadcasts/report/breakdown";
import type { Frame } from "../../../components/frame";
import { number } from "../../../components/list";
import { date } from "../../../components/time";
import type { Child } from "../../../jsx/jsx-runtime";
import { Crumb, Head } from "../../shell";
import { hasReports, isUnsent, path, titleOf } from "../state";

type BreakdownView = {
  frame: Frame;
  broadcast: Broadcast;
  sources: [source: string, counts: Counts][];
  days: { start: Date; counts: Omit<Counts, "people"> }[];
};

/** The figures of a report by source and day. What was never reported is not known (P168). */
export const BreakdownPage = ({ frame, broadcast, sources, days }: BreakdownView) => {
  const isKnown = hasReports(broadcast) || isUnsent(broadcast);
  return (
    <>
      <Crumb href={`${path}/${broadcast.id}`}>{titleOf(broadcast)}</Crumb>
      <Head title="By source and day" lead="The figures of the report, taken apart." />
      <div class="stack wide">
        <Figures title="By source" first="Source" people>
          {sources.map(([source, counts]) => (
            <Row name={source || "No source"} counts={counts} isKnown={isKnown} people={counts.people} />
          ))}
        </Figures>
        <Figures title="By day, for two weeks" first="Day">
          {days.map(({ start, counts }) => (
            <Row name={date(start, frame.preferences)} counts={counts} isKnown={isKnown} />
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

type RowProps = { name: string; counts: Omit<Counts, "people">; isKnown: boolean; people?: number };

const Row = ({ name, counts, isKnown, people }: RowProps) => (
  <tr>
    <th scope="row">{name}</th>
    {people !== undefined && <td class="num">{number(people)}</td>}
    {[counts.delivered, counts.bounced, counts.complained].map((count) => (
      <td class={isKnown ? "num" : "num none"}>{isKnown ? number(count) : "Not known"}</td>
    ))}
    <td class="num">{number(counts.unsubscribed)}</td>
  </tr>
);
