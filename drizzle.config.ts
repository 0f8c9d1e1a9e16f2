import { defineConfig } from "drizzle-kit";

/** `npm run db:generate` writes the next migration for SQLite; make its tables STRICT by hand before committing it (D43). */
export default defineConfig({
  dialect: "sqlite",
  schema: "./db/schema/*.ts",
  out: "./db/migrations",
  casing: "snake_case",
});
