import { integer, text } from "drizzle-orm/sqlite-core";

/** Columns that all tables define in the same way. */
export const id = () =>
  text()
    .primaryKey()
    .$defaultFn(() => Bun.randomUUIDv7());
/** The ID in URLs and the API, of a table whose primary key is a number. */
export const publicId = () =>
  text()
    .notNull()
    .unique()
    .$defaultFn(() => Bun.randomUUIDv7());
export const at = () => integer({ mode: "timestamp_ms" });
export const createdAt = () =>
  at()
    .notNull()
    .$defaultFn(() => new Date());
export const updatedAt = () => createdAt().$onUpdateFn(() => new Date());
export const flag = () => integer({ mode: "boolean" });
