import { expect, test } from "bun:test";
import MailComposer from "nodemailer/lib/mail-composer";
import { mimeOf } from "./smtp";
import { type Email, wholeOf } from "../provider";

const shared = `<p>${"Zwölf Meter über dem Fluss, ".repeat(40)}</p>\n.\n<p> =3D = \t\n`;
const email: Email = {
  from: '"Noor Ørsted" <site@x.example>',
  to: "ada@reader.example",
  replyTo: "hello@x.example",
  subject: "Regen für Ada – eine sehr lange Betreffzeile, die mehr als eine Zeile braucht",
  html: [shared, "Ada", ` ${shared}`, "", "https://x.example/leave?email=a%40b&token=1", "x".repeat(300), "\n", " "],
  text: ["Hello ", "Ada", "\r\n.\r\n", "漢字".repeat(90), "🌧", " \n\nBye "],
  headers: {
    "List-Unsubscribe": `<https://x.example/api/newsletter/unsubscribe?email=ada%40reader.example&token=${"t".repeat(43)}>`,
    "List-Id": '"Ink" <newsletter.x.example>',
  },
  messageId: "b.7.abc@x.example",
};

/** nodemailer's message for the same email. */
const composed = async ({ html, text, headers, messageId, replyTo, ...rest }: Email) =>
  new MailComposer({
    ...{ ...rest, replyTo, html: wholeOf(html), text: wholeOf(text), messageId: `<${messageId}>` },
    headers: Object.entries(headers).map(([key, value]) => ({
      key,
      value: { prepared: true, foldLines: true, value },
    })),
  })
    .compile()
    .build();

/** Without anything random, and without the time. */
const headOf = (message: Buffer) =>
  message
    .toString("latin1")
    .split("\r\n\r\n")[0]
    ?.replace(/boundary="[^"]+"/, "boundary")
    .replace(/^Date: .*$/m, "Date");

function bodiesOf(message: Buffer): string[] {
  const source = message.toString("latin1");
  const boundary = /boundary="([^"]+)"/.exec(source)?.[1];
  return source
    .split(new RegExp(`\r\n--${boundary}(?:--)?\r\n`))
    .slice(1, -1)
    .map((part) => {
      const quoted = part.slice(part.indexOf("\r\n\r\n") + 4).replaceAll("=\r\n", "");
      const bytes = quoted.replace(/=([\dA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
      return Buffer.from(bytes, "latin1").toString();
    });
}

test("the headers are those that nodemailer writes", async () => {
  expect(headOf(await mimeOf(email))).toBe(headOf(await composed(email)));
});

test("the texts arrive as they are, wherever their pieces end", async () => {
  const read = bodiesOf(await mimeOf(email));
  expect(read).toEqual([email.text, email.html].map((text) => wholeOf(text).replace(/\r?\n/g, "\r\n")));
  const whole = { ...email, html: wholeOf(email.html), text: wholeOf(email.text) };
  expect(bodiesOf(await mimeOf(whole))).toEqual(read);
});

test("it is ASCII in lines of at most 76 characters, without a space at their ends", async () => {
  const [, ...body] = (await mimeOf(email)).toString("latin1").split("\r\n\r\n");
  const lines = body.join("\r\n\r\n").split("\r\n");
  expect(lines.filter((line) => line.length > 76 || /[^\t -~]|[ \t]$/.test(line))).toEqual([]);
});

test("lines end with CRLF only, so that no server mistakes part of a text for the end of the message", async () => {
  const odd = { ...email, text: "Hello\r.\rMAIL FROM:<eve@x.example>\r", html: ["<p>a\r", ".\r\n</p>\n\r"] };
  expect((await mimeOf(odd)).toString("latin1").replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
});
