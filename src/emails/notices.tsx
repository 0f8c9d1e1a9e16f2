import * as apiKeys from "../../db/access/keys/api-keys";
import * as broadcasts from "../../db/broadcasts/broadcasts";
import { ledgerOf } from "../../db/broadcasts/ledger";
import type { Db } from "../../db/engine/open";
import type { Mail } from "../../db/mail/outbox";
import { sequenceOfStep } from "../../db/sequences/sequences";
import * as endpoints from "../../db/webhooks/endpoints";
import { AlertNoticeEmail, alertNoticeSubject, alertNoticeText } from "../../views/emails/alert-notice";
import { BroadcastNoticeEmail, broadcastNoticeSubject, broadcastNoticeText } from "../../views/emails/broadcast-notice";
import { erasureWarning, KeyWarningEmail, keyWarningText, networkWarning } from "../../views/emails/key-warning";
import { KeyNoticeEmail, keyNoticeSubject, keyNoticeText } from "../../views/emails/key-notice";
import { WebhookNoticeEmail, webhookNoticeSubject, webhookNoticeText } from "../../views/emails/webhook-notice";
import { paths } from "../../views/paths";
import type { JSX } from "../../views/jsx/jsx-runtime";
import { alertNamed } from "../alerts/alerts";
import { publicLine } from "../broadcasts/letter/archived";
import type { Config } from "../platform/config";
import { siteTranslator } from "../http/site-language";
import { headerText } from "../mail/headers";
import type { ComposedEmail } from "../mail/provider";
import * as managers from "../../db/access/managers";
import { InvitationEmail, invitationText } from "../../views/emails/invitation";
import { mailedLink } from "../security/invitations";

export const document = (view: JSX.Element) => `<!doctype html>${view}`;

/**
 * Writes a notice to the owner about a broadcast, a webhook endpoint, an API key or an alert. Returns undefined if that no
 * longer exists.
 */
export async function notice(
  { config, db }: { config: Config; db: Db },
  mail: Mail,
  siteTitle: string,
): Promise<ComposedEmail | undefined> {
  const id = mail.subjectId ?? "";
  if (mail.payload.about === "webhook") {
    const endpoint = await endpoints.byId(db, id);
    return endpoint && webhookNotice(config, mail, siteTitle, endpoint);
  }
  if (mail.payload.about === "api-key") {
    const key = await apiKeys.byId(db, id);
    return key?.active && !key.replacedBy && key.expiresAt
      ? keyNotice(config, mail, siteTitle, { ...key, expiresAt: key.expiresAt })
      : undefined;
  }
  if (mail.payload.about === "api-key-network" || mail.payload.about === "api-key-erasure") {
    const key = await apiKeys.byId(db, id);
    return key?.active ? keyWarning(config, mail, siteTitle, key) : undefined;
  }
  if (mail.payload.about === "alert") return alertNotice(config, mail, siteTitle);
  const broadcast = await broadcasts.byId(db, id);
  if (!broadcast) return;
  const subject = publicLine(broadcast.subject, await siteTranslator(db));
  const sequence = broadcast.kind === "step" ? await sequenceOfStep(db, broadcast) : undefined;
  return broadcastNotice(config, mail, siteTitle, { ...broadcast, subject, sequence: sequence?.name });
}

function webhookNotice(
  { BASE_URL }: Config,
  mail: Mail,
  siteTitle: string,
  endpoint: endpoints.Endpoint,
): ComposedEmail {
  const { id, name, url, state, events, acceptsUnanswered } = endpoint;
  const view = {
    siteTitle,
    siteUrl: BASE_URL,
    name,
    endpoint: url,
    isGone: state === "off" || mail.payload.reason === "gone",
    uploads: events.includes("upload.verify") ? (acceptsUnanswered ? "accepted" : "refused") : undefined,
    url: `${BASE_URL}/dashboard/webhooks/${id}`,
  };
  return {
    to: mail.recipient,
    subject: headerText(webhookNoticeSubject(view), 120),
    headers: {},
    html: document(<WebhookNoticeEmail {...view} />),
    text: webhookNoticeText(view),
  };
}

type ExpiringKey = Pick<apiKeys.ApiKey, "id" | "name" | "lastUsedAt"> & { expiresAt: Date };

function keyNotice({ BASE_URL }: Config, mail: Mail, siteTitle: string, key: ExpiringKey): ComposedEmail {
  const { id, name, expiresAt, lastUsedAt } = key;
  const url = `${BASE_URL}/dashboard/api-keys/${id}`;
  const view = { siteTitle, siteUrl: BASE_URL, name, expiresAt, lastUsedAt, url };
  return {
    to: mail.recipient,
    subject: headerText(keyNoticeSubject(view), 120),
    headers: {},
    html: document(<KeyNoticeEmail {...view} />),
    text: keyNoticeText(view),
  };
}

function keyWarning({ BASE_URL }: Config, mail: Mail, siteTitle: string, { id, name }: apiKeys.ApiKey): ComposedEmail {
  const { about, network = "" } = mail.payload;
  const at = new Date(mail.payload.at ?? mail.createdAt);
  const warning = about === "api-key-erasure" ? erasureWarning({ name, at }) : networkWarning({ name, network, at });
  const view = { ...warning, siteTitle, siteUrl: BASE_URL, url: `${BASE_URL}/dashboard/api-keys/${id}` };
  return {
    to: mail.recipient,
    subject: headerText(view.subject, 120),
    headers: {},
    html: document(<KeyWarningEmail {...view} />),
    text: keyWarningText(view),
  };
}

function alertNotice({ BASE_URL }: Config, mail: Mail, siteTitle: string): ComposedEmail {
  const { change, name = "", title = "", detail = "", since = "" } = mail.payload;
  const { remedy = "", page = { href: paths.overview, text: "Open the overview" } } = alertNamed(name) ?? {};
  const view = {
    siteTitle,
    siteUrl: BASE_URL,
    title,
    detail,
    since: new Date(since),
    clearedAt: change === "cleared" ? mail.createdAt : undefined,
    remedy,
    page: { url: `${BASE_URL}${page.href}`, text: page.text },
  };
  return {
    to: mail.recipient,
    subject: headerText(alertNoticeSubject(view), 120),
    headers: {},
    html: document(<AlertNoticeEmail {...view} />),
    text: alertNoticeText(view),
  };
}

function broadcastNotice(
  { BASE_URL }: Config,
  mail: Mail,
  siteTitle: string,
  broadcast: broadcasts.Broadcast & { sequence: string | undefined },
): ComposedEmail {
  const { subject, sequence, stateReason: reason, stateDetail: detail } = broadcast;
  const about = mail.payload.about === "sent" ? ("sent" as const) : ("paused" as const);
  const url = `${BASE_URL}/dashboard/broadcasts/${broadcast.id}`;
  const view = {
    siteTitle,
    siteUrl: BASE_URL,
    url,
    subject: headerText(sequence ?? subject, 80),
    sequence,
    about,
    reason,
    detail,
    ledger: ledgerOf(broadcast),
  };
  return {
    to: mail.recipient,
    subject: broadcastNoticeSubject(view),
    headers: {},
    html: document(<BroadcastNoticeEmail {...view} />),
    text: broadcastNoticeText(view),
  };
}

/**
 * Writes an invitation to the dashboard. Returns undefined if its link can no longer be made.
 *
 * @param masked what a preview shows instead of the link
 */
export async function invitation(
  { config, db }: { config: Config; db: Db },
  { recipient, subjectId, payload }: Mail,
  siteTitle: string,
  masked: string | undefined,
): Promise<ComposedEmail | undefined> {
  const { hash = "", by = "" } = payload;
  const url = masked ?? mailedLink(config, { seed: subjectId ?? "", hash });
  if (!url) return;
  const inviter = (await managers.byEmail(db, by))?.name || by;
  const view = { siteTitle, siteUrl: config.BASE_URL, inviter, role: managers.roleOf(payload.role), url };
  return {
    to: recipient,
    subject: headerText(`${inviter} invited you to manage ${siteTitle}`, 120),
    headers: {},
    html: document(<InvitationEmail {...view} />),
    text: invitationText(view),
  };
}
