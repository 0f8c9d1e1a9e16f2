import type { SharedStatistics } from "../../db/engine/open";
import type { DataMetrics } from "../../db/ops/health";
import { labelValue } from "./histogram";

/** Gauges by name, without the prefix "postroom_", with the labels of the Prometheus text format. */
type Gauges = Record<string, number>;

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
    webhooks_queued: counts.webhooksQueued,
    ...Object.fromEntries(endpoints.map(({ state, count }) => [`webhook_endpoints{state="${state}"}`, count])),
    messages_quarantined: counts.messagesQuarantined,
    messages_unread: counts.messagesUnread,
    ...Object.fromEntries(reservations.map(({ state, count }) => [`storage_reservations{state="${state}"}`, count])),
    ...Object.fromEntries(
      broadcasts.recipients.map(([outcome, n]) => [`broadcast_recipients{outcome="${outcome}"}`, n]),
    ),
    ...Object.fromEntries(broadcasts.states.map(({ state, count }) => [`broadcasts{state="${state}"}`, count])),
    broadcasts_resting: broadcasts.resting,
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
    database_version_question_milliseconds: Math.round(milliseconds),
  };
}

export const processGauges = (): Gauges => ({
  resident_bytes: process.memoryUsage.rss(),
  uptime_seconds: Math.floor(process.uptime()),
});
