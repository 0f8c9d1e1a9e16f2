import type { Db, SharedStatistics } from "../../db/engine/open";
import type { DataMetrics } from "../../db/ops/health";
import { type DataLocation, diskSpace, isNearlyFull, littleSpaceText } from "../platform/data-dir";
import { labelValue, seriesLines } from "./storage-metrics";

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

/** Gauges by name, without the prefix "postroom_", with the labels of the Prometheus text format. */
type Gauges = Record<string, number>;

/** What each gauge is, by the name before its labels. */
const gaugeHelp: Record<string, string | undefined> = {
  subscribers: "Subscribers by status",
  mails_queued: "Waiting emails",
  mails_awaiting_turn: "Waiting emails to strangers, which the hourly limit may hold back",
  mails_uncertain: "Emails that may have arrived although no attempt was answered, and are not tried again",
  webhooks_queued: "Webhook deliveries waiting for an endpoint",
  webhook_endpoints: "Webhook endpoints by state",
  messages_quarantined: "Contact messages in quarantine",
  messages_unread: "Contact messages that no one has read",
  storage_reservations: "Uploads in progress by state",
  storage_bytes: "Used, reserved and configured bytes of each storage node",
  storage_node_up: "Whether the storage node works",
  broadcasts: "Broadcasts by state",
  broadcasts_paused: "Broadcasts that wait for the provider or an hourly limit",
  broadcast_recipients: "Recipients of all broadcasts by outcome",
  database_retries: "Transactions that were retried, by SQLSTATE",
  database_pool_in_use: "Statements and transactions that have a connection or wait for one",
  database_version_questions: "Queries for the changes of other processes",
  database_version_question_seconds: "How long these queries took in total",
  disk_bytes: "Free and total bytes of the disk of DATA_DIR",
  disk_nearly_full: `Whether the disk of DATA_DIR has ${littleSpaceText}`,
  resident_bytes: "Memory of the process",
  uptime_seconds: "Time since the process was started",
};

/** What the metrics say about the data (D42). */
export function dataGauges({
  broadcasts,
  nodes,
  reservations,
  subscribers,
  endpoints,
  ...counts
}: DataMetrics): Gauges {
  return {
    ...Object.fromEntries(subscribers.map(({ state, count }) => [`subscribers{state="${state}"}`, count])),
    mails_queued: counts.mailsQueued,
    mails_awaiting_turn: counts.mailsAwaitingTurn,
    mails_uncertain: counts.mailsUncertain,
    webhooks_queued: counts.webhooksQueued,
    ...Object.fromEntries(endpoints.map(({ state, count }) => [`webhook_endpoints{state="${state}"}`, count])),
    messages_quarantined: counts.messagesQuarantined,
    messages_unread: counts.messagesUnread,
    ...Object.fromEntries(reservations.map(({ state, count }) => [`storage_reservations{state="${state}"}`, count])),
    ...Object.fromEntries(
      broadcasts.recipients.map(([outcome, n]) => [`broadcast_recipients{outcome="${outcome}"}`, n]),
    ),
    ...Object.fromEntries(broadcasts.states.map(({ state, count }) => [`broadcasts{state="${state}"}`, count])),
    broadcasts_paused: broadcasts.paused,
    ...Object.assign({}, ...nodes.map(nodeGauges)),
  };
}

function nodeGauges({ name, usedBytes, reservedBytes, capacityBytes, isUp }: DataMetrics["nodes"][number]): Gauges {
  const node = `node="${labelValue(name)}"`;
  return {
    [`storage_bytes{${node},kind="used"}`]: usedBytes,
    [`storage_bytes{${node},kind="reserved"}`]: reservedBytes,
    [`storage_bytes{${node},kind="capacity"}`]: capacityBytes,
    [`storage_node_up{${node}}`]: Number(isUp),
  };
}

/** The cost of a shared database: transactions that were retried, and queries for what others have changed. */
export function databaseGauges(statistics: SharedStatistics | undefined): Gauges {
  if (!statistics) return {};
  const { count, milliseconds } = statistics.questions();
  return {
    ...Object.fromEntries(
      [...statistics.retries].map(([code, n]) => [`database_retries{code="${labelValue(code)}"}`, n]),
    ),
    database_pool_in_use: statistics.inUse(),
    database_version_questions: count,
    database_version_question_seconds: Math.round(milliseconds) / 1_000,
  };
}

/** None with PostgreSQL, whose disk is its operator's, and none of a folder that is out of reach. */
export async function diskGauges({ config, db }: { config: DataLocation; db: Pick<Db, "isShared"> }): Promise<Gauges> {
  const space = db.isShared ? undefined : await diskSpace(config.DATA_DIR).catch(() => undefined);
  if (!space) return {};
  return {
    'disk_bytes{kind="free"}': space.free,
    'disk_bytes{kind="total"}': space.total,
    disk_nearly_full: Number(isNearlyFull(space)),
  };
}

export const processGauges = (): Gauges => ({
  resident_bytes: process.memoryUsage.rss(),
  uptime_seconds: Math.floor(process.uptime()),
});
