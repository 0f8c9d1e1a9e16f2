import { expect, test } from "bun:test";
import { type Email, wholeOf } from "./provider";
import { batchJson, emailJson } from "./resend";

const long = `“Quoted” \\ \u2028 \u0001 </script> 🌧 ${"and so on, ".repeat(30)}\n`;
const email = (name: string, fields: Partial<Email> = {}): Email => ({
  ...{ from: "Noor <noor@x.example>", to: `${name}@reader.example`, subject: `Rain, "${name}"` },
  ...{ html: [long, name, long], text: ["Hi ", name, `\t${long}`], headers: { "List-Id": '"Ink" <x>' } },
  ...fields,
});

/** What was sent before texts were streamed: a retry after an update must have the same bytes. */
const plain = ({ from, to, replyTo, subject, headers, html, text, tags }: Email) => ({
  ...{ from, to: [to], subject },
  ...(replyTo && { reply_to: replyTo }),
  ...{ headers, html: wholeOf(html), text: wholeOf(text) },
  ...(tags && { tags: Object.entries(tags).map(([name, value]) => ({ name, value })) }),
});

test("emails in pieces are the same bytes as the JSON of whole ones", () => {
  const more = { replyTo: "a@x.example", tags: { postroom_b: "id", postroom_r: "7" } };
  const emails = [email("Ada"), email('O"Neil\\', more), email("Grace", { html: "", text: long })];
  expect(batchJson(emails).toString()).toBe(JSON.stringify(emails.map(plain)));
  for (const each of emails) expect(emailJson(each).toString()).toBe(JSON.stringify(plain(each)));
});

test("an empty batch is an empty array", () => {
  expect(batchJson([]).toString()).toBe("[]");
});
