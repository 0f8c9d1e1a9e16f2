import * as managers from "../../db/access/managers";
import { replyToSend } from "../../db/contact/conversation";
import * as messages from "../../db/contact/messages";
import { ownerEmail } from "../../db/contact/owner";
import type { Db } from "../../db/engine/open";
import type { Mail } from "../../db/mail/outbox";
import * as subscribers from "../../db/newsletter/subscribers";
import { readWelcome } from "../../db/settings/settings";
import { deviceName } from "../../views/components/device-name";
import {
  ContactNotificationEmail,
  contactNotificationText,
  quarantineSubject,
  QuarantineSummaryEmail,
  quarantineSummaryText,
  ReplyEmail,
  replyText,
} from "../../views/emails/contact";
import { NewSignInEmail, newSignInText } from "../../views/emails/sign-ins";
import { TestEmail, testText } from "../../views/emails/test-mail";
import { testEmail } from "../broadcasts/freeze";
import { headerText, mailbox } from "../mail/headers";
import type { ComposedEmail } from "../mail/provider";
import type { Config } from "../platform/config";
import { confirmLink, preferencesLink, recordLink, unsubscribeLink } from "../security/links";
import { document, invitation, notice } from "./notices";
import { type MailSite, readSite } from "./site";
import { confirmation, record, welcome } from "./welcome";

type Needs = { config: Config; db: Db };

/**
 * Writes the email of a row from the current data. Links are made here and stored nowhere (D32). Returns undefined if
 * what the email is about no longer exists.
 *
 * @param link the unsubscribe link; a preview passes one that does not work
 */
export async function compose({ config, db }: Needs, mail: Mail, link?: string): Promise<ComposedEmail | undefined> {
  const isToSubscriber = ["welcome", "confirm", "record"].includes(mail.kind);
  const subscriber = isToSubscriber ? await subscribers.byEmail(db, mail.recipient) : undefined;
  const site = await readSite({ config, db }, subscriber?.language);
  const { siteTitle } = site;
  const unsubscribeUrl = link ?? unsubscribeLink(config, mail.recipient);
  switch (mail.kind) {
    case "welcome": {
      const words = await readWelcome(db);
      const preferencesUrl = masked(link, "preferences") ?? preferencesLink(config, mail.recipient);
      const wanted = { words, site, unsubscribeUrl, preferencesUrl, at: mail.createdAt };
      return welcome({ config, db }, mail.recipient, wanted);
    }
    case "confirm": {
      const pendingAt = subscriber?.pendingAt;
      const preview = link?.replace("/unsubscribe?", "/confirm?");
      const confirmUrl = preview ?? (pendingAt && confirmLink(config, mail.recipient, pendingAt));
      return confirmUrl ? confirmation(config, mail.recipient, { ...site, unsubscribeUrl, confirmUrl }) : undefined;
    }
    case "record": {
      const askedAt = new Date(Number(mail.payload.askedAt));
      const recordUrl = masked(link, "record") ?? recordLink(config, mail.recipient, askedAt);
      return record(mail.recipient, { ...site, recordUrl });
    }
    case "contact": {
      const message = await messages.byId(db, mail.subjectId ?? "");
      return message && contactNotification(config, mail.recipient, siteTitle, message);
    }
    case "reply": {
      const language = (await subscribers.byEmail(db, mail.recipient))?.language;
      const reader = language ? await readSite({ config, db }, language) : site;
      return reply({ config, db }, { recipient: mail.recipient, entryId: mail.subjectId ?? "" }, reader);
    }
    case "quarantine":
      return quarantineSummary(config, mail.recipient, siteTitle, await messages.countQuarantined(db));
    case "test":
      return test(config, mail.recipient, siteTitle);
    case "sign-in": {
      const manager = await managers.byId(db, mail.subjectId ?? "");
      return manager && newSignIn(config, mail, siteTitle, manager.preferences.timeZone || "UTC");
    }
    case "invitation":
      return invitation({ config, db }, mail, siteTitle, link && `${config.BASE_URL}/dashboard/setup?token=…`);
    case "notice":
      return notice({ config, db }, mail, siteTitle);
    case "broadcast-test":
      return testEmail({ config, db }, mail);
  }
}

/** The link of a preview, to another page. */
const masked = (link: string | undefined, page: "preferences" | "record") =>
  link?.replace("/api/newsletter/unsubscribe?", `/newsletter/${page}?`);

function contactNotification(
  { BASE_URL }: Config,
  to: string,
  siteTitle: string,
  message: messages.Message,
): ComposedEmail {
  const { id, name, email, source, message: text, createdAt } = message;
  const url = `${BASE_URL}/dashboard/contact/${id}`;
  const view = { siteTitle, siteUrl: BASE_URL, name, email, source, message: text, receivedAt: createdAt, url };
  return {
    to,
    subject: headerText(`New message from ${name}`, 80),
    replyTo: mailbox(name, email),
    headers: {},
    html: document(<ContactNotificationEmail {...view} />),
    text: contactNotificationText(view),
  };
}

function quarantineSummary({ BASE_URL }: Config, to: string, siteTitle: string, count: number): ComposedEmail {
  const view = { siteTitle, siteUrl: BASE_URL, count, url: `${BASE_URL}/dashboard/contact?box=quarantine` };
  return {
    to,
    subject: quarantineSubject(view),
    headers: {},
    html: document(<QuarantineSummaryEmail {...view} />),
    text: quarantineSummaryText(view),
  };
}

function test({ BASE_URL, MAIL_FROM }: Config, to: string, siteTitle: string): ComposedEmail {
  const view = { siteTitle, siteUrl: BASE_URL, from: MAIL_FROM, url: `${BASE_URL}/dashboard/settings` };
  return {
    to,
    subject: `Test email from ${siteTitle}`,
    headers: {},
    html: document(<TestEmail {...view} />),
    text: testText(view),
  };
}

function newSignIn({ BASE_URL }: Config, mail: Mail, siteTitle: string, timeZone: string): ComposedEmail {
  const { recipient, payload, createdAt } = mail;
  const url = `${BASE_URL}/dashboard/account`;
  const device = deviceName(payload.userAgent ?? null);
  const view = { siteTitle, siteUrl: BASE_URL, email: recipient, device, at: createdAt, timeZone, url };
  return {
    to: recipient,
    subject: `New sign-in to ${siteTitle}`,
    headers: {},
    html: document(<NewSignInEmail {...view} />),
    text: newSignInText(view),
  };
}

/**
 * Writes a manager's reply to a message. Its Message-ID cannot be guessed, and References begins with an ID of the
 * conversation that cannot be guessed either, because some providers set a Message-ID of their own: an answer names one
 * of them.
 */
export async function reply(
  { config, db }: { config: Config; db: Db },
  { recipient, entryId }: { recipient: string; entryId: string },
  { t, siteTitle }: MailSite,
): Promise<ComposedEmail | undefined> {
  const written = await replyToSend(db, entryId);
  if (!written) return;
  const { entry, mailId, thread, earlier, last } = written;
  const subject = headerText(`Re: ${t("reply.subject", { site: siteTitle })}`);
  const view = { t, subject, text: entry.text, answered: { ...last, name: headerText(last.name, 100) } };
  return {
    to: recipient,
    subject,
    replyTo: await ownerEmail({ config, db }),
    messageId: mailId,
    headers: {
      "In-Reply-To": `<${earlier.at(-1) ?? thread}>`,
      References: [thread, ...earlier].map((id) => `<${id}>`).join(" "),
    },
    html: document(<ReplyEmail {...view} />),
    text: replyText(view),
  };
}
