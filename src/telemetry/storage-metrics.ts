import { histogram, labelValue } from "./histogram";

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
