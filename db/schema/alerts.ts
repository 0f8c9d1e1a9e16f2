import { sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { at, id } from "./columns";

/** What is wrong now, and who has been told: one row for each thing, deleted when it is well again. */
export const alerts = sqliteTable(
  "alerts",
  {
    id: id(), // the same in both webhook events
    name: text().notNull(), // one of src/alerts/alerts.ts
    subject: text().notNull(), // which node, host, broadcast or account; empty if there is only one
    title: text().notNull(), // as of the last check
    detail: text().notNull(),
    since: at().notNull(),
    toldAt: at(), // null: seen, but not told yet
    quietSince: at(), // if set, recent checks found nothing wrong
  },
  (t) => [uniqueIndex("alerts_subject").on(t.name, t.subject)],
);
