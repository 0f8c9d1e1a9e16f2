import { type SQL, sql } from "drizzle-orm";
import { boxConditions } from "./contact/messages";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Db } from "./engine/open";
import { broadcasts } from "./schema/broadcasts";
import { messages } from "./schema/contact";
import { outbox } from "./schema/mail";
import { uploads } from "./schema/storage";
import { erasures } from "./schema/suppressions";
import { webhookDeliveries } from "./schema/webhooks";

/** What open pages follow. */
export const liveTopics = ["messages", "emails", "webhooks", "uploads", "broadcasts", "erasures"] as const;
export type LiveTopic = (typeof liveTopics)[number];

const isQueued = sql`state = 'queued'`; // written out, so that SQLite uses the partial indexes
const isOpen = sql`state not in ('completed', 'aborted')`;

/**
 * Figures of each topic that differ after whatever a page shows of it has changed. Each is read from an index, or from a
 * table of few rows; equal figures after a change would only delay a page until it asks again by itself.
 */
const figures: Record<LiveTopic, SQL[]> = {
  messages: from(messages, boxConditions.inbox, ["count(*)", "count(read_at)", "max(surfaced_at)"]),
  emails: [
    ...from(outbox, isQueued, ["count(*)", "sum(next_attempt_at)"]),
    ...from(outbox, sql`state = 'dead'`, ["count(*)"]),
    ...from(outbox, undefined, ["max(created_at)"]),
  ],
  webhooks: [
    ...from(webhookDeliveries, isQueued, ["count(*)", "sum(next_attempt_at)"]),
    ...from(webhookDeliveries, undefined, ["max(created_at)"]),
  ],
  uploads: from(uploads, isOpen, ["count(*)", "sum(received)", "sum(next_check_at)"]),
  broadcasts: from(broadcasts, undefined, [
    "count(*)",
    "count(deleted_at)",
    "max(updated_at)",
    "sum(rest_until)",
    "sum(claimed + accepted + failed + uncertain + simulated + skipped)",
    "sum(delivered + bounced + soft_bounced + complained + unsubscribed)",
  ]),
  erasures: from(erasures, undefined, ["count(*)", "count(finished_at)", "count(checked_at)"]),
};

function from(table: SQLiteTable, where: SQL | undefined, of: string[]): SQL[] {
  return of.map((figure) => sql`(select ${sql.raw(figure)} from ${table} where ${where ?? sql`true`})`);
}

/** The figures of each topic as a short text, the same in every process. */
export type Signatures = ReadonlyMap<LiveTopic, string>;

export const signatures = (db: Db): Promise<Signatures> =>
  db.read(async (orm) => {
    const all = liveTopics.flatMap((topic) => figures[topic]);
    const [row = []] = await orm.values<unknown[]>(sql`select ${sql.join(all, sql`, `)}`);
    let at = 0;
    const textOf = (topic: LiveTopic) => row.slice(at, (at += figures[topic].length)).join(",");
    return new Map(liveTopics.map((topic) => [topic, Bun.hash(textOf(topic)).toString(36)]));
  });
