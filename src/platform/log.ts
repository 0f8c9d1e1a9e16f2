import { withoutStatement } from "../../db/engine/errors";

const levels = ["debug", "info", "warn", "error", "silent"] as const;
export type Level = (typeof levels)[number];
export type Log = ReturnType<typeof createLog>;
type Write = (event: string, fields?: Record<string, unknown>) => void;

const nothing: Write = () => undefined;

/**
 * JSON lines on stdout (D42), one event per line whatever its text contains. Never log a key, password, token or
 * presigned URL; the one exception is the unsubscribe link of a simulated email (D32).
 */
export function createLog(minimum: Level, write: (line: string) => void = (line) => void process.stdout.write(line)) {
  const at = (level: Level): Write =>
    levels.indexOf(level) < levels.indexOf(minimum)
      ? nothing
      : (event, fields = {}) =>
          write(`${JSON.stringify({ time: new Date().toISOString(), level, event, ...fields })}\n`);
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

const maxCharacters = 2_000; // the text may come from a storage server, and be of any length

/** What may be logged of an exception: its message and where it was thrown. */
export function described(thrown: unknown) {
  const error = withoutStatement(thrown);
  return error instanceof Error
    ? { error: short(error.message), stack: short(error.stack?.split("\n").slice(1, 6).join(" | ")) }
    : { error: short(String(error)) };
}

/** What an error says, or what was thrown instead of one. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** Returns the code of a failed system call or connection, such as "ENOENT"; undefined if the error has none. */
export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;

const short = (text = "") => (text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text);
