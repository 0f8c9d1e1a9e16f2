import { curveOf } from "./line-chart";

/** A line without axes, for the shape alone: what it says is in words beside it. Nothing, until there are two days. */
export const Sparkline = ({ values }: { values: number[] }) => {
  if (values.length < 2) return null;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const scale = { ticks: [], low, high: high > low ? high : low + 1 };
  return (
    <svg class="spark" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
      <path d={curveOf(values, scale)} />
    </svg>
  );
};
