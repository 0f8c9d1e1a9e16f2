import type MimeNode from "nodemailer/lib/mime-node";
import { asciiMailbox, domainOf } from "../headers";
import type { Email } from "../provider";
import { pieceEncoder, type Text } from "../text";

/**
 * Writes an email for SMTP. nodemailer writes the headers; the two texts are assembled here, because its streams take
 * as long as everything else about an email.
 */
export async function mimeOf(email: Email): Promise<Buffer> {
  const [{ default: Node }, { encode, wrap }] = await Promise.all([
    import("nodemailer/lib/mime-node"), // loaded with the first email
    import("nodemailer/lib/qp"),
  ]);
  const root = new Node("multipart/alternative");
  const head = headOf(root, email);
  const quoted = (quotedPiece ??= pieceEncoder((piece) => {
    const lines = wrap(encode(piece.replace(/\r\n?|\n/g, "\r\n")), maxLine);
    return Buffer.from(!lines || lines.endsWith("\r\n") ? lines : `${lines}${softBreak}`);
  }));
  const part = (type: string, text: Text) => [
    Buffer.from(`--${root.boundary}\r\nContent-Type: ${type}; charset=utf-8\r\n${transferEncoding}\r\n\r\n`),
    ...(typeof text === "string" ? [text] : text).map(quoted),
    newLine,
  ];
  const parts = [...part("text/plain", email.text), ...part("text/html", email.html)];
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`), ...parts, Buffer.from(`--${root.boundary}--\r\n`)]);
}

const softBreak = "=\r\n"; // ends a line that continues on the next one
const newLine = Buffer.from("\r\n");
const maxLine = 75; // 76 with the soft break
const transferEncoding = "Content-Transfer-Encoding: quoted-printable";
let quotedPiece: ((piece: string) => Buffer) | undefined;

function headOf(root: MimeNode, { replyTo, messageId, from, to, subject, headers }: Email): string {
  root.addHeader(asWritten(headers));
  root.setHeader({
    from: asciiMailbox(from),
    to: asciiMailbox(to),
    ...(replyTo && { "reply-to": asciiMailbox(replyTo) }),
    subject,
    "message-id": `<${messageId ?? `${crypto.randomUUID()}@${domainOf(from)}`}>`,
  });
  return root.buildHeaders();
}

/**
 * ASCII values are not encoded: nodemailer would encode any value with a quotation mark, and no one could find a list
 * by such a List-Id.
 */
const asWritten = (headers: Email["headers"] = {}) =>
  Object.entries(headers).map(([key, value]) => ({
    key,
    value: /^[ -~]*$/.test(value) ? { prepared: true, foldLines: true, value } : value,
  }));
