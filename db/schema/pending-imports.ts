import { blob, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { at } from "./columns";

/**
 * Checked imports that wait for "Import". They are rows, so that any process can carry them out, also after a restart.
 */
export const pendingImports = sqliteTable(
  "pending_imports",
  {
    hash: text().primaryKey(), // SHA-256 of the token in the form
    kind: text({ enum: ["posts", "subscribers"] }).notNull(),
    sessionId: text().notNull(),
    options: text({ mode: "json" }).$type<Record<string, string>>().notNull().default({}),
    expiresAt: at().notNull(),
  },
  (t) => [index("pending_imports_expiry").on(t.expiresAt)],
);

export const pendingImportFiles = sqliteTable(
  "pending_import_files",
  {
    hash: text()
      .notNull()
      .references(() => pendingImports.hash, { onDelete: "cascade" }),
    position: integer().notNull(),
    name: text().notNull(),
    bytes: blob({ mode: "buffer" }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.hash, t.position] })],
);
