import { histogram } from "../telemetry/histogram";
import type { Pace } from "./pace";
import type { MailProvider, Outcome } from "./provider";

const bounds = [25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000]; // milliseconds

/** Measures the requests to a provider by their outcome. */
export function measured(provider: MailProvider, pace: Pace) {
  const latency = histogram("postroom_mail_request_seconds", "Time until the email provider answered", bounds);
  const timed = async (work: Promise<Outcome>): Promise<Outcome> => {
    const startedAt = performance.now();
    const outcome = await work;
    const result = outcome.kind === "refused" ? outcome.reason : outcome.kind;
    latency.observe({ provider: provider.name, outcome: result }, performance.now() - startedAt);
    return outcome;
  };
  const isResting = "postroom_mail_resting";
  return {
    provider: {
      ...provider,
      send: (...request: Parameters<MailProvider["send"]>) => timed(provider.send(...request)),
      sendBatch: (...request: Parameters<MailProvider["sendBatch"]>) => timed(provider.sendBatch(...request)),
    },
    /** In the Prometheus text format. */
    metrics: (): string =>
      [
        ...latency.lines(),
        `# HELP ${isResting} Whether nothing is sent because the email provider asked for it or cannot be reached`,
        `# TYPE ${isResting} gauge`,
        `${isResting} ${Number(pace.restUntil !== undefined)}`,
        "",
      ].join("\n"),
  };
}
