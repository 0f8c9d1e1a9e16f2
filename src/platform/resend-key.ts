import { isSmtpUrl } from "./smtp-url";

type Mail = { MAILER_API_KEY?: string | undefined; MAIL_FROM: string; RESEND_BASE_URL?: string | undefined };

/** What is wrong with the key, whose form is Resend's own unless RESEND_BASE_URL names another server. */
export function keyProblem({ MAILER_API_KEY: key, RESEND_BASE_URL }: Mail): string | undefined {
  if (!key || RESEND_BASE_URL || isSmtpUrl(key) || key.startsWith("re_")) return undefined;
  return "MAILER_API_KEY must be a Resend API key (re_…), or an smtp:// or smtps:// URL";
}

/** The default sender is of no use at Resend, which sends only from domains that it has verified. */
export function senderWarning({ MAILER_API_KEY: key, MAIL_FROM, RESEND_BASE_URL }: Mail): string | undefined {
  if (!key || RESEND_BASE_URL || isSmtpUrl(key) || !/@localhost>?$/.test(MAIL_FROM)) return undefined;
  return "MAIL_FROM is an address at localhost, from which Resend sends nothing.";
}
