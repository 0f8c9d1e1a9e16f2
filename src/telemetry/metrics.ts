import { gaugeHelp } from "./gauges";
import { seriesLines } from "./histogram";

export type Metrics = ReturnType<typeof createMetrics>;

const bounds = [1, 5, 10, 25, 50, 100, 250, 500, 1000, 5000]; // milliseconds

/** Metrics in the Prometheus text format 0.0.4. An area is the beginning of the path, so that there are few labels. */
export function createMetrics() {
  const requests = new Map<number, number>(); // see kindOf
  const buckets = new Array<number>(bounds.length + 1).fill(0);
  let milliseconds = 0;

  return {
    request(method: string, pathname: string, status: number, ms: number) {
      const kind = kindOf(method, pathname, status);
      requests.set(kind, (requests.get(kind) ?? 0) + 1);
      let bucket = 0;
      while (bucket < bounds.length && ms > (bounds[bucket] ?? 0)) bucket++;
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
      milliseconds += ms;
    },
    /** @param gauges current values by name, without the prefix, with labels if any */
    text(gauges: Record<string, number>): string {
      const lines = [
        "# HELP postroom_requests_total HTTP requests by method, area and status",
        "# TYPE postroom_requests_total counter",
      ];
      for (const [kind, count] of requests) lines.push(`postroom_requests_total{${labelsOf(kind)}} ${count}`);
      lines.push("# HELP postroom_request_seconds Response times", "# TYPE postroom_request_seconds histogram");
      const count = buckets.reduce((sum, n) => sum + n, 0);
      lines.push(...seriesLines("postroom_request_seconds", "", bounds, { buckets, sum: milliseconds, count }));
      const families = Map.groupBy(Object.entries(gauges), ([name]) => name.split("{")[0] ?? "");
      for (const [family, values] of families)
        lines.push(
          `# HELP postroom_${family} ${gaugeHelp[family]}`,
          `# TYPE postroom_${family} gauge`,
          ...values.map(([name, value]) => `postroom_${name} ${value}`),
        );
      return `${lines.join("\n")}\n`;
    },
  };
}

const methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "other"];
const areas = ["/api/v1", "/api/newsletter", "/api/contact", "/api/posts", "/api/projects", "/dashboard", "/assets"];

/** Encodes method, area and status in one number, so that counting a request creates no strings. */
function kindOf(method: string, pathname: string, status: number): number {
  const index = methods.indexOf(method);
  let area = 0;
  while (area < areas.length && !pathname.startsWith(areas[area] ?? "")) area++;
  return ((index < 0 ? methods.length - 1 : index) * 100 + area) * 1_000 + status;
}

const labelsOf = (kind: number) => {
  const [method, area, status] = [Math.floor(kind / 100_000), Math.floor(kind / 1_000) % 100, kind % 1_000];
  return `method="${methods[method]}",area="${areas[area] ?? "other"}",status="${status}"`;
};
