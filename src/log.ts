const levels = ["debug", "info", "warn", "error", "silent"] as const;
export type Level = (typeof levels)[number];
export type Log = ReturnType<typeof createLog>;

/**
 * JSON lines on stdout (D42), one event a line whatever its text holds. Never hand it a key, a password, a token or a
 * presigned URL; the one exception is the unsubscribe link of a simulated mail (D32).
 */
export function createLog(minimum: Level, write: (line: string) => void = (line) => void process.stdout.write(line)) {
  const at =
    (level: Level) =>
    (event: string, fields: Record<string, unknown> = {}) => {
      if (levels.indexOf(level) < levels.indexOf(minimum)) return;
      write(`${JSON.stringify({ time: new Date().toISOString(), level, event, ...fields })}\n`);
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** What a log line may say of an exception: its text and where it was thrown. */
export const described = (error: unknown) =>
  error instanceof Error
    ? { error: error.message, stack: error.stack?.split("\n").slice(1, 6).join(" | ") }
    : { error: String(error) };
