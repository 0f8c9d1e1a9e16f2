import { spyOn } from "bun:test";
import { NoopLogger } from "drizzle-orm/logger";

/**
 * Counts the statements whose answer is awaited, on either engine: on a database across a network, each is a round
 * trip.
 */
export async function countQuestions(work: () => Promise<unknown>): Promise<number> {
  using log = spyOn(NoopLogger.prototype, "logQuery");
  await work();
  const texts = log.mock.calls.map(([text]: unknown[]) => String(text));
  return texts.filter((text) => /^\s*(select|with) | returning /i.test(text)).length;
}
