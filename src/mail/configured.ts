import type { Config } from "../platform/config";
import { isSmtpUrl } from "../platform/smtp-url";

type Configured = Pick<Config, "MAILER_API_KEY">;

/** The provider that MAILER_API_KEY selects. Undefined while emails are simulated. */
export function configuredProvider({ MAILER_API_KEY: key }: Configured): "resend" | "smtp" | undefined {
  if (!key) return undefined;
  return isSmtpUrl(key) ? "smtp" : "resend";
}

/** Whether emails are really sent. */
export const isLive = (config: Configured): boolean => configuredProvider(config) !== undefined;
