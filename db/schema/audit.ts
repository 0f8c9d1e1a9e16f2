import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { id, createdAt } from "./columns";

export const auditEvents = sqliteTable(
  "audit_events",
  {
    id: id(),
    actor: text().notNull(), // a manager's email address, "cli" or "system"
    action: text().notNull(), // "api-key.deactivate": noun, dot, verb
    targetId: text(),
    target: text(), // its display name
    details: text({ mode: "json" }).$type<Record<string, string>>().notNull().default({}), // never a secret
    address: text(),
    folded: text().notNull(), // the target, folded for searching
    createdAt: createdAt(),
  },
  (t) => [
    index("audit_events_created").on(t.createdAt, t.id),
    index("audit_events_actor").on(t.actor, t.createdAt),
    index("audit_events_target").on(t.targetId),
  ],
);
