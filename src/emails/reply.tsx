import { replyToSend } from "../../db/contact/conversation";
import { ownerAddress } from "../../db/contact/owner";
import type { Db } from "../../db/engine/open";
import { ReplyEmail, replyText } from "../../views/emails/contact";
import { headerText } from "../mail/headers";
import type { ComposedEmail } from "../mail/provider";
import type { Config } from "../platform/config";
import { document } from "./notices";
import type { MailSite } from "./site";

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
    replyTo: config.OWNER_EMAIL ?? (await db.read(ownerAddress)),
    messageId: mailId,
    headers: {
      "In-Reply-To": `<${earlier.at(-1) ?? thread}>`,
      References: [thread, ...earlier].map((id) => `<${id}>`).join(" "),
    },
    html: document(<ReplyEmail {...view} />),
    text: replyText(view),
  };
}
