import type { Outcome, Reason } from "../provider";

/* The codes of RFC 3463 that say more than that an email was not delivered. */
const noSuchMailbox = new Set(["5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.2.1"]);

/** Whether the recipient's address does not exist, and will not exist tomorrow. */
export const isGone = (status: string): boolean => noSuchMailbox.has(status);

const mailboxFull = "5.2.2";

/** An error of nodemailer's SMTP client. */
export type SmtpError = {
  message: string;
  code?: string;
  /** The command that failed, or the phase of the session. */
  command?: string;
  responseCode?: number;
  /** The server's reply, including codes. */
  response?: string;
};

/**
 * Interprets the failure to send an email over SMTP. Its message is not redacted yet.
 *
 * @param wasRead whether the server had asked for the message: then it may have it, unless it said otherwise
 */
export function meaningOf(error: SmtpError, wasRead: boolean): Outcome {
  const { message, response, responseCode: reply } = error;
  if (reply !== undefined && reply >= 400) return refusal(reasonOf(error, reply), response ?? message);
  if (wasRead) return { kind: "unknown", message: `${noResponse}: ${message}` };
  const reason = refusedByUs[error.code ?? ""] ?? "unavailable";
  return { kind: "refused", reason, message: reason === "unavailable" ? `${noResponse}: ${message}` : message };
}

const refusal = (reason: Reason, message: string): Outcome => ({
  kind: "refused",
  reason,
  message,
  ...(reason === "rate" && { retryAfterMs: 60_000 }), // no reply of SMTP says how long
});

const noResponse = "No response from the provider";

/**
 * Failures before anything was sent: an address or message that this server cannot accept, or no supported way to log
 * in.
 */
const refusedByUs: Record<string, Reason> = { EENVELOPE: "invalid", EMESSAGE: "too-large", EAUTH: "credentials" };

/**
 * Whether the server may have rejected us because of our other connections: any rejection of a new one, 421 at any
 * time, 432 (Exchange, also after the message), or what it says. With no other connection it means something else.
 */
export function isCrowded({ command = "", response = "", responseCode: reply }: SmtpError): boolean {
  if (reply === undefined || reply < 400 || /^AUTH/.test(command)) return reply === 421;
  const isNew = !/^(MAIL FROM|RCPT TO|DATA)$/.test(command);
  return (
    isNew || reply === 421 || reply === 432 || (isAboutUs(statusIn(response)) && tooManyConnections.test(response))
  );
}

const tooManyConnections = /(too many|concurrent|simultaneous|maximum).{0,40}(connection|session)s?\b/i;
const isTooFast =
  /rate.?limit|throttl|server (is )?busy|too (many|much|fast|quickly|often|frequently)|limit.{0,30}(exceed|reach)|exceed.{0,30}limit/i;
/** Greylisting aside, 4.2.x is about the recipient's mailbox alone. */
const isAboutUs = (status: string) => !status.startsWith("4.2.");
const statusIn = (response: string) => /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1] ?? ""; // RFC 3463

function reasonOf({ code, command = "", response = "" }: SmtpError, reply: number): Reason {
  const status = statusIn(response);
  if (reply === 421 || reply === 432 || reply === 454) return "unavailable"; // it is closing, or cannot check the password now
  if (code === "EAUTH") return reply >= 500 ? "credentials" : "unavailable";
  if (!/^(MAIL FROM|RCPT TO|DATA)$/.test(command)) return "unavailable"; // the greeting, EHLO, STARTTLS
  if (reply < 500) return isAboutUs(status) && isTooFast.test(response) ? "rate" : "deferred";
  if (isGone(status)) return "bounced";
  if (status === "5.3.4" || (reply === 552 && status !== mailboxFull)) return "too-large";
  return command === "MAIL FROM" || reply === 530 ? "credentials" : "invalid"; // the sender was rejected, not the recipient
}
