import type { Config } from "../config";
import { Pace } from "./pace";
import type { MailProvider } from "./provider";
import { openResend } from "./resend";

/** The provider with the pace it allows, shared by everything that sends. */
export type Mail = { provider: MailProvider; pace: Pace };

const unlimited = 1e9; // a second

/** Opens what MAILER_API_KEY names (N7). Without it, emails are simulated (spec part 6). */
export function openMail({ config, now }: { config: Config; now: () => Date }): Mail {
  const { MAILER_API_KEY, RESEND_BASE_URL } = config;
  if (!MAILER_API_KEY) return { provider: simulated, pace: new Pace(now, unlimited) };
  const pace = new Pace(now, 2);
  return { provider: openResend({ apiKey: MAILER_API_KEY, baseUrl: RESEND_BASE_URL, now, pace }), pace };
}

/** Sends nothing. Who uses it logs what would have been sent. */
const simulated: MailProvider = {
  name: "simulated",
  maxBatch: 100,
  maxConcurrent: 10,
  isIdempotent: true,
  send: () => Promise.resolve({ kind: "accepted", ids: [null] }),
  sendBatch: (emails) => Promise.resolve({ kind: "accepted", ids: emails.map(() => null) }),
  close: () => Promise.resolve(),
};
