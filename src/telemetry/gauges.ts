import type { SharedStatistics } from "../../db/engine/open";
import type { DataMetrics } from "../../db/ops/health";
import { labelValue } from "./histogram";

/** Gauges by name, without the prefix "postroom_", with the labels of the Prometheus text format. */
type Gauges = Record<string, number>;

/** What each gauge is, by the name before its labels. */
export const gaugeHelp: Record<string, string | undefined> = {
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
  broadcasts_resting: "Broadcasts that wait for the provider or an hourly limit",
  broadcast_recipients: "Recipients of all broadcasts by outcome",
  database_retries: "Transactions that were retried, by SQLSTATE",
  database_pool_in_use: "Statements and transactions that have a connection or wait for one",
  database_version_questions: "Queries for the changes of other processes",
  database_version_question_seconds: "How long these queries took in total",
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
    broadcasts_resting: broadcasts.paused,
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

export const processGauges = (): Gauges => ({
  resident_bytes: process.memoryUsage.rss(),
  uptime_seconds: Math.floor(process.uptime()),
});
