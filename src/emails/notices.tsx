import * as apiKeys from "../../db/access/keys/api-keys";
import * as broadcasts from "../../db/broadcasts/broadcasts";
import { ledgerOf } from "../../db/broadcasts/ledger";
import type { Db } from "../../db/engine/open";
import type { Mail } from "../../db/mail/outbox";
import { sequenceOfStep } from "../../db/sequences/sequences";
import * as endpoints from "../../db/webhooks/endpoints";
import * as notices from "../../views/emails/notices";
import { paths } from "../../views/paths";
import type { JSX } from "../../views/jsx/jsx-runtime";
import { alertNamed } from "../alerts/alerts";
import { publicLine } from "../broadcasts/letter/text";
import type { Config } from "../platform/config";
import { siteTranslator } from "../http/site-language";
import { headerText } from "../mail/headers";
import type { ComposedEmail } from "../mail/provider";
import * as managers from "../../db/access/managers";
import { InvitationEmail, invitationText } from "../../views/emails/sign-ins";
import { mailedLink } from "../security/sign-in-links";

export const document = (view: JSX.Element) => `<!doctype html>${view}`;

/**
 * Writes a notice to the owner about a broadcast, a webhook endpoint, an API key or an alert. Returns undefined if that no
 * longer exists.
 */
export async function notice(
  { config: { BASE_URL }, db }: { config: Config; db: Db },
  mail: Mail,
  siteTitle: string,
): Promise<ComposedEmail | undefined> {
  const what = await noticeOf({ db, site: BASE_URL }, mail);
  if (!what) return;
  const view = { ...what, siteTitle, siteUrl: BASE_URL };
  return {
    to: mail.recipient,
    subject: headerText(what.subject, 120),
    headers: {},
    html: document(<notices.NoticeEmail {...view} />),
    text: notices.noticeText(view),
  };
}

type Needs = { db: Db; /** BASE_URL */ site: string };

async function noticeOf(needs: Needs, mail: Mail): Promise<notices.Notice | undefined> {
  const { about = "" } = mail.payload;
  if (about === "webhook") return aboutWebhook(needs, mail);
  if (about.startsWith("api-key")) return aboutKey(needs, mail);
  return about === "alert" ? aboutAlert(needs, mail) : aboutBroadcast(needs, mail);
}

async function aboutWebhook({ db, site }: Needs, { subjectId, payload }: Mail): Promise<notices.Notice | undefined> {
  const endpoint = await endpoints.byId(db, subjectId ?? "");
  if (!endpoint) return;
  const { id, name, url, state, events, acceptsUnanswered } = endpoint;
  return notices.webhookOff({
    name,
    endpoint: url,
    isGone: state === "off" || payload.reason === "gone",
    uploads: events.includes("upload.verify") ? (acceptsUnanswered ? "accepted" : "refused") : undefined,
    url: `${site}/dashboard/webhooks/${id}`,
  });
}

async function aboutKey(
  { db, site }: Needs,
  { subjectId, payload, createdAt }: Mail,
): Promise<notices.Notice | undefined> {
  const key = await apiKeys.byId(db, subjectId ?? "");
  if (!key?.active) return;
  const { id, name, expiresAt, lastUsedAt, replacedBy } = key;
  const view = { name, url: `${site}/dashboard/api-keys/${id}`, at: new Date(payload.at ?? createdAt) };
  if (payload.about === "api-key-erasure") return notices.keyErases(view);
  if (payload.about === "api-key-network") return notices.keyUsedElsewhere({ ...view, network: payload.network ?? "" });
  if (payload.about === "api-key-visitors")
    return notices.keyInventsVisitors({ ...view, messages: `${site}${paths.contact}?box=quarantine&key=${id}` });
  return expiresAt && !replacedBy ? notices.keyExpires({ ...view, expiresAt, lastUsedAt }) : undefined;
}

function aboutAlert({ site }: Needs, { payload, createdAt }: Mail): notices.Notice {
  const { change, name = "", title = "", detail = "", since = "" } = payload;
  const { remedy = "", page = { href: paths.overview, text: "Open the overview" } } = alertNamed(name) ?? {};
  return notices.alert({
    title,
    detail,
    since: new Date(since),
    clearedAt: change === "cleared" ? createdAt : undefined,
    remedy,
    page: { url: `${site}${page.href}`, text: page.text },
  });
}

async function aboutBroadcast({ db, site }: Needs, { subjectId, payload }: Mail): Promise<notices.Notice | undefined> {
  const broadcast = await broadcasts.byId(db, subjectId ?? "");
  if (!broadcast) return;
  const subject = publicLine(broadcast.subject, await siteTranslator(db));
  const sequence = broadcast.kind === "step" ? await sequenceOfStep(db, broadcast) : undefined;
  return notices.broadcastNotice({
    subject: headerText(sequence?.name ?? subject, 80),
    sequence: sequence?.name,
    about: payload.about === "sent" || payload.about === "not-sent" ? payload.about : "paused",
    reason: payload.reason ?? broadcast.stateReason,
    detail: payload.detail ?? broadcast.stateDetail,
    ledger: ledgerOf(broadcast),
    url: site + (sequence ? paths.sequence(sequence.id) : `${paths.broadcasts}/${broadcast.id}`),
  });
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
