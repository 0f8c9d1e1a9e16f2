import type { Config } from "../platform/config";
import { isSmtpUrl, readSmtpUrl } from "../platform/mail-urls";
import { histogram } from "../telemetry/storage-metrics";
import { Pace } from "./pace";
import type { MailProvider, Outcome } from "./provider";
import { ipVersion } from "../platform/networks";
import { openResend } from "./resend";
import { openSmtp } from "./smtp/smtp";

type Configured = Pick<Config, "MAILER_API_KEY">;

/** The provider that MAILER_API_KEY selects. Undefined while emails are simulated. */
export function configuredProvider({ MAILER_API_KEY: key }: Configured): "resend" | "smtp" | undefined {
  if (!key) return undefined;
  return isSmtpUrl(key) ? "smtp" : "resend";
}

/** Whether emails are really sent. */
export const isLive = (config: Configured): boolean => configuredProvider(config) !== undefined;

/** Returns a function that says whether another provider has been configured since it was last asked. */
export function providerWatch(config: Configured): () => boolean {
  let key = config.MAILER_API_KEY;
  return () => {
    const before = key;
    key = config.MAILER_API_KEY;
    return before !== key;
  };
}

const bounds = [25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000]; // milliseconds

/** Measures the requests to a provider by their outcome. */
function measured(provider: MailProvider, pace: Pace) {
  const latency = histogram("postroom_mail_request_seconds", "Time until the email provider answered", bounds);
  const timed = async (work: Promise<Outcome>): Promise<Outcome> => {
    const startedAt = performance.now();
    const outcome = await work;
    const result = outcome.kind === "refused" ? outcome.reason : outcome.kind;
    latency.observe({ provider: provider.name, outcome: result }, performance.now() - startedAt);
    return outcome;
  };
  const pausedMetric = "postroom_mail_paused";
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
        `# HELP ${pausedMetric} Whether nothing is sent because the email provider asked for it or cannot be reached`,
        `# TYPE ${pausedMetric} gauge`,
        `${pausedMetric} ${Number(pace.pausedUntil !== undefined)}`,
        "",
      ].join("\n"),
  };
}

/** The provider and the pace it allows, shared by everything that sends. */
export type Mail = {
  provider: MailProvider;
  pace: Pace;
  /** How the provider responds, in the Prometheus text format. */
  metrics: () => string;
};

const unlimited = 1e9; // a second

type Needs = {
  config: Pick<Config, "BASE_URL" | "BOUNCE_ADDRESS" | "MAILER_API_KEY" | "RESEND_BASE_URL">;
  now: () => Date;
};

/** Opens the provider that MAILER_API_KEY names. Without it, emails are simulated (spec part 6). */
export function openMail({ config, now }: Needs): Mail {
  const pace = new Pace(now, configuredProvider(config) === "resend" ? 2 : unlimited); // an SMTP server does not announce its limit
  return { pace, ...measured(providerOf(config, pace, now), pace) };
}

function providerOf(config: Needs["config"], pace: Pace, now: Needs["now"]): MailProvider {
  const { BASE_URL, BOUNCE_ADDRESS: bounceAddress, MAILER_API_KEY: key, RESEND_BASE_URL: baseUrl } = config;
  if (!key) return simulated;
  if (!isSmtpUrl(key)) return openResend({ apiKey: key, baseUrl, now, pace });
  const server = readSmtpUrl(key);
  if (typeof server === "string") throw new Error(`MAILER_API_KEY ${server}`); // the configuration has been checked already
  const { hostname } = new URL(BASE_URL);
  const name = hostname.includes(".") && !ipVersion(hostname) ? hostname : undefined;
  return openSmtp({ server, pace, bounceAddress, name });
}

/** Sends nothing. The caller logs what would have been sent. */
const simulated: MailProvider = {
  name: "simulated",
  maxBatch: 100,
  maxConcurrent: 10,
  isIdempotent: true,
  send: () => Promise.resolve({ kind: "accepted", ids: [null] }),
  sendBatch: (emails) => Promise.resolve({ kind: "accepted", ids: emails.map(() => null) }),
  close: () => Promise.resolve(),
};

/** The provider's name, for people: never the key or the URL. Undefined while emails are simulated. */
export function providerName({ MAILER_API_KEY: key }: Pick<Config, "MAILER_API_KEY">): string | undefined {
  if (!key) return undefined;
  const server = isSmtpUrl(key) ? readSmtpUrl(key) : "";
  return typeof server === "string" ? "Resend" : `SMTP (${server.host})`;
}
