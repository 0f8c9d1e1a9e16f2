export type Metrics = ReturnType<typeof createMetrics>;

const bounds = [1, 5, 10, 25, 50, 100, 250, 500, 1000, 5000]; // milliseconds
const help: Record<string, string> = {
  postroom_requests_total: "HTTP requests by area and status",
  postroom_request_milliseconds: "Time to answer",
};

/** Figures for Prometheus (text format 0.0.4). An area is the first segments of a path, so that labels stay few. */
export function createMetrics() {
  const requests = new Map<string, number>();
  const buckets = new Array<number>(bounds.length + 1).fill(0);
  let total = 0;
  let milliseconds = 0;

  return {
    request(method: string, pathname: string, status: number, ms: number) {
      const labels = `method="${known(method)}",area="${areaOf(pathname)}",status="${status}"`;
      requests.set(labels, (requests.get(labels) ?? 0) + 1);
      const bucket = bounds.findIndex((bound) => ms <= bound);
      const index = bucket < 0 ? bounds.length : bucket;
      buckets[index] = (buckets[index] ?? 0) + 1;
      total++;
      milliseconds += ms;
    },
    /** @param gauges name without the prefix, perhaps with labels, to value, read just now */
    text(gauges: Record<string, number>): string {
      const lines = [
        `# HELP postroom_requests_total ${help.postroom_requests_total}`,
        "# TYPE postroom_requests_total counter",
      ];
      for (const [labels, count] of requests) lines.push(`postroom_requests_total{${labels}} ${count}`);
      lines.push(
        `# HELP postroom_request_milliseconds ${help.postroom_request_milliseconds}`,
        "# TYPE postroom_request_milliseconds histogram",
      );
      let below = 0;
      for (const [index, bound] of [...bounds, "+Inf"].entries()) {
        below += buckets[index] ?? 0;
        lines.push(`postroom_request_milliseconds_bucket{le="${bound}"} ${below}`);
      }
      lines.push(
        `postroom_request_milliseconds_sum ${milliseconds.toFixed(1)}`,
        `postroom_request_milliseconds_count ${total}`,
      );
      const families = Map.groupBy(Object.entries(gauges), ([name]) => name.split("{")[0]);
      for (const [family, values] of families)
        lines.push(`# TYPE postroom_${family} gauge`, ...values.map(([name, value]) => `postroom_${name} ${value}`));
      return `${lines.join("\n")}\n`;
    },
  };
}

const known = (method: string) =>
  ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"].includes(method) ? method : "other";

const areas = ["/api/v1", "/api/newsletter", "/api/contact", "/api/posts", "/api/projects", "/dashboard", "/assets"];
const areaOf = (pathname: string) => areas.find((area) => pathname.startsWith(area)) ?? "other";
