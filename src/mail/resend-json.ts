import { asciiMailbox } from "./headers";
import type { Email } from "./provider";
import { pieceEncoder, type Text } from "./text";

/** Formats emails for Resend: JSON, an array for a batch. The same emails give the same bytes. */
export const batchJson = (emails: Email[]): Buffer => {
  const parts = emails.flatMap((email, i) => [...(i ? [comma] : []), ...partsOf(email)]);
  return Buffer.concat([Buffer.from("["), ...parts, Buffer.from("]")]);
};
export const emailJson = (email: Email): Buffer => Buffer.concat(partsOf(email));

const comma = Buffer.from(",");

/** Always in this order, whatever the order in the email. */
function partsOf({ from, to, replyTo, subject, headers, html, text, tags }: Email): Buffer[] {
  const mailboxes = { from: asciiMailbox(from), to: [asciiMailbox(to)] };
  const replies = replyTo && { reply_to: asciiMailbox(replyTo) };
  const first = JSON.stringify({ ...mailboxes, subject, ...replies, headers });
  const named = tags && Object.entries(tags).map(([name, value]) => ({ name, value }));
  return [
    Buffer.from(`${first.slice(0, -1)},"html":"`),
    ...inString(html),
    Buffer.from(`","text":"`),
    ...inString(text),
    Buffer.from(named ? `","tags":${JSON.stringify(named)}}` : `"}`),
  ];
}

const escaped = (piece: string) => Buffer.from(JSON.stringify(piece).slice(1, -1));
const remembered = pieceEncoder(escaped);
const inString = (text: Text) => (typeof text === "string" ? [escaped(text)] : text.map(remembered));
