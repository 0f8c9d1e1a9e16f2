import type { Broadcast } from "../../../db/broadcasts/broadcasts";
import type { InboxWords } from "../../../views/dashboard/broadcasts/question";
import type { WrittenLetter } from "../../broadcasts/letter/letter";
import { filled, nobody } from "../../broadcasts/letter/merge-fields";
import type { Config } from "../../platform/config";
import { senderOf } from "../../mail/headers";

/** What an inbox shows of a draft, as someone without a name reads it. */
export function inboxOf({ MAIL_FROM }: Config, { fromName }: Broadcast, letter: WrittenLetter): InboxWords {
  const { name, address } = senderOf(MAIL_FROM);
  const from = { name: fromName || name, address };
  return { from, subject: filled(letter.subject, nobody), preheader: filled(letter.preheader, nobody) };
}
