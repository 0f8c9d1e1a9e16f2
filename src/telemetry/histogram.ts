type Series = { buckets: number[]; sum: number; count: number };

/** Escapes a label value for the Prometheus text format. */
export const labelValue = (text: string) =>
  text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");

/**
 * One series in the Prometheus text format, whose buckets are cumulative. It is measured in milliseconds, and told in
 * seconds, the base unit of Prometheus.
 *
 * @param labels "" for none
 */
export function seriesLines(name: string, labels: string, bounds: readonly number[], { buckets, sum, count }: Series) {
  let below = 0;
  const before = labels && `${labels},`;
  const own = labels && `{${labels}}`;
  return [
    ...bounds.map((bound, at) => `${name}_bucket{${before}le="${bound / 1_000}"} ${(below += buckets[at] ?? 0)}`),
    `${name}_bucket{${before}le="+Inf"} ${count}`,
    `${name}_sum${own} ${(sum / 1_000).toFixed(4)}`,
    `${name}_count${own} ${count}`,
  ];
}

/** A distribution of durations for each set of labels. @param bounds upper bounds of the buckets in milliseconds, ascending */
export function histogram(name: string, help: string, bounds: readonly number[]) {
  const all = new Map<string, Series>();

  return {
    observe(labels: Record<string, string>, value: number): void {
      const key = Object.entries(labels)
        .map(([label, text]) => `${label}="${labelValue(text)}"`)
        .join(",");
      const series = all.get(key) ?? { buckets: bounds.map(() => 0), sum: 0, count: 0 };
      all.set(key, series);
      const bucket = bounds.findIndex((bound) => value <= bound);
      if (bucket >= 0) series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1;
      series.sum += value;
      series.count++;
    },
    /** In the text format of Prometheus. */
    lines: (): string[] => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} histogram`,
      ...[...all].flatMap(([labels, series]) => seriesLines(name, labels, bounds, series)),
    ],
  };
}
