import { sql } from "drizzle-orm";
import { DrizzleQueryError } from "drizzle-orm/errors";
import { openDb } from "../../db/open";
import { expect, test } from "bun:test";
import { createLog, described, type Level } from "./log";

const logging = (level: Level) => {
  const lines: string[] = [];
  return { lines, log: createLog(level, (line) => lines.push(line)) };
};

test("one event is one line of JSON, whatever its text contains", () => {
  const { lines, log } = logging("info");
  log.info("request", { path: '/a\n{"level":"error"}\r\u2028"' });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^[^\n\r]+\n$/);
  expect(JSON.parse(lines[0] ?? "")).toEqual({
    time: expect.stringMatching(/^\d{4}-.+Z$/),
    level: "info",
    event: "request",
    path: '/a\n{"level":"error"}\r\u2028"',
  });
});

test.each<[Level, number]>([
  ["debug", 4],
  ["info", 3],
  ["warn", 2],
  ["error", 1],
  ["silent", 0],
])("at %s there are %d of four", (level, count) => {
  const { lines, log } = logging(level);
  for (const write of [log.debug, log.info, log.warn, log.error]) write("event");
  expect(lines).toHaveLength(count);
});

test("an exception is logged with its message and first frames; anything else as text", () => {
  const told = described(new Error("no such thing"));
  expect(told).toEqual({ error: "no such thing", stack: expect.stringContaining("log.test.ts") });
  expect(described("gone")).toEqual({ error: "gone" });
});

test("a foreign text is logged up to the length of a line", () => {
  const { error, stack = "" } = described(new Error("A\n".repeat(1e6)));
  expect(error.length + stack.length).toBeLessThan(5_000);
});

test("a database error is logged without the statement and its values", async () => {
  const db = await openDb(":memory:");
  const failed = (await db
    .read((orm) => orm.run(sql`select ${"ada@example.com"} from nothing`))
    .catch(described)) as object;
  const wrapped = described(new DrizzleQueryError("select $1", ["ada@example.com"], new Error("no such table")));
  expect(JSON.stringify([failed, wrapped])).not.toContain("ada@example.com");
  expect(wrapped.error).toBe("no such table");
});
