/** The periods of a chart, as in `?days=`. */
const periods = ["7", "30", "90", "365", "all"] as const;
export type Period = (typeof periods)[number];

const names: Record<Period, string> = {
  7: "7 days",
  30: "30 days",
  90: "90 days",
  365: "1 year",
  all: "All",
};

/** "in 90 days", "in a year" or "in all". */
export const inPeriod = (period: Period) =>
  period === "all" ? "in all" : period === "365" ? "in a year" : `in ${period} days`;

type PeriodLinksProps = { path: string; period: Period; target: string };

/** Links to the periods. With htmx, only the chart changes, and the focus stays. */
export const PeriodLinks = ({ path, period, target }: PeriodLinksProps) => (
  <nav class="segments" aria-label="Period">
    {periods.map((each) => (
      <a
        id={`${target}-${each}`}
        href={`${path}?days=${each}#${target}`}
        hx-get={`${path}?days=${each}`}
        hx-target={`#${target}`}
        hx-swap="outerHTML"
        hx-push-url="true"
        aria-current={each === period ? "true" : undefined}
      >
        {names[each]}
      </a>
    ))}
  </nav>
);
