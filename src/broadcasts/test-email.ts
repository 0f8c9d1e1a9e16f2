import type { Db } from "../../db/engine/open";
import { withContent } from "../../db/broadcasts/broadcasts";
import type { Mail } from "../../db/mail/outbox";
import * as subscribers from "../../db/newsletter/subscribers";
import type { FrozenRecipient } from "../../db/schema/broadcasts";
import type { Config } from "../platform/config";
import type { Letter } from "../mail/provider";
import { wholeOf } from "../mail/text";
import { unsubscribeToken } from "../security/links/unsubscribe";
import { writeLetter } from "./freeze";
import { writeEmails } from "./letter/emails";

/**
 * The current text of a broadcast, for trying it out. Its links work for a subscriber; anyone else gets the token
 * "test", which does nothing.
 */
export async function testEmail({ config, db }: { config: Config; db: Db }, mail: Mail): Promise<Letter | undefined> {
  const broadcast = await withContent(db, mail.subjectId ?? "");
  if (!broadcast) return;
  const { frozen } = await writeLetter({ config, db }, broadcast, mail.createdAt);
  const subscriber = await subscribers.byEmail(db, mail.recipient);
  const token = subscriber?.state === "active" ? unsubscribeToken(config, mail.recipient) : "test";
  const tester: FrozenRecipient = [0, mail.recipient, subscriber?.name ?? null, token];
  const [email] = writeEmails(frozen.letter, [tester], broadcast.id);
  if (!email) return;
  return { ...email, subject: `[Test] ${email.subject}`, html: wholeOf(email.html), text: wholeOf(email.text) };
}
