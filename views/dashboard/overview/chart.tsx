import { number } from "../../components/list";
import { date } from "../../components/time";

export type Day = { start: Date; subscribed: number; unsubscribed: number };

/** Of seven units of height five go up and two go down, so the two axes share one scale and round numbers. */
const up = 50;
const down = 20;
const width = 10;

/** A round number that is at least `n`, and of which two fifths are whole. */
function ceiling(n: number): number {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(n, 1)) - 0.699));
  const step = 5 * power;
  return Math.max(5, Math.ceil(n / step) * step);
}

/**
 * Who came, upwards, and who went, downwards, day by day. The drawing stretches and the words around it do not. For
 * people who cannot see it the title sums it up, and the table below it has every number.
 */
export function TrafficChart({ days, timeZone }: { days: Day[]; timeZone: string }) {
  const top = ceiling(
    Math.max(...days.map(({ subscribed, unsubscribed }) => Math.max(subscribed, unsubscribed * 2.5))),
  );
  const total = (of: "subscribed" | "unsubscribed") => number(days.reduce((sum, day) => sum + day[of], 0));
  const dayOf = ({ start }: Day) => date(start, timeZone);
  const [first, middle, last] = [days[0], days[Math.floor(days.length / 2)], days.at(-1)];
  return (
    <figure class="chart">
      <p class="key">
        <span class="came">{total("subscribed")} subscribed</span>
        <span class="went">{total("unsubscribed")} unsubscribed</span>
      </p>
      <div class="plot">
        <div class="ticks" aria-hidden="true">
          <span>{number(top)}</span>
          <span>0</span>
          <span>{number(top * 0.4)}</span>
        </div>
        <svg
          viewBox={`0 0 ${days.length * width} ${up + down}`}
          preserveAspectRatio="none"
          role="img"
          aria-labelledby="chart-title"
        >
          <title id="chart-title">
            In the last {String(days.length)} days {total("subscribed")} people subscribed and {total("unsubscribed")}{" "}
            unsubscribed.
          </title>
          <path class="grid" d={`M0 0H${days.length * width}M0 ${up / 2}H${days.length * width}`} />
          {days.map((day, i) => (
            <Bars day={day} at={i * width} scale={up / top} name={dayOf(day)} />
          ))}
          <path class="base" d={`M0 ${up}H${days.length * width}`} />
        </svg>
      </div>
      <div class="dates" aria-hidden="true">
        {[first, middle, last].map((day) => day && <span>{dayOf(day).replace(/ \d{4}$/, "")}</span>)}
      </div>
      <details>
        <summary>Show as a table</summary>
        <DayTable days={days} dayOf={dayOf} />
      </details>
    </figure>
  );
}

const Bars = ({ day, at, scale, name }: { day: Day; at: number; scale: number; name: string }) => (
  <g>
    <title>
      {name}: {number(day.subscribed)} subscribed, {number(day.unsubscribed)} unsubscribed
    </title>
    <rect class="hit" x={at} y={0} width={width} height={up + down} />
    <rect class="came" x={at + 2} y={up - day.subscribed * scale} width={width - 4} height={day.subscribed * scale} />
    <rect class="went" x={at + 2} y={up} width={width - 4} height={day.unsubscribed * scale} />
  </g>
);

const DayTable = ({ days, dayOf }: { days: Day[]; dayOf: (day: Day) => string }) => (
  <table class="table">
    <caption class="sr">New and lost subscribers per day</caption>
    <thead>
      <tr>
        <th scope="col">Day</th>
        <th scope="col" class="num">
          Subscribed
        </th>
        <th scope="col" class="num">
          Unsubscribed
        </th>
      </tr>
    </thead>
    <tbody>
      {days.toReversed().map((day) => (
        <tr>
          <th scope="row">{dayOf(day)}</th>
          <td class="num">{number(day.subscribed)}</td>
          <td class="num">{number(day.unsubscribed)}</td>
        </tr>
      ))}
    </tbody>
  </table>
);
