import { bucketsOf } from "../../components/charts/days";
import { number } from "../../components/list";
import type { DateStyle } from "../../components/time";
import { type GrowthDay, sumOf } from "./growth-days";

const columns = ["Joined", "Imported", "Unsubscribed", "Suppressed", "Deleted", "Active"];

/** The same figures, newest first. In each row, the previous total and the changes add up to the new total. */
export const GrowthTable = ({ days, dates }: { days: GrowthDay[]; dates: DateStyle }) => {
  const first = days[0]?.day ?? 0;
  const { buckets, unit } = bucketsOf(first, first + days.length - 1, dates);
  return (
    <div class="scroll-x" role="region" aria-label="Subscribers as a table" tabindex="0">
      <table class="table">
        <caption class="sr">Subscribers, newest first. Days are in UTC.</caption>
        <thead>
          <tr>
            <th scope="col">{unit}</th>
            {columns.map((column) => (
              <th scope="col" class="num">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {buckets.toReversed().map(({ from, to, name }) => (
            <Row name={name} days={days.slice(from - first, to - first + 1)} />
          ))}
        </tbody>
      </table>
    </div>
  );
};

const Row = ({ name, days }: { name: string; days: GrowthDay[] }) => {
  const imported = sumOf(days, "imported");
  const figures = [
    sumOf(days, "joined") - imported,
    imported,
    sumOf(days, "unsubscribed"),
    sumOf(days, "suppressed"),
    sumOf(days, "deleted"),
  ];
  return (
    <tr>
      <th scope="row">{name}</th>
      {[...figures, days.at(-1)?.total ?? 0].map((figure) => (
        <td class="num">{number(figure)}</td>
      ))}
    </tr>
  );
};
