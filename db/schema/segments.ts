import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { at, createdAt } from "./columns";

/** Segments under a name. The definition is read by db/newsletter/segments/definition.ts alone. */
export const segments = sqliteTable("segments", {
  row: integer().primaryKey(),
  id: text()
    .notNull()
    .unique()
    .$defaultFn(() => Bun.randomUUIDv7()),
  name: text().notNull(),
  folded: text().notNull().unique(),
  definition: text().notNull(),
  version: integer().notNull().default(1), // incremented on every edit, to detect concurrent ones
  createdBy: text().notNull(),
  createdAt: createdAt(),
  updatedAt: at().notNull(),
});
