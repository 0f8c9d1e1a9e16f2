import type { Db } from "../../db/engine/open";
import * as managers from "../../db/access/managers";
import type { Mail } from "../../db/mail/outbox";
import { InvitationEmail, invitationText } from "../../views/emails/invitation";
import type { Config } from "../platform/config";
import { mailedLink } from "../security/invitations";
import { headerText } from "../mail/headers";
import type { Letter } from "../mail/provider";
import { document } from "./notices";

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
): Promise<Letter | undefined> {
  const { role = "", hash = "", by = "" } = payload;
  const url = masked ?? mailedLink(config, { seed: subjectId ?? "", hash });
  if (!url) return;
  const inviter = (await managers.byEmail(db, by))?.name || by;
  const view = { siteTitle, siteUrl: config.BASE_URL, inviter, role, url };
  return {
    to: recipient,
    subject: headerText(`${inviter} invited you to manage ${siteTitle}`, 120),
    headers: {},
    html: document(<InvitationEmail {...view} />),
    text: invitationText(view),
  };
}
