export type Calls = ReturnType<typeof callMetrics>;

const bounds = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000]; // milliseconds

const maxSeries = 1_000; // servers choose their own error codes

/** How uploads can end. */
const ends = ["completed", "aborted"] as const;
type End = (typeof ends)[number];

/** Metrics of calls to storage nodes: their duration and failures, and how uploads ended. */
export function callMetrics() {
  const latency = histogram("postroom_storage_call_seconds", "Response times of storage nodes", bounds);
  const failures = new Map<string, number>();
  const ended = { completed: { uploads: 0, bytes: 0 }, aborted: { uploads: 0, bytes: 0 } };
  const totals = (name: string, help: string, of: "uploads" | "bytes") => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} counter`,
    ...ends.map((end) => `${name}{outcome="${end}"} ${ended[end][of]}`),
  ];

  return {
    took: (node: string, operation: string, milliseconds: number) => latency.observe({ node, operation }, milliseconds),
    failed(node: string, code: string): void {
      const labels = `node="${labelValue(node)}",code="${labelValue(code)}"`;
      if (failures.has(labels) || failures.size < maxSeries) failures.set(labels, (failures.get(labels) ?? 0) + 1);
    },
    /** An upload of `bytes` has ended. */
    ended(end: End, bytes: number): void {
      ended[end].uploads++;
      ended[end].bytes += bytes;
    },
    /** In the text format of Prometheus. */
    text: (): string =>
      [
        ...latency.lines(),
        "# HELP postroom_storage_failures_total Storage node errors by code",
        "# TYPE postroom_storage_failures_total counter",
        ...[...failures].map(([labels, count]) => `postroom_storage_failures_total{${labels}} ${count}`),
        ...totals("postroom_storage_uploads_total", "Uploads finished since start, by outcome", "uploads"),
        ...totals("postroom_storage_upload_bytes_total", "Bytes reserved for finished uploads, by outcome", "bytes"),
        "",
      ].join("\n"),
  };
}

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
